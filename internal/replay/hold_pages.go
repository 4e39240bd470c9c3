package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// missedPages holds a fix that takes a part for the whole: an answer says, in a member that
// no recorded one had, that there is more to ask for, and the mended run neither looks at
// that nor asks on. What comes out then is the first page.
func missedPages(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || len(q.successes) == 0 {
		return nil, nil
	}
	last := observed{} // only the last answer of a kind says how it ended
	for _, call := range q.seen.calls {
		if asksWeb(call.tool) {
			last.calls = slices.DeleteFunc(last.calls, func(other observedCall) bool { return other.template == call.template })
			last.calls = append(last.calls, call)
		}
	}
	marks := placesOf(&last, nil)
	maps.DeleteFunc(marks, func(at place, leaves []leaf) bool {
		return at.Part != "" || strings.Contains(at.Path, "[*]") || !payload.SaysMore([]string{leaves[0].key}, leaves[0].value)
	})
	for i := range q.successes {
		if len(marks) == 0 {
			return nil, nil
		}
		for at := range placesOf(&q.successes[i], nil) {
			delete(marks, at)
		}
	}
	probe := probe{gate: q.gate, code: q.code, run: q.run, base: q.templates.sinks(q.gate.old.Words, q.outcome)}
	missed := slices.SortedFunc(maps.Keys(marks), place.compare)
	for _, at := range missed {
		if _, changed, err := probe.sinks(ctx, at, nil, nil); err != nil || len(changed) > 0 {
			return nil, err
		}
	}
	if len(missed) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("page ignored: %s says that there is more, and the fix does not look at it", missed[0])}, nil
}
