package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// ignoredValues holds a fix whose mended run does not depend on a value on which every
// recorded success depended: what stands for it is then made up. It is found by trying: all
// values under one name are changed, and if nothing that comes out changes, nothing
// depends on them. A name is judged only if it is in the code, if at least two successes
// had it and all that had it came out otherwise without it.
func ignoredValues(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced {
		return nil, nil
	}
	now := spotsOf(&q.seen, q.gate.old)
	recorded := make([]map[spot]*where, len(q.successes))
	values := map[string][]any{}
	for i := range q.successes {
		recorded[i] = spotsOf(&q.successes[i], q.gate.old)
		for _, a := range q.successes[i].answered() {
			collectLeaves(a.value, "", values)
		}
	}
	given := map[string][]any{}
	for _, a := range q.seen.answered() {
		collectLeaves(a.value, "", given)
	}
	for _, at := range slices.SortedFunc(maps.Keys(now), spot.compare) {
		if at.name != "" && q.gate.old.Words[at.name] == 0 {
			continue
		}
		if !now[at].comparable(at, recorded) {
			continue
		}
		known := values
		if others := given[at.name]; len(others) >= enough && !slices.ContainsFunc(others, func(value any) bool { return slices.Contains(values[at.name], value) }) {
			known = nil // every word is new: what it does with the old ones says nothing
		}
		depends, err := q.gate.depends(ctx, q.templates, q.code, &q.gate.subject.Failed, q.outcome, at, known)
		if err != nil {
			return nil, err
		}
		if depends {
			continue
		}
		always := true
		for i := range recorded {
			if _, there := recorded[i][at]; !there || !always {
				continue
			}
			k := &q.gate.kept[i]
			if always, err = q.gate.depends(ctx, q.templates, q.gate.subject.Code, k.run, &k.outcome, at, values); err != nil {
				return nil, err
			}
		}
		if always {
			// Perhaps the data of this day leave out what has to do with it.
			if depends, err = q.dependsSomewhere(ctx, at); err != nil {
				return nil, err
			}
		}
		if always && !depends {
			name := at.name
			if name == "" {
				name = "the text"
			}
			return []string{fmt.Sprintf("value ignored: whatever %s of %s says, the mended run does the same; every recorded run depends on it", name, at.source)}, nil
		}
	}
	return nil, nil
}

// spot is where a run got values from: the input or a kind of call, and the name of the
// member they are under, at any depth. No name is a text that was the whole answer.
type spot struct{ source, name string }

func (p spot) compare(other spot) int {
	if by := strings.Compare(p.source, other.source); by != 0 {
		return by
	}
	return strings.Compare(p.name, other.name)
}

// spotsOf are the names that hold a value in what a run was given, with the paths to the
// members of this name and the largest number of lists around one. Members of entries that
// the code picks by name are left out: which of the entries are there is no matter of shape.
func spotsOf(o *observed, old *script.Source) map[spot]*where {
	type step struct{ name, path string }
	places, picked := map[spot]*where{}, map[spot]bool{}
	var nulls []string // paths
	note := func(at spot, path string, lists int) {
		if places[at] == nil {
			places[at] = &where{paths: map[string]bool{}}
		}
		places[at].paths[path] = true
		places[at].lists = max(places[at].lists, lists)
	}
	var visit func(source, path string, above []step, lists int, value any)
	visit = func(source, path string, above []step, lists int, value any) {
		switch v := value.(type) {
		case nil:
			nulls = append(nulls, path)
		case map[string]any:
			for key, member := range v {
				at := path + memberPath(key)
				visit(source, at, append(slices.Clone(above), step{key, at}), lists, member)
			}
		case []any:
			for _, item := range v {
				if spells(old, item) {
					for key := range item.(map[string]any) {
						picked[spot{source, key}] = true
					}
				}
				visit(source, path+"[*]", above, lists+1, item)
			}
		default:
			if text, ok := v.(string); ok && strings.HasSuffix(text, "\n") && !strings.Contains(strings.TrimSpace(text), "\n") {
				return // a heading and no line: nothing has to depend on it
			} else if ok && text == "" {
				return // says nothing
			}
			for _, step := range above {
				note(spot{source, step.name}, step.path, lists)
			}
			if _, isText := v.(string); isText && len(above) == 0 && !strings.HasPrefix(source, "kv.") {
				note(spot{source, ""}, path, lists)
			}
		}
	}
	for _, a := range o.answered() {
		visit(a.source, "", nil, 0, a.value)
	}
	for _, place := range places {
		place.nulls = nulls
	}
	maps.DeleteFunc(places, func(at spot, _ *where) bool { return picked[at] })
	return places
}

