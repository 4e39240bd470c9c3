package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// withAssumed is the failing run with the answers that a replay of it assumed, as if they had been recorded: so that what
// depends on them is found as for every other answer.
func (g *Gate) withAssumed(outcome *replayed) *Run {
	if len(outcome.assumed) == 0 {
		return &g.subject.Failed
	}
	run := g.subject.Failed
	recorded := newJournal(run.Calls)
	run.Calls = slices.Clone(run.Calls)
	for _, call := range outcome.Calls {
		if _, known := recorded.Take(call.Tool, call.Args); !known && call.Effect == sandbox.Write && asksWeb(call.Tool) && !call.Opaque {
			run.Calls = append(run.Calls, CallOf(call))
		}
	}
	return &run
}

// assumedAnswers holds a fix that writes or returns what an assumed answer says where no recorded run did: what the service
// will answer today, an id that it gives perhaps, nobody knows. What recorded runs made of such an answer may be made of it
// again. An answer that is the same in all recorded runs is as good as known.
func assumedAnswers(ctx context.Context, q *inquiry) ([]string, error) {
	differ := slices.DeleteFunc(slices.Clone(q.outcome.assumed), func(a Assumption) bool { return !q.gate.assumed.differ(a.Call) })
	if len(differ) == 0 || q.gate.old == nil || !q.complete {
		return nil, nil
	}
	other := *q.gate.assumed
	other.shift = 1
	again, err := q.gate.executeAssuming(ctx, q.code, &q.gate.subject.Failed, &other)
	if err != nil {
		return nil, err
	}
	known, err := q.gate.influences(ctx)
	if err != nil {
		return nil, err
	}
	before, now := q.templates.sinks(q.gate.old.Words, q.outcome), q.templates.sinks(q.gate.old.Words, &again)
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		decided := slices.ContainsFunc(known, func(i influence) bool {
			return slices.Contains(i.Sinks, at) && slices.ContainsFunc(differ, func(a Assumption) bool { return strings.TrimSuffix(i.Source, inTextOf) == a.Call })
		})
		if !decided && !slices.Equal(before[at], now[at]) {
			return []string{fmt.Sprintf("assumed answer: what %s answers decides %s, as in no recorded run, and is only assumed", differ[0].Call, at)}, nil
		}
	}
	return nil, nil
}
