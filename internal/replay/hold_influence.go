package replay

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// lostInfluence holds a fix whose mended run does not depend on what every recorded success
// depended on: what stands for it is then made up. What decided before must decide the same
// sinks now, where it was or in one new place for all of them; for items that lack it, in
// each of them. Where the payload has nothing new that could be it, a text may be left out,
// a number or a yes or no may not.
func lostInfluence(ctx context.Context, q *inquiry) ([]string, error) {
	if !q.complete || q.gate.old == nil || !q.gate.failing.Reproduced {
		return nil, nil
	}
	needs, err := q.gate.influences(ctx)
	if err != nil {
		return nil, err
	}
	needs = slices.DeleteFunc(slices.Clone(needs), func(n influence) bool { return n.Depended < n.Runs-n.Short || n.Depended < enough })
	s := q.survey()
	var lost []place
	for _, need := range needs {
		var reason string
		var err error
		switch given := s.now[need.place]; {
		case len(given) == 0 && s.ofAnotherKind(need.place):
		case len(given) > 0:
			if need.Short == 0 && !q.proven { // else this day may be one of those, too
				reason, err = s.stillDecides(ctx, need)
			}
			if err == nil && reason == "" && need.Part == "" {
				reason, err = s.replacedInSome(ctx, need)
			}
		case q.proven: // what stands in its place was seen to decide
		case need.Part == "" && s.goneByChance(need.place) < unlikely:
			reason, err = s.replaced(ctx, need, nil)
			if s.lackingByChance(need.place) < veryUnlikely && !s.emptyNow(need.place) {
				lost = append(lost, need.place)
			}
		case parts[need.Part] == nil:
			reason, err = s.unfolded(ctx, need)
		}
		if err != nil || reason != "" {
			return []string{reason}, err
		}
	}
	if reason, err := s.shared(ctx, lost); err != nil || reason != "" {
		return []string{reason}, err
	}
	if q.proven {
		return nil, nil
	}
	return s.leftOut(ctx)
}

// ofAnotherKind says that a place is not there for what stands there now: a member on its way never stood beside one that
// the failing run has, as that of an event of another kind.
func (s *survey) ofAnotherKind(at place) bool {
	holder := ""
	for _, step := range pathStep.FindAllString(at.Path, -1) {
		member := bareStep(step)
		with, now := map[string]bool{}, map[string]bool{}
		known := map[string]bool{}
		for i := range s.successes {
			s.objectsAt(&s.successes[i], at.Source, holder, func(o map[string]any) {
				for key := range o {
					known[key] = true
					with[key] = with[key] || o[member] != nil && o[key] != nil
				}
			})
		}
		there := false
		s.objectsAt(&s.seen, at.Source, holder, func(o map[string]any) {
			there = there || o[member] != nil
			for key, value := range o {
				now[key] = value != nil
			}
		})
		for key, is := range now {
			if is && !there && known[key] && !with[key] && s.gate.old.Words[key] > 0 {
				return true
			}
		}
		holder += step
	}
	return false
}

// objectsAt visits the objects that a run was given at a path.
func (s *survey) objectsAt(o *observed, source, at string, visit func(map[string]any)) {
	for _, a := range o.answered() {
		if a.source == source {
			eachMember(a.value, "", s.gate.old.Words, func(path string, value any) {
				if object, is := value.(map[string]any); is && path == at {
					visit(object)
				}
			})
		}
	}
}

// hasOwn says that a new place decides in the place of one that is gone, and of no other.
func (s *survey) hasOwn(gone place) bool {
	return slices.ContainsFunc(s.instead[gone], func(at place) bool {
		for other, found := range s.instead {
			if other != gone && slices.Contains(found, at) {
				return false
			}
		}
		return true
	})
}

