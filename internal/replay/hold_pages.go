package replay

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// missedPages holds a fix that takes a part for the whole: an answer says, in a member that
// no recorded one had, that there is more to ask for, and the mended run neither looks at
// that nor asks on. What comes out then is the first page.
func missedPages(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || len(q.successes) == 0 {
		return nil, nil
	}
	recorded, _ := q.places()
	last := map[string]any{} // answer by source: only the last one says how it ended
	for _, a := range q.seen.answered() {
		if strings.HasPrefix(a.source, "web.") {
			last[a.source] = a.value
		}
	}
	type mark struct{ path, member string }
	var marks []mark
	for _, source := range slices.Sorted(maps.Keys(last)) {
		now := map[string]*place{}
		collectPlaces(source, last[source], now)
		for _, path := range slices.Sorted(maps.Keys(now)) {
			for _, member := range slices.Sorted(maps.Keys(now[path].values)) {
				known := recorded[path] != nil && recorded[path].named[member]
				if !strings.Contains(path, "[*]") && !known && saysMore(member, now[path].values[member][0]) {
					marks = append(marks, mark{path, member})
				}
			}
		}
	}
	if len(marks) == 0 {
		return nil, nil
	}
	read, err := q.gate.trace(ctx, q.candidate, &q.gate.subject.Failed, q.outcome)
	if err != nil || read == nil {
		return nil, err
	}
	for _, m := range marks {
		if read[memberRead(m.path, m.member)] {
			return nil, nil
		}
	}
	return []string{fmt.Sprintf("page ignored: %s of %s says that there is more, and the fix does not look at it",
		marks[0].member, strings.ReplaceAll(marks[0].path, "\n", "."))}, nil
}

// Names of members that say, each in its way, whether there is more to ask for.
var (
	nextPage  = regexp.MustCompile(`^(odata)?next(page|pagetoken|token|cursor|url|link|offset|uri|href)?$`)
	isMore    = regexp.MustCompile(`^(has|is)?(more|next|nextpage|truncated)(results|data|pages|items|available)?$`)
	isTheLast = regexp.MustCompile(`^(is)?(last|lastpage|done|complete)$`)
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