// where a name was found.
type where struct {
	paths map[string]bool
	lists int
	nulls []string // paths in the same run that hold nothing
}

// movedFrom says that the places of a name may be compared with recorded ones: they are the
// same, or none of them is known. Where some are gone and others stay, a name stands for
// several things, and one of them is missing.
func (w *where) movedFrom(recorded *where) bool {
	if w.lists < recorded.lists {
		return false // inside of fewer lists it is likely to be another thing of this name
	}
	gone, stays := false, false
	for path := range recorded.paths {
		gone, stays = gone || !w.paths[path], stays || w.paths[path]
		if slices.ContainsFunc(w.nulls, func(null string) bool { return strings.HasPrefix(path, null+".") }) {
			return false // it is missing, what has its name is another
		}
	}
	return !gone || !stays
}

// comparable says that a name was in enough recorded runs, in places that may be compared.
func (w *where) comparable(at spot, recorded []map[spot]*where) bool {
	having := 0
	for _, run := range recorded {
		before := run[at]
		if before == nil {
			continue
		}
		if !w.movedFrom(before) {
			return false
		}
		having++
	}
	return having >= enough
}

// entryNames are the members by which an entry of a list is picked.
var entryNames = []string{"name", "key", "field", "label", "rel", "header"}

// spells says that the code spells the name of an entry.
func spells(s *script.Source, item any) bool {
	members, _ := item.(map[string]any)
	return slices.ContainsFunc(entryNames, func(key string) bool {
		name, ok := members[key].(string)
		return ok && s.Words[name] > 0
	})
}

// collectLeaves notes the values by the name of the member that holds them.
func collectLeaves(value any, key string, into map[string][]any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			collectLeaves(v[name], name, into)
		}
	case []any:
		for _, item := range v {
			collectLeaves(item, key, into)
		}
	default:
		if len(into[key]) < mostTried && !slices.Contains(into[key], value) {
			into[key] = append(into[key], value)
		}
	}
}

// mostTried is how many recorded values are put in the place of another.
const mostTried = 4

// changes are the ways in which a value is changed; the first index beyond them puts
// recorded values in its place.
const changes = 4

// depends says that a run comes out otherwise once the values at a place are changed.
func (g *Gate) depends(ctx context.Context, templates *templates, code string, run *Run, outcome *replayed, at spot, values map[string][]any) (bool, error) {
	_, depends, err := g.dependsOnAny(ctx, code, outcome, changes+mostTried, func(way int) (Run, bool) {
		return changedRun(templates, run, at, func(key string, value any) any {
			if way < changes {
				return changeValue(value, way)
			}
			if text, ok := value.(string); ok && strings.ContainsAny(text, "\n{[<") {
				return value // a recorded text would bring the old shape back
			}
			if known := values[key]; way-changes < len(known) && payload.KindOf(known[way-changes]) == payload.KindOf(value) {
				return known[way-changes]
			}
			return value
		})
	})
	return depends, err
}

// dependsOnAny says whether a run can be changed in one of some ways (changed gives false for
// the same run), and whether it comes out otherwise then.
func (g *Gate) dependsOnAny(ctx context.Context, code string, outcome *replayed, ways int, changed func(way int) (Run, bool)) (given, depends bool, err error) {
	for way := range ways {
		run, differs := changed(way)
		if !differs {
			continue
		}
		given = true
		again, err := g.execute(ctx, code, &run)
		if err != nil {
			return given, false, err
		}
		if !sameOutcome(outcome, &again) {
			return given, true, nil
		}
	}
	return given, false, nil
}