// shared says which places that are gone have no new place of their own: one cannot be two values.
func (s *survey) shared(ctx context.Context, lost []place) (string, error) {
	taken := map[place]place{}
	var settle func(gone place, asked map[place]bool) bool
	settle = func(gone place, asked map[place]bool) bool {
		for _, at := range slices.Concat(s.instead[gone], s.partly[gone]) {
			if asked[at] || s.ofAnother(gone, at) {
				continue
			}
			asked[at] = true
			if other, is := taken[at]; !is || s.oneValue(gone, other, at) || settle(other, asked) {
				taken[at] = gone
				return true
			}
		}
		return false
	}
	for _, gone := range lost {
		if len(s.instead[gone]) > 0 && !settle(gone, map[place]bool{}) {
			own, err := s.decidesElsewhere(ctx, gone, taken)
			if err != nil {
				return "", err
			}
			if own {
				continue
			}
			at := s.instead[gone][0]
			if _, is := taken[at]; !is {
				return fmt.Sprintf("value ignored in part: %s is gone, and in its place only %s decides, which stands for another", gone, at), nil
			}
			return fmt.Sprintf("value ignored in part: %s is gone and %s is, too, and only %s decides in their places", gone, taken[at], at), nil
		}
	}
	return "", nil
}

// ofAnother says that a new place has the name of another one that is gone: it is that one, moved.
func (s *survey) ofAnother(gone, at place) bool {
	name := flatName(lastStep(at.Path))
	if name == "" || gone.covers(at.Path) || name == flatName(lastStep(gone.Path)) || alike(lastStep(gone.Path), lastStep(at.Path)) {
		return false
	}
	for _, places := range s.recorded {
		for other := range places {
			if len(s.now[other]) == 0 && other.Part == "" && flatName(lastStep(other.Path)) == name {
				return true
			}
		}
	}
	return false
}

// lastStep is the name of the innermost member of a path.
func lastStep(path string) string {
	for _, step := range slices.Backward(pathStep.FindAllString(path, -1)) {
		if name := bareStep(step); name != "" {
			return name
		}
	}
	return ""
}

// decidesElsewhere says that some new place which nothing is matched with decides on other data of the new shape: this day
// leaves out what has to do with it.
func (s *survey) decidesElsewhere(ctx context.Context, gone place, taken map[place]place) (bool, error) {
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
		if _, is := taken[at]; is || s.ofAnother(gone, at) {
			continue
		}
		if changed, err := s.inVariations(ctx, at, nil, nil, nil); err != nil || len(changed) > 0 {
			return len(changed) > 0, err
		}
	}
	return false, nil
}

// oneValue says that one new place may be two that are gone: they always said the same, or it is a text of several parts.
func (s *survey) oneValue(a, b, at place) bool {
	if slices.Equal(s.had(a), s.had(b)) {
		return true
	}
	return !slices.ContainsFunc(s.fresh[at], func(l leaf) bool {
		text, isText := l.value.(string)
		return !isText || len(strings.Fields(text)) < 2
	})
}

// leftOut holds a fix that reads one of several lists: whatever is said in what stands beside it, and looks the same,
// decides nothing.
func (s *survey) leftOut(ctx context.Context) ([]string, error) {
	probed := s.of(s.run, s.base, nil)
	beside := map[place]bool{} // what stands beside something that is read, and whether anything in it decides
	read := map[place]place{}
	for _, gone := range slices.SortedFunc(maps.Keys(s.instead), place.compare) {
		for _, at := range s.instead[gone] {
			for _, other := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
				if holder, is := besides(at, other); is {
					beside[holder], read[holder] = false, at
				}
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
		for holder, decides := range beside {
			if decides || at.Source != holder.Source || !isBelow(at.Path, holder.Path) {
				continue
			}
			changed := s.tried[at]
			if len(changed) == 0 {
				var err error
				if _, changed, err = probed.sinks(ctx, at, nil, nil); err != nil {
					return nil, err
				}
			}
			beside[holder] = len(changed) > 0
		}
	}
	for _, holder := range slices.SortedFunc(maps.Keys(beside), place.compare) {
		// The data may say which of several elements are read.
		if !beside[holder] && !slices.Contains(slices.Collect(maps.Values(beside)), true) {
			return []string{fmt.Sprintf("new shape ignored: the fix reads %s, and nothing of %s beside it", read[holder], strings.TrimPrefix(holder.Path, "."))}, nil
		}
	}
	return nil, nil
}

// besides says that two new places are the same member in lists that stand side by side, and which list's holder the other
// one is of.
func besides(at, other place) (holder place, is bool) {
	a, b := pathStep.FindAllString(at.Path, -1), pathStep.FindAllString(other.Path, -1)
	if at.Source != other.Source || len(a) != len(b) {
		return holder, false
	}
	differs := -1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if differs >= 0 || a[i] == "[*]" || b[i] == "[*]" {
			return holder, false
		}
		differs = i
	}
	// The values of one list are one thing: what an element says of itself, or by which member it says its kind, stands beside nothing.
	if differs < 0 || slices.Contains(a[:differs], "[*]") || !slices.Contains(a[differs:len(a)-1], "[*]") {
		return holder, false
	}
	return place{Source: other.Source, Path: strings.Join(b[:differs+1], "")}, true
}

