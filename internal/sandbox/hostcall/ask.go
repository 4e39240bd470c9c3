package hostcall

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// ask(question, {options, timeoutMs, default}): the person's answer. A recorded
// answer is replayed from the journal; a live run cannot wait for one, and says so.
var _ = Declare(Tool{
	Name: "ask",
	Doc: `The answer of the workflow's person, a text. The run stands still until then, for days if need be. After ` +
		`timeoutMs it goes on with default, and throws LogicError if there is none. options are likely answers.`,
	Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [
		{"title": "question", "type": "string", "minLength": 1, "maxLength": 2000},
		{"title": "options", "type": ["object", "null"], "additionalProperties": false, "properties": {
			"options": {"type": ["array", "null"], "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 200}},
			"timeoutMs": {"type": ["integer", "null"], "minimum": 1, "maximum": 31536000000},
			"default": {}
		}}
	]}`,
	Types:      "(question: string, options?: { options?: string[] | null; timeoutMs?: number | null; default?: unknown } | null): Promise<any>",
	Question:   question,
	Told:       "a question to you",
	Effect:     always(sandbox.Write),
	Idempotent: true,
	Do: func(context.Context, *Env, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{Error: fail(sandbox.ClassPermission, CodeAskUnavailable,
			"ask: a run on this server cannot wait for a person's answer; use notify and let the next run go on")}, nil
	},
})

// Question is what a script asks its workflow's person.
type Question struct {
	Text    string
	Options []string // likely answers
	// Timeout is after what time the run goes on with Default, and without one with an error. Zero waits for ever.
	Timeout time.Duration
	Default json.RawMessage
}

func question(args json.RawMessage) (Question, error) {
	var asked Question
	var options struct {
		Options   []string        `json:"options"`
		TimeoutMS int64           `json:"timeoutMs"`
		Default   json.RawMessage `json:"default"`
	}
	list := []any{&asked.Text, &options}
	if err := json.Unmarshal(args, &list); err != nil {
		return asked, err
	}
	asked.Options, asked.Timeout, asked.Default = options.Options, time.Duration(options.TimeoutMS)*time.Millisecond, options.Default
	return asked, nil
}