// changedRun is a run that was given other values at a place; false if that is the same run.
func changedRun(templates *templates, run *Run, at spot, change func(key string, value any) any) (Run, bool) {
	return answeredRun(templates, run, at.source, func(value any) any {
		return changeUnder(value, "", at.name, at.name == "", change)
	})
}

// answeredRun is a run that one source gave something else; false if that is the same run.
func answeredRun(templates *templates, run *Run, source string, change func(value any) any) (Run, bool) {
	changed, differs := *run, false
	from, inText := strings.CutSuffix(source, inTextOf)
	rewrite := func(text json.RawMessage) json.RawMessage {
		value := decode(text)
		other := value
		if !inText {
			other = change(value)
		} else if document, ok := documentIn(value); ok {
			again, err := marshal(change(document))
			if err != nil {
				return text
			}
			other = withText(value, string(again))
		}
		if _, different := diffValues("$", value, other); !different {
			return text
		}
		again, err := marshal(other)
		if err != nil {
			return text
		}
		differs = true
		return again
	}
	if source == "input" {
		changed.Input = rewrite(run.Input)
	}
	changed.Calls = slices.Clone(run.Calls)
	for i := range changed.Calls {
		call := &changed.Calls[i]
		if call.Error == nil && templates.of(call.Tool, call.Args) == from {
			call.Result = rewrite(call.Result)
		}
	}
	return changed, differs
}

// withText is an answer with another text in the place of the one that [documentIn] reads.
func withText(result any, text string) any {
	members, ok := result.(map[string]any)
	if !ok {
		return text
	}
	members = maps.Clone(members)
	members["body"] = text
	return members
}

// changeUnder copies a value and changes what lies below the members of a name.
func changeUnder(value any, key, name string, below bool, change func(key string, value any) any) any {
	switch v := value.(type) {
	case map[string]any:
		other := make(map[string]any, len(v))
		for k, member := range v {
			other[k] = changeUnder(member, k, name, below || k == name, change)
		}
		return other
	case []any:
		other := make([]any, len(v))
		for i, item := range v {
			other[i] = changeUnder(item, key, name, below, change)
		}
		return other
	case nil:
		return nil
	}
	if below {
		return change(key, value)
	}
	return value
}

var leadingDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

// changeValue is another value of the same kind.
func changeValue(value any, way int) any {
	switch v := value.(type) {
	case bool:
		return !v
	case float64:
		unit := 1.0
		switch size := math.Abs(v); {
		case size >= 1e11: // milliseconds since 1970
			unit = 24 * 60 * 60 * 1000
		case size >= 1e8: // seconds
			unit = 24 * 60 * 60
		}
		return v + unit*[changes]float64{3, 400, -500, 2000}[way]
	case string:
		return changeText(v, way)
	}
	return value
}

func changeText(text string, way int) string {
	if day, err := time.Parse(time.DateOnly, leadingDate.FindString(text)); err == nil {
		return day.AddDate(0, 0, [changes]int{3, 400, -500, 2000}[way]).Format(time.DateOnly) + text[len(time.DateOnly):]
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && way != 2 {
		_, decimals, _ := strings.Cut(text, ".")
		return strconv.FormatFloat(number+[changes]float64{3, 400, 0, -500}[way], 'f', len(decimals), 64)
	}
	switch way {
	case 0, 1:
		if strings.Contains(text, "\n") {
			return text // one more line is more than another value
		}
	}
	switch way {
	case 0:
		return text + "x"
	case 1:
		return "x" + text
	case 2:
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '8' {
				return r + 1
			}
			return r
		}, text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return 'q'
		}
		return r
	}, text)
}

// sameOutcome says that two executions made the same calls and came to the same end.
func sameOutcome(a, b *replayed) bool {
	if a.Error != nil || b.Error != nil {
		return a.Error != nil && b.Error != nil && a.Error.Message == b.Error.Message
	}
	return sandbox.CanonicalValue(orNull(a.Output)) == sandbox.CanonicalValue(orNull(b.Output)) &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y sandbox.TracedCall) bool {
			return x.Tool == y.Tool && sandbox.Canonical(x.Args) == sandbox.Canonical(y.Args)
		})
}
