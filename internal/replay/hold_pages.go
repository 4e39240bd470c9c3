package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
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
		return at.Part != "" || strings.Contains(at.Path, "[*]") || !saysMore(leaves[0].key, leaves[0].value)
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

// Names of members that say, each in its way, whether there is more to ask for.
var (
	nextPage  = pattern.New(`^(odata)?next(page|pagetoken|token|cursor|url|link|offset|uri|href)?$`)
	isMore    = pattern.New(`^(has|is)?(more|next|nextpage|truncated)(results|data|pages|items|available)?$`)
	isTheLast = pattern.New(`^(is)?(last|lastpage|done|complete)$`)
)

// saysMore says that a member tells of more than was answered.
func saysMore(member string, value any) bool {
	name := flatName(member)
	switch v := value.(type) {
	case bool:
		return v && isMore.MatchString(name) || !v && isTheLast.MatchString(name)
	case string:
		return v != "" && nextPage.MatchString(name)
	case float64:
		return v > 0 && nextPage.MatchString(name)
	case map[string]any:
		return len(v) > 0 && nextPage.MatchString(name)
	}
	return false
}