// survey is where the failing run was given values, beside the recorded ones.
type survey struct {
	*inquiry
	base     map[string][]string // the mended run's sinks
	now      map[place][]leaf    // in the words of the old code
	fresh    map[place][]leaf    // what no recorded run had, every key spelled out
	recorded []map[place][]leaf  // of each success, in the words of the old code
	named    map[place]bool      // every member that a recorded run had, null or not
	tried    map[place][]string  // sinks of fresh places that were found
	instead  map[place][]place   // fresh places that decide what one that is gone decided
	partly   map[place][]place   // texts that decide some of what such a text did: this day may leave out what else they do
}

func (q *inquiry) survey() *survey {
	s := &survey{inquiry: q, named: map[place]bool{}, tried: map[place][]string{}, instead: map[place][]place{}, partly: map[place][]place{}}
	s.base = q.templates.sinks(q.gate.old.Words, q.outcome)
	s.now = placesOf(&q.seen, q.gate.old.Words)
	s.fresh = placesOf(&q.seen, nil)
	for i := range min(len(q.successes), mostProbed) {
		s.recorded = append(s.recorded, placesOf(&q.successes[i], q.gate.old.Words))
		for _, a := range q.successes[i].answered() {
			eachMember(a.value, "", nil, func(path string, _ any) { s.named[place{Source: a.source, Path: path}] = true })
		}
	}
	maps.DeleteFunc(s.fresh, func(at place, _ []leaf) bool { return at.Part != "" || s.named[at] })
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare)[min(len(s.fresh), mostFresh):] {
		delete(s.fresh, at)
	}
	return s
}

// mostFresh bounds how many new places are looked at.
const mostFresh = 60

// eachMember visits the paths of all members and items, in some words.
func eachMember(value any, path string, words map[string]int, visit func(path string, value any)) {
	visit(path, value)
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			eachMember(member, path+step(words, key), words, visit)
		}
	case []any:
		for _, item := range v {
			eachMember(item, path+"[*]", words, visit)
		}
	}
}

// of probes the candidate on a run.
func (s *survey) of(run *Run, base map[string][]string, words map[string]int) *probe {
	return &probe{gate: s.gate, code: s.code, run: run, base: base, words: words, known: s.vocabulary}
}

// wanted are the sinks that have to come out otherwise in the mended run, too: those that it
// has, and the calls that it makes or could make.
func (s *survey) wanted(sinks []string) []string {
	return slices.DeleteFunc(slices.Clone(sinks), func(sink string) bool {
		return len(s.base[sink]) == 0 && !strings.HasPrefix(sink, callsOf) || sink == endSink || strings.Contains(sink, argsOf) && s.fixed(sink)
	})
}

// missing are the wanted sinks that did not change. A run that fails comes to none of them.
func missing(wanted, changed []string) []string {
	if slices.Contains(changed, endSink) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(sink string) bool { return slices.Contains(changed, sink) })
}

// fixed says that a sink of a write was the same in all recorded runs that made it: it says no more than that the write is made.
func (s *survey) fixed(sink string) bool {
	var value []string
	for i := range s.gate.kept {
		for _, one := range s.templates.sinks(s.gate.old.Words, &s.gate.kept[i].outcome)[sink] {
			if value = append(value, one); one != value[0] {
				return false
			}
		}
	}
	return true
}

