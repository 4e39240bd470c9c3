package app

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The outcomes of an input that was sent.
const (
	SentRun     = "run"
	SentQueued  = "queued"
	SentSkipped = "skipped"
	SentDropped = "dropped" // without a word: the archive recorded that it drops all
)

// Sent is an input from outside, and what became of it.
type Sent struct {
	Workflow string `json:"workflow"`
	Run      string `json:"run"` // that it becomes
	Key      string `json:"key"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason,omitempty"`
	Repeated bool   `json:"repeated"` // it was sent before, and this is what became of it
}

// longestKey is what tells an input from others at most, in bytes.
const longestKey = 256

// Send hands a workflow an input, as a webhook does. The same key again does nothing more, and says what became of it;
// an empty one is made up.
func (r *Runs) Send(ctx context.Context, actor, id, key string, input json.RawMessage) (shown Sent, result commands.Result, err error) {
	if len(key) > longestKey || strings.TrimSpace(key) != key {
		return shown, result, fault.New(fault.Invalid, "--key is longer than %d bytes, or begins or ends with a space", longestKey)
	}
	if key == "" {
		key = NewID()
	}
	shown = Sent{Workflow: id, Key: key, Run: commands.InputRun(id, key), Outcome: SentDropped}
	meta := commands.Meta{CommandID: commands.DerivedID(id, "send", key), Actor: actor}
	result, err = r.Commands.OfferInput(ctx, id, workflow.OfferInput{Run: shown.Run, Trigger: workflow.TriggerWebhook, Input: input}, meta)
	if err != nil {
		return shown, result, err
	}
	shown.Repeated = result.Repeated
	for _, recorded := range result.Events {
		switch e := recorded.Event.(type) {
		case workflow.RunAdmitted:
			shown.Outcome = SentRun
		case workflow.InputQueued:
			shown.Outcome, shown.Reason = SentQueued, e.Reason
		case workflow.InputSkipped:
			shown.Outcome, shown.Reason = SentSkipped, e.Reason
		}
	}
	return shown, result, nil
}
