package maintenance

import (
	"context"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// mostChanged is how many places a person is shown.
const mostChanged = 12

// WhatChanged says, place by place, what a run read of another shape than the newest recorded successes
// of its major did: what a person needs who has to decide. Empty if it read the same, or nothing is known.
func WhatChanged(ctx context.Context, c *commands.Commands, recordings egress.Recordings, id, run string) ([]string, error) {
	failed, err := c.LoadRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if !failed.Started() {
		return nil, nil
	}
	version, err := workflow.ParseVersion(failed.Version)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: run %s: %w", run, err)
	}
	recorded, err := recordings.Successes(ctx, id, version.Major)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: list recorded successes: %w", err)
	}
	var successes []replay.Run
	for _, one := range recorded[:min(len(recorded), samplesSeen)] {
		success, err := c.LoadRun(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("maintenance.WhatChanged: load recorded success %s: %w", one, err)
		}
		successes = append(successes, rehearsal.RecordedRun(success))
	}
	state, err := c.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: %w", err)
	}
	code := ""
	for _, script := range state.Versions {
		if script.Version == version {
			code = script.Code
		}
	}
	return changesOf(code, rehearsal.RecordedRun(failed), successes), nil
}

// changesOf compares the input, and what each read gave with what the same one gave before.
func changesOf(code string, failed replay.Run, successes []replay.Run) []string {
	keys := payload.Keys{Spelled: payload.Spelled(code)}
	var changes []string
	compare := func(of string, before, now *payload.Schema) {
		was := before.Read(keys)
		for _, change := range payload.Changes(was, now.Like(was)) {
			if told := of + ": " + change.String(); !slices.Contains(changes, told) { // each page of a list may say the same
				changes = append(changes, told)
			}
		}
	}
	inputs := payload.NewSchema()
	for _, success := range successes {
		addJSON(inputs, success.ID, success.Input)
	}
	compare("input", inputs, schemaOf(failed.Input))
	seen := map[string]int{}
	for _, call := range failed.Calls {
		key := callPlace(call)
		occurrence := seen[key]
		seen[key]++
		if call.Error != nil || call.Effect != "read" {
			continue
		}
		compare(key, earlier(successes, key, occurrence), schemaOf(call.Result))
	}
	if left := len(changes) - mostChanged; left > 0 {
		changes = append(changes[:mostChanged], fmt.Sprintf("(%d more places)", left))
	}
	return changes
}