// stillDecides looks at a place that is where it was.
func (s *survey) stillDecides(ctx context.Context, need influence) (string, error) {
	_, changed, err := s.of(s.run, s.base, s.gate.old.Words).sinks(ctx, need.place, nil, s.wanted(need.Sinks))
	if err != nil || len(changed) > 0 && len(missing(s.wanted(need.Sinks), changed)) == 0 {
		return "", err
	}
	// Perhaps the data of this day leave out what has to do with it.
	changed, err = s.inVariations(ctx, need.place, s.gate.old.Words, s.wanted(need.Sinks), changed)
	if err != nil || len(changed) > 0 && len(missing(s.wanted(need.Sinks), changed)) == 0 {
		return "", err
	}
	if shown, err := s.inCarried(ctx, need.place, s.gate.old.Words, need.Sinks); err != nil || shown {
		return "", err
	}
	if len(changed) > 0 {
		return fmt.Sprintf("value ignored in part: %s does not decide %s, as it did in every recorded run", need.place, missing(s.wanted(need.Sinks), changed)[0]), nil
	}
	return fmt.Sprintf("value ignored: whatever %s says, the mended run does the same; every recorded run depends on it", need.place), nil
}

// inVariations are the sinks that a place decides on other data of the new shape, until they are all that are wanted.
func (s *survey) inVariations(ctx context.Context, at place, words map[string]int, wanted, changed []string) ([]string, error) {
	runs, err := s.variations(ctx)
	if err != nil {
		return changed, err
	}
	for i := range runs {
		base := s.templates.sinks(s.gate.old.Words, &runs[i].outcome)
		_, more, err := s.of(&runs[i].run, base, words).sinks(ctx, at, nil, nil)
		if changed = append(changed, more...); err != nil || len(changed) > 0 && len(missing(wanted, changed)) == 0 {
			return changed, err
		}
	}
	return changed, nil
}

