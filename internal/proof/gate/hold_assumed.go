package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// assumedAnswers holds a fix that writes or returns values of an assumed answer where no recorded run did: nobody
// knows the service's answer of today, perhaps an id that it gives. The fix may make of such an answer what recorded
// runs made of it. An answer that is the same in all recorded runs is as good as known.
func assumedAnswers(ctx context.Context, q *inquiry) ([]string, error) {
	differ := slices.DeleteFunc(slices.Clone(q.outcome.assumed), func(a Assumption) bool { return !q.gate.assumed.differ(a.Call) })
	if len(differ) == 0 || q.gate.old == nil || !q.complete {
		return nil, nil
	}
	decided, err := q.decidedBy(ctx, q.code, &q.gate.subject.Failed)
	if err != nil || len(decided) == 0 {
		return nil, err
	}
	for _, k := range q.gate.kept[max(0, len(q.gate.kept)-mostProbed):] {
		run := *k.run // without the answers, so that they are assumed, too
		run.Calls = slices.DeleteFunc(slices.Clone(run.Calls), func(call Call) bool {
			return slices.ContainsFunc(differ, func(a Assumption) bool { return a.Call == q.templates.of(call.Tool, call.Args) })
		})
		before, err := q.decidedBy(ctx, q.gate.subject.Code, &run)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(decided, func(at string, _ bool) bool { return before[at] })
	}
	for _, at := range slices.Sorted(maps.Keys(decided)) {
		return []string{fmt.Sprintf("assumed answer: what %s answers decides %s, as in no recorded run, and is only assumed", differ[0].Call, at)}, nil
	}
	return nil, nil
}

// decidedBy is what comes out of a run otherwise if another one of the recorded answers is assumed.
func (q *inquiry) decidedBy(ctx context.Context, code string, run *Run) (map[string]bool, error) {
	decided := map[string]bool{}
	var before map[string][]string
	for shift := range 2 {
		assumed := *q.gate.assumed
		assumed.shift = shift
		outcome, err := q.gate.executeAssuming(ctx, code, run, &assumed)
		if err != nil {
			return nil, err
		}
		now := q.templates.sinks(q.gate.old.Words, &outcome)
		for _, sinks := range []map[string][]string{before, now} {
			for at := range sinks {
				if shift > 0 && !slices.Equal(before[at], now[at]) {
					decided[at] = true
				}
			}
		}
		before = now
	}
	return decided, nil
}
