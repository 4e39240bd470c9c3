package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// How many neighbours in a list it takes to speak of an order, in the recorded runs and in
// the failing one: fewer could be so by chance.
const (
	enoughRecordedPairs = 3
	enoughPairs         = 2
)

// turnedLists holds a fix to whose outcome the order of a list matters that was turned
// round: in all recorded runs it went down by a time in its items, now it goes up by it, or
// the other way. What was the newest is now the oldest.
func turnedLists(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || len(q.successes) < enough {
		return nil, nil
	}
	recorded, now := map[listAt]*direction{}, map[listAt]*direction{}
	for i := range q.successes {
		noteDirections(&q.successes[i], recorded)
	}
	noteDirections(&q.seen, now)
	for _, at := range slices.SortedFunc(maps.Keys(now), listAt.compare) {
		before, after := recorded[at], now[at]
		if before == nil || before.lists < enough || before.pairs() < enoughRecordedPairs || after.pairs() < enoughPairs {
			continue
		}
		if before.up > 0 && before.down > 0 || after.up > 0 && after.down > 0 || (before.up > 0) == (after.up > 0) {
			continue
		}
		turned, differs := answeredRun(q.templates, q.run, at.source, func(value any) any {
			return changeEnds(value, func(items []any) []any {
				items = slices.Clone(items)
				slices.Reverse(items)
				return items
			})
		})
		if !differs {
			continue
		}
		again, err := q.gate.execute(ctx, q.code, &turned)
		if err != nil {
			return nil, err
		}
		if !sameOutcome(q.outcome, &again) {
			return []string{fmt.Sprintf("order turned: the list of %s comes in the other order of %s than ever before, and that matters to the fix", at.source, at.name)}, nil
		}
	}
	return nil, nil
}

// direction counts the neighbours in lists whose times go up, and down.
type direction struct{ lists, up, down int }

func (d *direction) pairs() int { return d.up + d.down }

// noteDirections looks at the lists that are in no other list, by the members of their
// items that hold times.
func noteDirections(o *observed, into map[listAt]*direction) {
	for _, a := range o.answered() {
		changeEnds(a.value, func(items []any) []any {
			first, _ := items[0].(map[string]any)
			for name := range first {
				var times []string
				for _, item := range items {
					members, _ := item.(map[string]any)
					if text, _ := members[name].(string); leadingDate.MatchString(text) {
						times = append(times, text)
					}
				}
				if len(times) != len(items) {
					continue
				}
				at := listAt{a.source, name}
				if into[at] == nil {
					into[at] = &direction{}
				}
				into[at].lists++
				for i := range len(times) - 1 {
					switch strings.Compare(times[i], times[i+1]) {
					case -1:
						into[at].up++
					case 1:
						into[at].down++
					}
				}
			}
			return items
		})
	}
}

// changeEnds copies a value and changes the lists of several objects in it that are not
// inside of another list.
func changeEnds(value any, change func(items []any) []any) any {
	switch v := value.(type) {
	case map[string]any:
		other := make(map[string]any, len(v))
		for key, member := range v {
			other[key] = changeEnds(member, change)
		}
		return other
	case []any:
		if len(v) > 1 && !slices.ContainsFunc(v, func(item any) bool { _, ok := item.(map[string]any); return !ok }) {
			return change(v)
		}
	}
	return value
}

// listAt is where a run got a list from, and the name of the member of its items that holds a time.
type listAt struct{ source, name string }

func (p listAt) compare(other listAt) int {
	return cmp.Or(strings.Compare(p.source, other.source), strings.Compare(p.name, other.name))
}