// inCarried says that recorded successes in the new shape show that a place decides what it or the lost one did, whatever
// the day that failed leaves out. Only the one sure explanation of what changed shows anything, and only if the mended
// script asks for nothing else in any of them.
func (s *survey) inCarried(ctx context.Context, at place, words map[string]int, sinks []string) (bool, error) {
	worlds, err := s.gate.carriedWorlds(ctx)
	if err != nil || len(worlds) != 1 || worlds[0].score < certain {
		return false, err
	}
	outcomes, err := s.gate.replayAll(ctx, s.code, worlds[0].runs, nil)
	if err != nil || slices.ContainsFunc(outcomes, func(outcome replayed) bool { return isUnanswerable(&outcome) }) {
		return false, err
	}
	var decided []string
	for i, run := range worlds[0].runs[:min(len(outcomes), mostProbed)] {
		_, changed, err := s.of(run, s.templates.sinks(s.gate.old.Words, &outcomes[i]), words).sinks(ctx, at, nil, nil)
		if err != nil {
			return false, err
		}
		if decided = append(decided, changed...); len(decided) > 0 && len(missing(sinks, decided)) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// always says that recorded runs had a place in each element of the innermost list around it.
func (s *survey) always(at place) bool { return s.rate(at) == 1 }

// lackingByChance is how likely it is that none of the items of the outermost list around a place has it in the failing
// run, going by how many had it before: an inner list may be empty, or not there.
func (s *survey) lackingByChance(at place) float64 {
	items, with := 0, 0
	for i, places := range s.recorded {
		all, having := itemsOf(&s.successes[i], at, s.gate.old.Words)
		if strings.Contains(at.Path, "[*]") {
			items, with = items+len(all), with+len(having)
		} else {
			items, with = items+1, with+min(1, len(places[at]))
		}
	}
	now := 1
	if outer, _, inList := strings.Cut(at.Path, "[*]"); inList {
		now = s.elements(&s.seen, place{Source: at.Source, Path: outer + "[*]"})
	}
	return math.Pow(1-float64(with)/float64(max(1, items)), float64(max(1, now)))
}

// unlikely is the chance below which it is no chance that a place which was not in every element is in none.
const unlikely = 0.1

// veryUnlikely is the same for what a place of its own is asked for.
const veryUnlikely = 0.02

// goneByChance is how likely it is that no element of the failing run has a place, going by how many had it before.
func (s *survey) goneByChance(at place) float64 {
	return math.Pow(1-s.rate(at), float64(max(1, s.elements(&s.seen, at))))
}

// emptyNow says that the list around a place is there, and has nothing in it.
func (s *survey) emptyNow(at place) bool {
	list := strings.LastIndex(at.Path, "[*]")
	there := false
	for _, a := range s.seen.answered() {
		if a.source == at.Source && list >= 0 {
			eachMember(a.value, "", s.gate.old.Words, func(path string, value any) {
				_, isList := value.([]any)
				there = there || isList && path == at.Path[:list]
			})
		}
	}
	return there && s.elements(&s.seen, at) == 0
}

// rate is in how many of the elements of the innermost list around it recorded runs had a place.
func (s *survey) rate(at place) float64 {
	all, having := 0, 0
	for i, places := range s.recorded {
		elements := s.elements(&s.successes[i], at)
		all += elements
		having += min(elements, len(places[at]))
	}
	return float64(having) / float64(max(1, all))
}

// elements are those of the innermost list around a place.
func (s *survey) elements(o *observed, at place) int { return elements(o, at, s.gate.old.Words) }

func elements(o *observed, at place, words map[string]int) int {
	list := ""
	if inner := strings.LastIndex(at.Path, "[*]"); inner >= 0 {
		list = at.Path[:inner+len("[*]")]
	}
	count := 0
	for _, a := range o.answered() {
		if a.source == at.Source {
			eachMember(a.value, "", words, func(path string, _ any) {
				if path == list {
					count++
				}
			})
		}
	}
	return count
}

// lacking are the items that do not have a member which every recorded item had.
func (s *survey) lacking(at place) map[string]bool {
	all, having := itemsOf(&s.seen, at, s.gate.old.Words)
	if len(having) == 0 || len(having) == len(all) || !s.always(at) {
		return nil
	}
	maps.DeleteFunc(all, func(item string, _ bool) bool { return having[item] })
	return all
}

// replacedInSome looks at the items that lack what every recorded one had: in each of them
// something must decide now what each recorded item decided by itself.
func (s *survey) replacedInSome(ctx context.Context, need influence) (string, error) {
	lacking := s.lacking(need.place)
	if len(lacking) == 0 {
		return "", nil
	}
	each := true
	need.Sinks = nil
	for i := range min(len(s.successes), mostChecked) {
		k := &s.gate.kept[i]
		old := probe{gate: s.gate, code: s.gate.subject.Code, run: k.run, words: s.gate.old.Words, known: s.vocabulary}
		old.base = old.sinksOf(&k.outcome)
		_, having := itemsOf(&s.successes[i], need.place, s.gate.old.Words)
		for _, item := range slices.Sorted(maps.Keys(having))[:min(len(having), mostChecked)] {
			_, changed, err := old.sinks(ctx, need.place, map[string]bool{item: true}, nil)
			if err != nil {
				return "", err
			}
			if each = each && len(changed) > 0; need.Sinks == nil {
				need.Sinks = changed
			}
			need.Sinks = slices.DeleteFunc(need.Sinks, func(sink string) bool { return !slices.Contains(changed, sink) })
		}
	}
	if !each || len(lacking) > mostFresh {
		need.Sinks = nil // some items decide nothing: what is said of one may not hold for another
		return s.replaced(ctx, need, lacking)
	}
	for _, item := range slices.Sorted(maps.Keys(lacking)) {
		if reason, err := s.replaced(ctx, need, map[string]bool{item: true}); err != nil || reason != "" {
			return reason, err
		}
	}
	return "", nil
}

// itemsOf are the items of the outermost list around a place, and those that have it.
func itemsOf(o *observed, at place, words map[string]int) (all, having map[string]bool) {
	all, having = map[string]bool{}, map[string]bool{}
	list, _, inList := strings.Cut(at.Path, "[*]")
	if !inList {
		return all, having
	}
	for _, a := range o.answered() {
		if a.source != at.Source {
			continue
		}
		mapLeaves(a.value, words, leaf{}, func(l leaf) any {
			if l.item != "" && strings.HasPrefix(l.path, list+"[*]") {
				all[l.item] = true
				having[l.item] = having[l.item] || l.path == at.Path
			}
			return l.value
		})
	}
	maps.DeleteFunc(having, func(_ string, has bool) bool { return !has })
	return all, having
}

// replaced looks for what decides now in the place of what is gone, in some items or in all.
func (s *survey) replaced(ctx context.Context, need influence, only map[string]bool) (string, error) {
	if !slices.ContainsFunc(s.seen.answered(), func(a answer) bool { return a.source == need.Source }) {
		return "", nil // nothing was answered at all
	}
	wanted := s.wanted(need.Sinks)
	probed := s.of(s.run, s.base, nil)
	lost := s.lossAt(need.place, only)
	partly, likely := "", ""
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
		if only != nil && !slices.ContainsFunc(s.fresh[at], func(l leaf) bool { return only[l.item] }) {
			continue
		}
		changed, done := s.tried[at]
		if !done && only == nil && s.hasOwn(need.place) {
			continue
		}
		if !done || only != nil {
			var err error
			if _, changed, err = probed.sinks(ctx, at, only, wanted); err != nil {
				return "", err
			}
			if len(changed) == 0 { // that it is there at all may be what counts
				there, err := probed.isThere(ctx, s.outcome, at, only)
				if err != nil {
					return "", err
				}
				if there {
					changed = wanted
				}
			}
			if only == nil {
				s.tried[at] = changed
			}
		}
		switch missed := missing(wanted, changed); {
		case len(changed) > 0 && len(missed) == 0:
			if only != nil {
				return "", nil
			}
			s.instead[need.place] = append(s.instead[need.place], at)
		case len(changed) > 0 && len(missed) < len(wanted):
			if !slices.ContainsFunc(s.fresh[at], func(l leaf) bool { return !isNoMeasure(l.value) }) && !slices.ContainsFunc(s.had(need.place), func(v any) bool { return !isNoMeasure(v) }) {
				s.partly[need.place] = append(s.partly[need.place], at)
			}
			// Perhaps the data of this day leave out what else it decides.
			more, err := s.inVariations(ctx, at, nil, wanted, changed)
			if missed = missing(wanted, more); err != nil {
				return "", err
			}
			if len(missed) == 0 {
				s.instead[need.place] = append(s.instead[need.place], at)
			} else {
				partly = missed[0]
			}
		case len(s.instead[need.place]) == 0 && len(changed) == 0 && s.couldBe(need.place, lost, at):
			proven, err := s.inCarried(ctx, at, nil, need.Sinks)
			if err != nil {
				return "", err
			}
			if proven {
				return "", nil
			}
			likely = at.Path
		}
	}
	switch {
	case len(s.instead[need.place]) > 0:
		return s.otherValues(ctx, need.place)
	case partly != "":
		return fmt.Sprintf("value ignored in part: %s is gone, and nothing in its place decides %s, as it did in every recorded run", need.place, partly), nil
	case likely != "":
		return fmt.Sprintf("new shape ignored: %s is gone, %s is new, and the fix does not depend on it", need.place, strings.TrimPrefix(likely, ".")), nil
	}
	derived, other, err := s.derives(ctx, need.place, lost)
	switch {
	case err != nil || derived:
		return "", err
	case other.Source != "":
		return fmt.Sprintf("stand-in: the fix reads %s in the place of %s, and in recorded runs it is something else", other, need.place), nil
	case only == nil && lost == need.Path && !slices.ContainsFunc(s.had(need.place), isNoMeasure):
		return fmt.Sprintf("value gone: %s is gone, every recorded run depends on it, and the fix finds nothing in its place", need.place), nil
	}
	return "", nil
}

// otherValues says that a new place has the values of one that is gone, and that the fix reads another in its place.
func (s *survey) otherValues(ctx context.Context, gone place) (string, error) {
	had := map[any]bool{}
	for _, value := range s.had(gone) {
		text, isText := value.(string)
		number, isNumber := value.(float64)
		had[value] = isText && len(text) > 2 || isNumber && math.Abs(number) >= 1000
	}
	var like []place
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
		same := map[any]bool{}
		n := 0
		for _, l := range s.fresh[at] {
			if had[l.value] {
				same[l.value] = true
				n++
			}
		}
		if at.Source == gone.Source && len(same) >= enough && 2*n > len(s.fresh[at]) {
			like = append(like, at)
		}
	}
	for _, at := range like {
		changed := s.tried[at]
		if len(changed) == 0 {
			var err error
			if _, changed, err = s.of(s.run, s.base, nil).sinks(ctx, at, nil, nil); err == nil && len(changed) == 0 {
				changed, err = s.inVariations(ctx, at, nil, nil, nil)
			}
			if err != nil {
				return "", err
			}
		}
		if len(changed) > 0 {
			return "", nil
		}
	}
	if len(like) == 0 {
		return "", nil
	}
	return fmt.Sprintf("new shape ignored: %s has the values that %s had, and the fix does not depend on it", like[0], gone), nil
}

