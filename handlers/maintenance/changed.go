package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
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
	return changesOf(rehearsal.RecordedRun(failed), successes), nil
}

// changesOf compares the input, and what each read gave with what the same one gave before.
func changesOf(failed replay.Run, successes []replay.Run) []string {
	var inputs []json.RawMessage
	for _, success := range successes {
		inputs = append(inputs, success.Input)
	}
	changes := differences("input", failed.Input, inputs)
	seen := map[string]int{}
	for _, call := range failed.Calls {
		key := callPlace(call)
		occurrence := seen[key]
		seen[key]++
		if call.Error != nil || call.Effect != "read" {
			continue
		}
		var before []json.RawMessage
		for _, success := range successes {
			if old, found := sameCall(success, key, occurrence); found {
				before = append(before, old.Result)
			}
		}
		for _, change := range differences(key, call.Result, before) {
			if !slices.Contains(changes, change) { // each page of a list may say the same
				changes = append(changes, change)
			}
		}
	}
	if left := len(changes) - mostChanged; left > 0 {
		changes = append(changes[:mostChanged], fmt.Sprintf("(%d more places)", left))
	}
	return changes
}

// differences are the paths of a payload that are gone, new or of another kind. What not every earlier
// payload had is not missed.
func differences(of string, now json.RawMessage, before []json.RawMessage) []string {
	if len(before) == 0 {
		return nil
	}
	is, was, had := shape{}, shape{}, map[string]int{}
	is.addJSON(now)
	for _, payload := range before {
		one := shape{}
		one.addJSON(payload)
		was.addJSON(payload)
		for path := range one {
			had[path]++
		}
	}
	var gone, other, added []string
	for _, path := range sortedPaths(was, is) {
		old, current := was[path], is[path]
		switch {
		case old.same(current), under(path, slices.Concat(gone, added)):
		case current == nil && had[path] == len(before):
			gone = append(gone, path)
		case current == nil:
		case old == nil:
			added = append(added, path)
		case !old.covers(current):
			other = append(other, path)
		}
	}
	var told []string
	for _, path := range gone {
		told = append(told, fmt.Sprintf("%s: %s is gone (it was %s)", of, path, was[path].text()))
	}
	for _, path := range other {
		told = append(told, fmt.Sprintf("%s: %s was %s, and is %s", of, path, was[path].text(), is[path].text()))
	}
	for _, path := range added {
		told = append(told, fmt.Sprintf("%s: %s is new (%s)", of, path, is[path].text()))
	}
	return told
}

// covers says that there is nothing among the kinds that was not seen before.
func (p *place) covers(now *place) bool {
	for kind := range now.kinds {
		if !p.kinds[kind] {
			return false
		}
	}
	return true
}

// under says that a path is inside one of those that are told of.
func under(path string, told []string) bool {
	return slices.ContainsFunc(told, func(above string) bool {
		rest, inside := strings.CutPrefix(path, above)
		return inside && rest != "" && strings.ContainsRune(".[(", rune(rest[0]))
	})
}
