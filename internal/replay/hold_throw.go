package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/script"
)

// removedChecks holds a fix that takes a throw of the script's own away: what it was to
// keep from going on now goes on.
func removedChecks(q *inquiry) []string {
	if q.gate.old == nil {
		return nil
	}
	before, now := throws(q.gate.old), throws(q.candidate)
	if now >= before {
		return nil
	}
	return []string{fmt.Sprintf("removed check: the fix throws at %d places, before it were %d", now, before)}
}

func throws(s *script.Source) int {
	count := 0
	for _, node := range s.Nodes {
		if _, ok := node.(*ast.ThrowStatement); ok {
			count++
		}
	}
	return count
}

// ownError is the name of an error that a script throws itself; those that come from
// using a value wrongly have names of their own.
const ownError = "Error"

// weakenedChecks holds a fix of a run that the script itself gave up, where the check that
// did so is still there and lets through what it was for: recorded runs are given values
// that the old code refuses, and the fix refuses none of them.
func weakenedChecks(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || q.gate.subject.Failed.Outcome.Error == nil || q.gate.subject.Failed.Outcome.Error.Name != ownError {
		return nil, nil
	}
	var found []string
	for i := range min(len(q.gate.kept), mostChecked) {
		run := q.gate.kept[i].run
		for _, at := range slices.SortedFunc(maps.Keys(placesOf(&q.successes[i], q.gate.old.Words)), place.compare) {
			if at.Part != "" || !strings.ContainsAny(at.Path, ".") {
				continue
			}
			for way := range Ways - 1 { // the last makes all texts the same
				p := probe{gate: q.gate, run: run, words: q.gate.old.Words}
				changed, differs := p.changed(at, nil, way)
				if !differs {
					continue
				}
				before, err := q.gate.execute(ctx, q.gate.subject.Code, &changed)
				if err != nil {
					return nil, err
				}
				if before.Error == nil || before.Error.Name != ownError || isUnanswerable(&before) {
					continue
				}
				now, err := q.gate.execute(ctx, q.code, &changed)
				if err != nil {
					return nil, err
				}
				if now.Error != nil && !isUnanswerable(&now) {
					return nil, nil
				}
				if now.Error == nil && found == nil {
					found = []string{fmt.Sprintf("removed check: the old code refuses other values of %s (%s), the fix takes any", at, cut(before.Error.Message))}
				}
			}
		}
	}
	return found, nil
}

// mostChecked is how many recorded runs a check is tried on.
const mostChecked = 3