// unfolded looks at a value that stood behind its name in a text, where the text is an object
// now that has a member of the name.
func (s *survey) unfolded(ctx context.Context, need influence) (string, error) {
	for _, at := range slices.SortedFunc(maps.Keys(s.fresh), place.compare) {
		if at.Source != need.Source || !need.covers(at.Path) || s.fresh[at][0].key != need.Part {
			continue
		}
		wanted := s.wanted(need.Sinks)
		_, changed, err := s.of(s.run, s.base, nil).sinks(ctx, at, nil, wanted)
		if err != nil || len(changed) > 0 && len(missing(wanted, changed)) == 0 {
			return "", err
		}
		return fmt.Sprintf("value ignored: %s was in a text and is a member now, and the mended run does not depend on it as every recorded run did", need.place), nil
	}
	return "", nil
}

// had are the values that recorded runs had at a place.
func (s *survey) had(at place) []any {
	var values []any
	for _, places := range s.recorded {
		for _, l := range places[at] {
			values = append(values, l.value)
		}
	}
	return values
}

// isNoMeasure says that a value is neither a number nor a yes or no.
func isNoMeasure(value any) bool {
	switch value.(type) {
	case float64, bool:
		return false
	}
	return true
}

// lossAt is the shortest path to a place that is gone that nothing has any more: it, or what held it.
func (s *survey) lossAt(at place, only map[string]bool) string {
	path := ""
	for _, step := range pathStep.FindAllString(at.Path, -1) {
		path += step
		there := false
		for other, leaves := range s.now {
			there = there || other.Source == at.Source && isBelow(other.Path, path) &&
				(only == nil || slices.ContainsFunc(leaves, func(l leaf) bool { return only[l.item] }))
		}
		if !there {
			return path
		}
	}
	return at.Path
}

