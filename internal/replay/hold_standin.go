package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// standIns holds a fix that reads another member in the place of a lost one, although the
// recorded runs had both and say that they are not the same: with the lost one taken out of
// what they were given, the fix reads the other there as well and comes to another end.
func standIns(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced {
		return nil, nil
	}
	recorded, now := q.places()
	losses := lossesOf(recorded, now)
	if len(losses) == 0 {
		return nil, nil
	}
	wanted, read, err := q.reads(ctx)
	if err != nil || read == nil {
		return nil, err
	}
	others := map[string]string{} // the member's name, by how its read is written
	for path, place := range recorded {
		for member, values := range place.values {
			at := memberRead(path, member)
			if read[at] && !wanted[at] && !slices.ContainsFunc(values, isComposite) {
				others[at] = member
			}
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	for _, l := range losses {
		if !wanted[memberRead(l.path, l.member)] {
			continue
		}
		for i := range min(len(q.gate.kept), mostTraced) {
			run := q.gate.kept[i].run
			without, differs := q.without(run, l)
			if !differs {
				continue
			}
			outcome, err := q.gate.execute(ctx, q.code, &without)
			if err != nil {
				return nil, err
			}
			if outcome.Error != nil || compareSuccess(run, &outcome) == nil || q.isWorse(&outcome) {
				continue
			}
			there, err := q.gate.trace(ctx, q.candidate, &without, &outcome)
			if err != nil {
				return nil, err
			}
			for _, at := range slices.Sorted(maps.Keys(others)) {
				if there[at] {
					return []string{fmt.Sprintf("stand-in: %s is read in the place of %s of %s, and in recorded runs it is something else",
						others[at], l.member, strings.ReplaceAll(l.path, "\n", "."))}, nil
				}
			}
		}
	}
	return nil, nil
}

// isComposite says that a value is an object or a list.
func isComposite(value any) bool {
	kind := payload.KindOf(value)
	return kind == "object" || kind == "array"
}
