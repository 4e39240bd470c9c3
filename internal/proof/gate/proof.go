package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// A fix that nothing speaks against is not proved by that. A proof is what was seen to come out right: recorded successes that
// are given in the new shape what they were given, of which the fix makes what was made. It holds as far as the explanation
// of the new shape is sure, and leaves nothing open that the script names.

// strange are words that stand where recorded runs had the same few again and again.
type strange struct {
	member string
	words  []string
}

// shows says that a finding is a proof of the candidate, as far as the explanation is right.
func (f finding) shows() bool {
	return f.world.score >= certain && f.divergence == nil && !f.unanswered && len(f.world.runs) > 0
}

// unproved is why nothing shows that a candidate is right, empty if something does.
func (q *inquiry) unproved() string {
	if len(q.tried) == 0 && q.gate.ownFault() {
		return ""
	}
	if len(q.tried) == 0 {
		return "not proved: no recorded run tells what a right fix makes of what is given now" + q.besideEachOther()
	}
	for _, f := range q.tried {
		w := f.world
		for _, name := range w.changed {
			if name != "input" && !slices.ContainsFunc(q.seen.calls, func(c observedCall) bool { return strings.HasPrefix(name, c.template) }) {
				return fmt.Sprintf("not proved: the fix does not ask for %s, where %s", name, w.says) + q.besideEachOther()
			}
		}
		switch {
		case f.divergence != nil && w.score >= certain:
			return "not proved: recorded runs, given what is given now, do not come out as they did" + q.besideEachOther()
		case f.unanswered:
			return fmt.Sprintf("not proved: if %s, the fix asks for what no recorded run asked for", w.says) + q.besideEachOther()
		case !f.shows(), len(w.fills) > 0 && w.plain < certain:
			return fmt.Sprintf("not proved: it is not sure that %s", w.says) + q.besideEachOther()
		case w.left != "":
			q.half = true
			return fmt.Sprintf("not proved: %s, and nothing tells what became of %s", w.says, w.left) + q.besideEachOther()
		}
		for _, name := range w.fills {
			if q.words[name] {
				q.half = true
				return fmt.Sprintf("not proved: no recorded run had %s, which the fix reads", name) + q.besideEachOther()
			}
		}
		for _, s := range w.words {
			if q.gate.old.Words[s.member] > 0 || q.words[s.member] {
				return fmt.Sprintf("not proved: %s was never %s before, and nothing recorded tells what is made of that", s.member, strings.Join(s.words, " or ")) + q.besideEachOther()
			}
		}
	}
	return ""
}

// besideEachOther is what the newest success came to, and what the mended run comes to.
func (q *inquiry) besideEachOther() string {
	if !q.complete || len(q.gate.kept) == 0 {
		return ""
	}
	newest := slices.MaxFunc(q.gate.kept, func(a, b known) int { return a.run.Clock.Compare(b.run.Clock) })
	before, now := ended(&newest.outcome), ended(q.outcome)
	if before == "" || now == "" {
		return ""
	}
	return fmt.Sprintf("; the last success came to %s, the mended run comes to %s", before, now)
}

// ended is the first write of a run, or else its output, for people.
func ended(outcome *replayed) string {
	if writes := writesOf(outcome); len(writes) > 0 {
		return cut(showCall(writes[0].Tool, writes[0].Args))
	}
	if len(outcome.Output) > 0 && string(outcome.Output) != "null" {
		return cut(string(outcome.Output))
	}
	return ""
}

// ownFault says that the script names what is nowhere: no other data make that right. A method that is none may come of other data,
// unless nothing that the script was given is as it never was.
func (g *Gate) ownFault() bool {
	failure := g.subject.Failed.Outcome.Error
	if failure == nil || failure.Name == "ReferenceError" {
		return failure != nil
	}
	return (strings.Contains(failure.Message, "is not a function") || strings.HasPrefix(failure.Message, "Object has no member")) && len(g.kept) > 0 &&
		!slices.ContainsFunc(Changes(g.subject.Code, &g.subject.Failed, g.subject.Successes), func(c Changed) bool { return c.How != payload.IsNew })
}