// couldBe says that a new place stands where what is gone stood, and looks like it: by its
// name, by its values, or by the form that they have.
func (s *survey) couldBe(gone place, lost string, at place) bool {
	steps := pathStep.FindAllString(lost, -1)
	if at.Source != gone.Source || len(steps) == 0 {
		return false
	}
	if gone.covers(at.Path) {
		return true // what was a value is an object now
	}
	holder := strings.Join(steps[:len(steps)-1], "")
	rest, inside := strings.CutPrefix(at.Path, holder)
	if first := pathStep.FindString(rest); !inside || s.named[place{Source: at.Source, Path: holder + first}] {
		return false
	}
	name, member := bareStep(steps[len(steps)-1]), bareStep(pathStep.FindString(rest))
	if name != "" && member != "" && alike(name, member) {
		return true
	}
	if all := pathStep.FindAllString(at.Path, -1); name != "" && flatName(bareStep(all[len(all)-1])) == flatName(name) {
		return true // it moved into something new
	}
	had, values := map[any]bool{}, s.had(gone)
	for _, value := range values {
		had[value] = true
	}
	format := payload.ProfileOf(values).Format()
	same := 0
	for _, l := range s.fresh[at] {
		if text, ok := l.value.(string); ok && (had[text] || payload.IsSpecific(format) && payload.FormatOf(text) == format) {
			same++
		}
	}
	return same > 0 && 2*same >= len(s.fresh[at]) && !aboutTheAnswer.MatchString(member)
}

// bareStep is the name of the member that a step is to; empty if it is to items.
func bareStep(step string) string { return strings.Trim(step, `.[]"*`) }

