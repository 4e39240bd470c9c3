package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ignoredItems holds a fix whose mended run does not depend on the first, or on the last,
// item of a list where every recorded success depended on it: it takes one for all. Like a
// value, an item is tried: it is changed, and another item is put in its place. An item that
// the run leaves out because of what it says would then be taken.
func ignoredItems(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced {
		return nil, nil
	}
	sources := map[string]bool{}
	for _, a := range q.seen.answered() {
		sources[a.source] = sources[a.source] || !strings.HasPrefix(a.source, "kv.")
	}
	failed := &q.gate.subject.Failed
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		for _, last := range []bool{true, false} {
			given, depends, err := q.gate.dependsOnItem(ctx, q.templates, q.code, failed, q.outcome, source, last)
			if err != nil {
				return nil, err
			}
			if !sources[source] || !given || depends {
				continue
			}
			// Where nothing comes of the other end either, no item is taken for all.
			if _, other, err := q.gate.dependsOnItem(ctx, q.templates, q.code, failed, q.outcome, source, !last); err != nil {
				return nil, err
			} else if !other {
				continue
			}
			having, always := 0, true
			for i := range q.gate.kept {
				k := &q.gate.kept[i]
				had, depended, err := q.gate.dependsOnItem(ctx, q.templates, q.gate.subject.Code, k.run, &k.outcome, source, last)
				if err != nil {
					return nil, err
				}
				if had {
					having++
					always = always && depended
				}
				if !always {
					break
				}
			}
			if always && having >= enough {
				which := "first"
				if last {
					which = "last"
				}
				return []string{fmt.Sprintf("item ignored: whatever the %s item of %s says, the mended run does the same; every recorded run depends on it", which, source)}, nil
			}
		}
	}
	return nil, nil
}

// dependsOnItem says whether a source gave a run a list of several items, and whether the
// run comes out otherwise once the first or the last of them is another.
func (g *Gate) dependsOnItem(ctx context.Context, templates *templates, code string, run *Run, outcome *replayed, source string, last bool) (given, depends bool, err error) {
	return g.dependsOnAny(ctx, code, outcome, len(leaves)*changes+1, func(way int) (Run, bool) {
		return answeredRun(templates, run, source, func(value any) any {
			return changeEnds(value, func(items []any) []any {
				at, other := 0, len(items)-1
				if last {
					at, other = other, at
				}
				items = slices.Clone(items)
				if way == len(leaves)*changes {
					items[at] = items[other]
					return items
				}
				items[at] = changeUnder(items[at], "", "", true, func(_ string, value any) any {
					if !leaves[way/changes](value) {
						return value
					}
					return changeValue(value, way%changes)
				})
				return items
			})
		})
	})
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