// leftOpen is what an explanation leaves open, by recorded successes carried into the new shape: a place that the script names
// and that the failing run has nowhere, though that is no chance, or something with such a name is new; and words that are new where the same few stood
// again and again.
func (g *Gate) leftOpen(carried []*Run, fills []string) (left string, words []strange) {
	e := g.evidence()
	if g.old == nil {
		return "", nil
	}
	type rate struct{ elements, having int }
	rates := map[place]*rate{}
	texts, sizes := map[place][]map[string]bool{}, map[place][]float64{}
	var runs []observed
	for _, run := range carried {
		o := e.templates.observeRecorded(run)
		runs = append(runs, o)
		for at, found := range placesOf(&o) {
			if rates[at] == nil && g.old.Words[found[0].key] > 0 {
				rates[at] = &rate{}
			}
			if said := textsOf(found); len(said) > 0 {
				texts[at] = append(texts[at], said)
			}
			sizes[at] = append(sizes[at], sizesOf(found)...)
		}
	}
	for i := range runs {
		having := placesOf(&runs[i])
		for at, r := range rates {
			n := elements(&runs[i], at)
			r.elements, r.having = r.elements+n, r.having+min(n, len(having[at]))
		}
	}
	now := placesOf(&e.failing)
	answered := map[string]bool{}
	for _, a := range e.failing.answered() {
		answered[a.source] = true
	}
	for _, at := range slices.SortedFunc(maps.Keys(rates), place.compare) {
		r := rates[at]
		if !answered[at.Source] || len(now[at]) > 0 {
			continue
		}
		name := lastStep(at.Path)
		if slices.ContainsFunc(fills, func(fill string) bool { return alike(fill, name) }) || math.Pow(1-float64(r.having)/float64(max(1, r.elements)), float64(elements(&e.failing, at))) < veryUnlikely {
			return strings.TrimPrefix(at.Path, "."), nil
		}
	}
	filled := map[string]int{} // lists, with all that recorded runs had in them
	for i := range runs {
		for path, n := range arrayLengths(&runs[i]) {
			filled[path] += n
		}
	}
	for path, n := range arrayLengths(&e.failing) {
		if was, had := filled[path]; had && was == 0 && n > 0 {
			return "what is in " + lastStep(path), nil
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(sizes), place.compare) {
		if is := sizesOf(now[at]); len(is) > 0 && g.old.Words[now[at][0].key] > 0 && otherUnit(sizes[at], is) {
			return "the unit of " + strings.TrimPrefix(at.Path, "."), nil
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(texts), place.compare) {
		if found := newWords(texts[at], textsOf(now[at])); len(found) > 0 {
			words = append(words, strange{now[at][0].key, found})
		}
	}
	return "", words
}

// sizesOf are the numbers at a place, by their size. A zero has no unit.
func sizesOf(leaves []leaf) []float64 {
	var found []float64
	for _, l := range leaves {
		if n, is := l.value.(float64); is && n != 0 {
			found = append(found, math.Abs(n))
		}
	}
	return found
}

// otherUnit says that numbers are so much larger, or smaller, than those that stood there that they count something else: several by
// their middle, and any if they are far outside of all that were.
func otherUnit(was, is []float64) bool {
	const least, times, outside = 5, 30, 6
	slices.Sort(was)
	slices.Sort(is)
	if len(was) < least {
		return false
	}
	ratio := is[len(is)/2] / was[len(was)/2]
	apart := slices.Min(is) > slices.Max(was) || slices.Max(is) < slices.Min(was)
	far := func(by float64) bool { return ratio >= by || ratio <= 1/by }
	return far(times) && len(is) >= 3 || apart && far(outside) && len(is) >= 2 || apart && far(times)
}

// textsOf are the words at a place. A text in the form of an address, a date or an amount is no word.
func textsOf(leaves []leaf) map[string]bool {
	found := map[string]bool{}
	for _, l := range leaves {
		text, ok := l.value.(string)
		if form := payload.FormatOf(text); ok && (!payload.IsSpecific(form) || payload.IsNumber(form) && !strings.ContainsAny(text, ".,")) {
			found[text] = true
		}
	}
	return found
}

// newWords are the words that no run had before, if that many are no chance: going by how many words of a run no other run has.
func newWords(runs []map[string]bool, now map[string]bool) []string {
	counts := map[string]int{}
	all, once := 0, 0
	for _, words := range runs {
		for word := range words {
			counts[word]++
			all++
		}
	}
	for _, n := range counts {
		if n == 1 {
			once++
		}
	}
	found := slices.DeleteFunc(slices.Sorted(maps.Keys(now)), func(word string) bool { return counts[word] > 0 })
	if len(found) == 0 || atLeast(len(found), len(now), float64(once+1)/float64(all+2)) >= noChance {
		return nil
	}
	return found
}

// veryUnlikely is the chance below which it is no chance that a place which was not in every element is in none.
const veryUnlikely = 0.02

// noChance is the likelihood below which a proof takes nothing for chance.
const noChance = 0.05

// atLeast is how likely it is that so many of all turn out so, each with a probability.
func atLeast(many, all int, probability float64) float64 {
	sum := 0.0
	for n := many; n <= all; n++ {
		ways := 1.0
		for i := range n {
			ways = ways * float64(all-i) / float64(i+1)
		}
		sum += ways * math.Pow(probability, float64(n)) * math.Pow(1-probability, float64(all-n))
	}
	return sum
}