// derives says that the fix finds a lost value without looking at it: with the value taken out
// of what they were given, all recorded runs come to the same end. Otherwise it tells the place
// that decides more once the value is gone than it did beside it: what stands in for it.
func (s *survey) derives(ctx context.Context, at place, lost string) (derived bool, other place, err error) {
	for i := range min(len(s.gate.kept), mostProbed) {
		run := s.gate.kept[i].run
		full := s.of(run, nil, s.gate.old.Words)
		without, differs := full.without(at.Source, lost)
		if !differs {
			continue
		}
		outcome, err := s.gate.execute(ctx, s.code, &without)
		if err != nil || outcome.Error != nil {
			return false, other, err
		}
		if compareSuccess(run, &outcome) == nil {
			continue
		}
		if s.isWorse(&outcome) {
			return false, other, nil
		}
		other, err = s.standsIn(ctx, i, &without, at)
		return false, other, err
	}
	return true, other, nil
}

// standsIn is the place that decides more in a recorded run without a value than with it.
func (s *survey) standsIn(ctx context.Context, run int, without *Run, lost place) (place, error) {
	words := maps.Clone(s.gate.old.Words)
	for word, n := range s.candidate.Words {
		words[word] += n
	}
	for _, at := range slices.SortedFunc(maps.Keys(placesOf(&s.successes[run], words)), place.compare) {
		if at == lost || at.Part != "" {
			continue
		}
		var weight [2]int
		for n, run := range []*Run{s.gate.kept[run].run, without} {
			p := s.of(run, nil, words)
			changed, _ := p.changed(at, nil, 0)
			before, err := s.gate.execute(ctx, s.code, run)
			if err != nil {
				return place{}, err
			}
			after, err := s.gate.execute(ctx, s.code, &changed)
			if err != nil {
				return place{}, err
			}
			if after.Error != nil {
				break
			}
			weight[n] = wordsApart(p.sinksOf(&before), p.sinksOf(&after))
		}
		if weight[1] > weight[0] {
			return at, nil
		}
	}
	return place{}, nil
}

var wordPattern = pattern.New(`[\pL\pN.]+`)

// wordsApart counts the words that one of two outcomes has more often.
func wordsApart(a, b map[string][]string) int {
	counts := map[string]int{}
	for n, sinks := range []map[string][]string{a, b} {
		for sink, values := range sinks {
			for _, word := range wordPattern.FindAllString(strings.Join(values, " "), -1) {
				counts[sink+word] += 1 - 2*n
			}
		}
	}
	apart := 0
	for _, count := range counts {
		apart += max(count, -count)
	}
	return apart
}

// isWorse says that a run comes to values that the mended run does not have and that are a
// reason to hold.
func (q *inquiry) isWorse(again *replayed) bool {
	other := *q
	other.outcome = again
	other.seen = q.templates.observe(q.gate.subject.Failed.ID, q.gate.subject.Failed.Input, again)
	return len(garbage(&other)) > len(garbage(q)) || len(changedShape(&other)) > len(changedShape(q))
}

// aboutTheAnswer are members that say something of the answer itself. They appear when a
// list is left out because it is empty, and are not the list.
var aboutTheAnswer = pattern.New(`(?i)^(errors?|warnings?|messages?|info|details?|meta|links?|paging|pagination|next|previous|prev|cursor|status|code|reason|title|hint|request_?id|trace_?id)$`)

var nameParts = pattern.New(`[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)

// identifier is what the last word of a name is that tells things apart.
var identifier = pattern.New(`(?i)^(id|gid|uid|uuid|guid|identifier)$`)

// flatName is a name however it is cased: first_name and firstName are the same.
func flatName(name string) string {
	return strings.ToLower(strings.Join(nameParts.FindAllString(name, -1), ""))
}

// alike says that two names have much in common: one holds the other, they share a word
// that says something, or both are the thing's own id.
func alike(a, b string) bool {
	if identifier.MatchString(a) && identifier.MatchString(b) {
		return true
	}
	x, y := flatName(a), flatName(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) >= 3 && strings.Contains(y, x) {
		return true
	}
	words := map[string]bool{}
	for _, part := range nameParts.FindAllString(a, -1) {
		words[singular(part)] = true
	}
	for _, part := range nameParts.FindAllString(b, -1) {
		if word := singular(part); len(word) >= 4 && words[word] {
			return true
		}
	}
	return false
}

func singular(word string) string { return strings.TrimSuffix(strings.ToLower(word), "s") }
