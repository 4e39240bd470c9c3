package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// loss is a member that every recorded object at a place had and that none has any more.
type loss struct{ path, member string }

// goneValues holds a fix that makes do without a number, or a yes or no, that every
// recorded object had, that no object has any more, and on which every recorded run
// depended, unless the fix reads something that is new. Nothing in the payload says what
// it would be: what stands for it is made up. A text may say that there is none.
func goneValues(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced || len(q.successes) < enough {
		return nil, nil
	}
	recorded, now := q.places()
	losses := slices.DeleteFunc(lossesOf(recorded, now), func(l loss) bool {
		return slices.ContainsFunc(recorded[l.path].values[l.member], isNoMeasure) ||
			slices.ContainsFunc(slices.Collect(maps.Values(now)), func(p *place) bool { return len(p.values[l.member]) > 0 })
	})
	if len(losses) == 0 {
		return nil, nil
	}
	wanted, read, err := q.reads(ctx)
	if err != nil || read == nil {
		return nil, err
	}
	if losses = slices.DeleteFunc(losses, func(l loss) bool { return !wanted[memberRead(l.path, l.member)] }); len(losses) == 0 {
		return nil, nil
	}
	for path, p := range now {
		for member := range p.named {
			if before := recorded[path]; read[memberRead(path, member)] && (before == nil || !before.named[member]) {
				return nil, nil // it found something
			}
		}
	}
	for _, l := range losses {
		source, _, _ := strings.Cut(strings.ReplaceAll(l.path, "[*]", ""), "\n")
		always := true
		for i := range q.gate.kept {
			k := &q.gate.kept[i]
			if !always {
				break
			}
			if always, err = q.gate.depends(ctx, q.templates, q.gate.subject.Code, k.run, &k.outcome, spot{source, l.member}, nil); err != nil {
				return nil, err
			}
		}
		if always {
			if derived, err := q.derives(ctx, l); err != nil || derived {
				return nil, err
			}
			return []string{fmt.Sprintf("value gone: %s of %s is gone, every recorded run depends on it, and the fix finds nothing in its place", l.member, source)}, nil
		}
	}
	return nil, nil
}

// lossesOf are the losses between what recorded runs were given and what the failing run was.
func lossesOf(recorded, now map[string]*place) []loss {
	var losses []loss
	for _, path := range slices.Sorted(maps.Keys(now)) {
		before := recorded[path]
		if before == nil {
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(before.values)) {
			if len(before.values[member]) == len(before.objects) && len(now[path].values[member]) == 0 {
				losses = append(losses, loss{path, member})
			}
		}
	}
	return losses
}

// derives says that the fix finds a lost value without looking at it: with the value taken
// out of what they were given, all recorded runs come to the same end.
func (q *inquiry) derives(ctx context.Context, l loss) (bool, error) {
	for i := range q.gate.kept {
		run := q.gate.kept[i].run
		without, differs := q.without(run, l)
		if !differs {
			continue
		}
		outcome, err := q.gate.execute(ctx, q.code, &without)
		if err != nil {
			return false, err
		}
		if outcome.Error != nil || compareSuccess(run, &outcome) != nil {
			return false, nil
		}
	}
	return true, nil
}

// without is a run that was not given a member; false if it never was.
func (q *inquiry) without(run *Run, l loss) (Run, bool) {
	source, _, _ := strings.Cut(strings.ReplaceAll(l.path, "[*]", "\n[*]"), "\n")
	return answeredRun(q.templates, run, source, func(value any) any { return removeMember(value, source, l) })
}

// removeMember copies a value without a member of the objects at one place.
func removeMember(value any, path string, l loss) any {
	switch v := value.(type) {
	case []any:
		other := make([]any, len(v))
		for i, item := range v {
			other[i] = removeMember(item, path+"[*]", l)
		}
		return other
	case map[string]any:
		other := make(map[string]any, len(v))
		for key, member := range v {
			if path != l.path || key != l.member {
				other[key] = removeMember(member, memberRead(path, key), l)
			}
		}
		return other
	}
	return value
}

// isNoMeasure says that a value is neither a number nor a yes or no.
func isNoMeasure(value any) bool {
	switch value.(type) {
	case float64, bool:
		return false
	}
	return true
}
