package migration

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

const (
	// plausible is the least score of a move: values that fit, under any name.
	plausible = 0.33
	// guessed is the score of a move for which only speaks that nothing else went or came.
	guessed = 0.5
	// whole is the least score of the only explanation that leaves nothing over.
	whole = 0.65
	// sameName is what it is worth that a member has the same other name in several places.
	sameName = 0.2
	// unsure is the most that a move can have that only some of the values made.
	unsure = 0.4
	// margin is how near a second explanation must come to count beside the best.
	margin = 0.15
	// maxWays bounds how many explanations are told.
	maxWays = 4
	// maxSeen bounds how many values of one place are looked at.
	maxSeen = 400
)

// Infer explains how the shape of a payload changed from the old ones to the fresh ones,
// best explanation first. Nothing is returned if nothing changed, or nothing explains it.
// Keys say what the script spells out: an object by other keys is a map, whose values are explained together.
func Infer(keys payload.Keys, old, fresh []any) []Migration {
	return InferAll(keys, []Change{{old, fresh}})[0]
}

// Change is what one kind of call answered before, and answers now.
type Change struct{ Old, Fresh []any }

// InferAll explains changes that came together: a member that has another name in several places has the same one in all.
func InferAll(keys payload.Keys, changes []Change) [][]Migration {
	found := make([][]Migration, len(changes))
	counts := renames{}
	for i, c := range changes {
		if found[i] = infer(keys, nil, c.Old, c.Fresh); len(found[i]) > 0 {
			found[i][0].root.count(counts)
		}
	}
	maps.DeleteFunc(counts, func(_ [2]string, places int) bool { return places < 2 })
	if len(counts) == 0 {
		return found
	}
	for i, c := range changes {
		if len(found[i]) > 0 {
			found[i] = infer(keys, counts, c.Old, c.Fresh)
		}
	}
	return found
}

// renames count the places at which a member has another name.
type renames map[[2]string]int

func (s *shift) count(into renames) {
	if s == nil {
		return
	}
	for _, m := range s.moves {
		if m.from.beside(m.to) && m.from.last() != m.to.last() && m.convert == nil {
			into[[2]string{m.from.last(), m.to.last()}]++
		}
		m.elements.count(into)
	}
}

func infer(keys payload.Keys, known renames, old, fresh []any) []Migration {
	ways := inferShift(keys, known, old, fresh)
	var found []Migration
	for _, way := range ways {
		if !way.shift.changed() {
			continue
		}
		m := Migration{Score: way.plain, Joint: way.score, root: way.shift}
		if len(ways) == 1 && way.shift.whole(keys) {
			m.Joint = max(m.Joint, whole)
		}
		if m.invents(keys, old, fresh) {
			continue
		}
		way.shift.eachLost("", func(at string) { m.Lost = append(m.Lost, at) })
		way.shift.eachFill(func(at place) { m.Fills = append(m.Fills, at.last()) })
		found = append(found, m)
	}
	return found
}

// invents says that carried payloads have members in each object where no payload had any, before or now: then it is no explanation.
func (m Migration) invents(keys payload.Keys, old, fresh []any) bool {
	var made []any
	for _, value := range old[:min(len(old), maxCarriedToSee)] {
		if carried, ok := m.root.apply(m.root.forget(clone(value))); ok {
			made = append(made, carried)
		}
	}
	was, is := schemaOf(old).Read(keys), schemaOf(fresh).Read(keys)
	carried := schemaOf(made).Like(is)
	return slices.ContainsFunc(carried.All(), func(p *payload.Place) bool {
		holder := p.Path[:max(0, len(p.Path)-1)]
		return p.IsMember() && p.Seen() >= payload.LeastSeen && p.Seen() == carried.Objects(holder) &&
			is.Objects(holder) > 1 && is.At(p.Path) == nil && was.At(p.Path) == nil
	})
}

// maxCarriedToSee bounds how many old payloads are carried to see whether an explanation invents something.
const maxCarriedToSee = 20

// Without is an old value without what is lost.
func (m Migration) Without(old any) any { return m.root.forget(clone(old)) }

// forget takes what is lost out of an old value: where it would be carried along to says nothing.
func (s *shift) forget(value any) any {
	if s == nil {
		return value
	}
	value, ok := opened(s.before, value)
	if !ok {
		return nil
	}
	for _, at := range s.lost {
		value = orderedjson.RemoveAt(value, at)
	}
	for _, move := range s.moves {
		switch of, _, _ := find(value, move.from); of := of.(type) {
		case []any:
			for i, one := range of {
				of[i] = move.elements.forget(one)
			}
		case *orderedjson.Object:
			for _, key := range of.Keys {
				of.Fields[key] = move.elements.forget(of.Fields[key])
			}
		}
	}
	value, _ = closed(s.before, value)
	return value
}

// whole says that nothing that went, and that the script names, or came is left over, and that for each move its names or its values speak.
func (s *shift) whole(keys payload.Keys) bool {
	read := func(at place) bool { return len(keys.Spelled) == 0 || keys.Spelled[at.last()] }
	return s == nil || len(s.fill) == 0 && !slices.ContainsFunc(s.lost, read) && !slices.ContainsFunc(s.moves, func(m move) bool {
		return m.changed() && !slices.Equal(m.from, m.to) && !m.sure || !m.elements.whole(keys)
	})
}

func (s *shift) changed() bool {
	return s != nil && (len(s.lost)+len(s.before)+len(s.after) > 0 || slices.ContainsFunc(s.moves, move.changed))
}

func (s *shift) eachLost(prefix string, visit func(string)) {
	if s == nil {
		return
	}
	for _, at := range s.lost {
		visit(prefix + at.String())
	}
	for _, move := range s.moves {
		move.elements.eachLost(prefix+move.to.String()+move.each()+".", visit)
	}
}

func (s *shift) eachFill(visit func(place)) {
	if s == nil {
		return
	}
	for _, f := range s.fill {
		visit(f.place)
	}
	for _, move := range s.moves {
		move.elements.eachFill(visit)
	}
}

// way is one explanation of what became of the values at one place.
type way struct {
	shift *shift
	score float64
	plain float64 // of the weakest move of all, read or not
}

// table is what stands at each place of some values.
type table struct {
	values []any
	keys   payload.Keys
	known  renames
	isMap  func(at place, o *orderedjson.Object) bool
	places []place
	at     map[string][]leaf
	in     map[string]int // how many of the values have the place
}

// plain is the score of a move alone.
func (m move) plain() float64 {
	if m.alone > 0 {
		return m.alone
	}
	return m.score
}

func schemaOf(values []any) *payload.Schema {
	made := payload.NewSchema()
	for i, value := range values[:min(len(values), maxSeen)] {
		made.Add(strconv.Itoa(i), value, nil)
	}
	return made
}

func tableOf(keys payload.Keys, values []any, isMap func(place, *orderedjson.Object) bool) *table {
	t := &table{values: values, keys: keys, isMap: isMap, at: map[string][]leaf{}, in: map[string]int{}}
	for _, value := range values {
		for _, l := range t.collect(nil, nil, value) {
			id := l.place.id()
			if t.in[id]++; t.in[id] == 1 {
				t.places = append(t.places, l.place)
			}
			t.at[id] = append(t.at[id], l)
		}
	}
	return t
}

func (t *table) profile(at place) *payload.Profile {
	leaves := t.at[at.id()]
	values := make([]any, 0, min(len(leaves), maxSeen))
	for _, l := range leaves[:min(len(leaves), maxSeen)] {
		values = append(values, l.value)
	}
	return payload.ProfileOf(values)
}

// without are the values that have nothing at a place, though what holds it is there or not.
func (t *table) without(at place) []any {
	var lacking []any
	for _, value := range t.values {
		if found, ok, nothing := find(value, at); !ok && nothing < 0 || ok && isObject(found) {
			lacking = append(lacking, value)
		}
	}
	return lacking
}

func isObject(value any) bool {
	o, ok := value.(*orderedjson.Object)
	return ok && len(o.Keys) > 0
}

// read says that the script may look at a place: a member that it never names may be anywhere.
func (t *table) read(at place) bool {
	return len(t.keys.Spelled) == 0 || len(at) == 0 || t.keys.Spelled[at.last()]
}

// holds says that a place is only ever null here and an object elsewhere: nothing of its own.
func (t *table) holds(at place) bool {
	profile := t.profile(at)
	if profile.Seen > 0 {
		return false
	}
	return slices.ContainsFunc(t.places, func(other place) bool {
		return len(other) > len(at) && slices.Equal(other[:len(at)], at)
	})
}

// tablesOf are the tables of values as they were and as they are, seen through views: each object is a map in both or in none.
func tablesOf(keys payload.Keys, known renames, old, fresh []any, before, after []view) (was, is *table) {
	then, now := schemaOf(old), schemaOf(fresh).Read(keys)
	read := then.Read(keys)
	was = tableOf(keys, old, func(at place, _ *orderedjson.Object) bool {
		if made, known := isMap(before, at); known {
			return made
		}
		return read.IsMap(at)
	})
	is = tableOf(keys, fresh, func(at place, o *orderedjson.Object) bool {
		if made, known := isMap(after, at); known {
			return made
		}
		if read.Objects(at) == 0 {
			return now.IsMap(at)
		}
		return read.IsMap(at) && (now.IsMap(at) || slices.ContainsFunc(o.Keys, func(key string) bool {
			sure, likely := payload.DataKey(key)
			_, holds := o.Fields[key].(*orderedjson.Object)
			return sure || likely || !holds || then.At(append(slices.Clip(at), key)) != nil // and no envelope around it
		}))
	})
	was.known = known
	return was, is
}

// inferAs explains what became of values that are seen through views, best first; at least one way.
func inferAs(keys payload.Keys, known renames, old, fresh []any, before, after []view) []way {
	was, is := tablesOf(keys, known, old, fresh, before, after)
	best := way{shift: &shift{order: is.order()}, score: 1, plain: 1}
	if len(old) == 0 || len(fresh) == 0 {
		return []way{best}
	}
	var gone []place
	written := slices.Concat(asText(was, is), asLists(was, is))
	if len(written) == 0 {
		written = listed(was, is)
	}
	best.shift.moves = append(best.shift.moves, written...)
	for _, m := range written {
		best.score, best.plain = min(best.score, m.score), min(best.plain, m.score)
		delete(best.shift.order, m.to.id()) // the keys may be data, which have no order
	}
	for _, at := range was.places {
		switch one := single(was, is, at); {
		case slices.ContainsFunc(written, func(m move) bool { return at.below(m.from) }):
		case one != nil:
			written = append(written, *one)
			best.shift.moves = append(best.shift.moves, *one)
			best.score, best.plain = min(best.score, one.score), min(best.plain, one.score)
		case was.holds(at):
		case is.in[at.id()] == 0 || partlyGone(was, is, at):
			if expected(was, at, len(is.values)) || slices.ContainsFunc(is.places, func(p place) bool {
				return was.in[p.id()] == 0 && (likeness(at, p) >= 0.8 || at.beside(p) && (was.always(at) || likeness(at, p) >= 0.5))
			}) {
				gone = append(gone, at)
			}
		default:
			if stay, ok := stays(was, is, at); ok {
				best.shift.moves = append(best.shift.moves, stay)
				best.score, best.plain = min(best.score, stay.score), min(best.plain, stay.plain())
			} else {
				gone = append(gone, at)
			}
		}
	}
	var came []place
	for _, at := range is.places {
		if was.in[at.id()] == 0 && !slices.ContainsFunc(written, func(m move) bool { return at.below(m.to) }) && !is.holds(at) && (is.profile(at).Seen > 0 || !was.objectAt(at)) {
			came = append(came, at)
		}
	}
	choices := make([][]move, len(gone))
	holder := wrapped(is, gone, came)
	for i, at := range gone {
		if choices[i] = candidates(was, is, at, came, len(gone)); holder != nil {
			under := func(m move) bool { return slices.Equal(m.to, slices.Concat(holder, at)) }
			if slices.ContainsFunc(choices[i], under) {
				choices[i] = slices.DeleteFunc(choices[i], func(m move) bool { return !under(m) })
			}
		}
		if i == 0 && len(gone) == 1 && len(choices[0]) == 0 {
			choices[0] = inItsPlace(was, is, at, came)
		}
	}
	return combine(best, was, is, choices, gone, came)
}

// asText are the moves of objects that stand as JSON text where they were.
func asText(was, is *table) []move {
	var found []move
	for _, at := range is.places {
		fresh := is.profile(at)
		if fresh.Kind() != "string" || fresh.Format() != payload.FormatJSON || !was.objectAt(at) {
			continue
		}
		var objects []any
		for _, value := range was.values {
			if o, ok, _ := find(value, at); ok {
				objects = append(objects, o)
			}
		}
		for _, c := range conversions(payload.ProfileOf(objects), fresh) {
			found = append(found, move{from: at, to: at, convert: &c, score: 0.9})
		}
	}
	return found
}

// asLists are the moves of objects that stand alone in a list where they were.
func asLists(was, is *table) []move {
	var found []move
	for _, at := range is.places {
		if is.profile(at).Kind() != "array" || !was.objectAt(at) {
			continue
		}
		var old, fresh []*orderedjson.Object
		alone := true
		for _, value := range is.values {
			inner, ok, _ := find(value, at)
			list, isList := inner.([]any)
			if !ok || !isList {
				continue
			}
			var o *orderedjson.Object
			if len(list) == 1 {
				o, _ = list[0].(*orderedjson.Object)
			}
			alone = alone && o != nil
			fresh = append(fresh, o)
		}
		for _, value := range was.values {
			if inner, ok, _ := find(value, at); ok {
				if o, isObject := inner.(*orderedjson.Object); isObject {
					old = append(old, o)
				}
			}
		}
		if alone && payload.CompareKeys(old, fresh) >= sameObjects {
			found = append(found, move{from: at, to: at, convert: &inList, score: 0.9})
		}
	}
	return found
}

// single is the move of a list whose only object now stands in its place. Whether longer lists stay lists is seen in
// the lists that are there still.
func single(was, is *table, at place) *move {
	old := was.profile(at)
	if old.Kind() != "array" || !is.objectAt(at) {
		return nil
	}
	alone, longer := unlisted, false
	var inside []*orderedjson.Object
	for _, value := range is.values {
		switch found, _, _ := find(value, at); found := found.(type) {
		case *orderedjson.Object:
			inside = append(inside, found)
		case []any:
			longer = longer || len(found) > 1
			if len(found) == 1 {
				return nil
			}
		}
	}
	if longer {
		alone = unlistedAlone
	}
	elements := payload.ProfileOf(old.Elements())
	if elements.Kind() != "object" || payload.CompareKeys(elements.Objects, inside) < 0.6 || areColumns(elements.Objects, inside) {
		return nil
	}
	return &move{from: at, to: at, convert: &alone, score: 0.9}
}

// areColumns says that objects hold in lists what the elements hold.
func areColumns(elements, inside []*orderedjson.Object) bool {
	return slices.ContainsFunc(inside, func(o *orderedjson.Object) bool {
		return slices.ContainsFunc(o.Keys, func(key string) bool {
			_, isList := o.Fields[key].([]any)
			return isList && !slices.ContainsFunc(elements, func(e *orderedjson.Object) bool {
				_, was := e.Fields[key].([]any)
				return was
			})
		})
	})
}

// objectAt says that a place was an object here.
func (t *table) objectAt(at place) bool {
	return slices.ContainsFunc(t.places, func(other place) bool {
		return len(other) > len(at) && slices.Equal(other[:len(at)], at)
	})
}

// partlyGone says that what was in all values is missing in some now.
func partlyGone(was, is *table, at place) bool {
	id := at.id()
	return was.in[id] == len(was.values) && len(was.values) >= 3 && is.in[id] < len(is.values) && len(is.without(at)) > 0
}

// expected says that a place was so common that it would stand in this many values, too.
func expected(was *table, at place, values int) bool {
	share := float64(was.in[at.id()]) / float64(len(was.values))
	return share >= 0.95 || share*float64(values) >= 3
}

// always says that whatever held a place had it.
func (t *table) always(at place) bool {
	return !slices.ContainsFunc(t.values, func(value any) bool {
		holder, ok, _ := find(value, at[:len(at)-1])
		o, isObject := holder.(*orderedjson.Object)
		if !ok || !isObject {
			return false
		}
		_, has := o.Fields[at.last()]
		return !has
	})
}

// kept is how many members are there still, under whatever names, 0 if one is lost.
func (s *shift) kept() int {
	if len(s.lost) > 0 {
		return 0
	}
	return len(s.moves)
}

// rivals say that two places hold what could have been the same: both a value, or both something that holds others.
func rivals(a, b *payload.Profile) bool {
	holds := func(p *payload.Profile) bool { return p.Kind() == "array" || p.Kind() == "object" }
	empty := func(p *payload.Profile) bool {
		return p.Kind() == "object" && !slices.ContainsFunc(p.Objects, func(o *orderedjson.Object) bool { return len(o.Keys) > 0 })
	}
	return holds(a) == holds(b) && !empty(a) && !empty(b)
}

// others say what else could have become of elements.
func others(ways []way) (doubts []string) {
	for _, other := range ways[1:] {
		for _, m := range other.shift.moves {
			if m.changed() && !slices.ContainsFunc(ways[0].shift.moves, func(best move) bool { return slices.Equal(best.from, m.from) && slices.Equal(best.to, m.to) }) {
				doubts = append(doubts, fmt.Sprintf("%s could be what %s was, too", m.to, m.from))
			}
		}
	}
	return doubts
}

// stays is the move of a place that is where it was: written another way, perhaps, or with
// other elements. False if the old value cannot be what stands there now.
func stays(was, is *table, at place) (move, bool) {
	old, fresh := was.profile(at), is.profile(at)
	m := move{from: at, to: at, score: 1}
	if old.Seen == 0 || fresh.Seen == 0 {
		return m, true
	}
	if kind := old.Kind(); kind == fresh.Kind() && (kind == "array" || kind == "object") {
		elements := inferShift(was.keys, was.known, old.Entries(), fresh.Entries())
		if elements[0].shift.changed() {
			m.elements, m.score, m.alone, m.isMap, m.doubts = elements[0].shift, elements[0].score, elements[0].plain, kind == "object", others(elements)
		}
		return m, true
	}
	if c := namesAnother(was, is, at); c != nil {
		m.convert, m.score = c, 0.9
		return m, true
	}
	for _, c := range conversions(old, fresh) {
		if made := write(c, was, at); made != nil && payload.Compare(made, fresh, at.String()).Fit > payload.Implausible {
			m.convert, m.score = &c, 0.9
			return m, true
		}
	}
	return m, fresh.Kind() == "" || old.Kinds[fresh.Kind()] > 0 && !otherForm(old, fresh)
}

// otherForm says that all texts had digits and letters in one order, and that none has them so now: it is not told what they say.
func otherForm(old, fresh *payload.Profile) bool {
	if len(old.Texts) < payload.SurelySeen || payload.IsNumber(fresh.Format()) && (payload.IsNumber(old.Format()) || old.Format() == "") {
		return false
	}
	form := payload.Form(old.Texts[0])
	other := func(text string) bool { return payload.Form(text) != form }
	return strings.ContainsAny(form, "9") && fresh.Kind() == "string" && !slices.ContainsFunc(old.Texts, other) &&
		!slices.ContainsFunc(fresh.Texts, func(text string) bool { return !other(text) })
}

// namesAnother writes a word that says under which member beside it the value stands, where that member has another name now.
func namesAnother(was, is *table, at place) *conversion {
	if len(at) == 0 {
		return nil
	}
	beside := func(t *table, word string) bool {
		member := append(slices.Clone(at[:len(at)-1]), word)
		return t.in[member.id()] > 0 || t.objectAt(member)
	}
	for _, word := range was.profile(at).Texts {
		for _, now := range is.profile(at).Texts {
			if word != now && beside(was, word) && !beside(is, word) && beside(is, now) && !beside(was, now) {
				return &conversion{says: "as " + now, write: func(value any) (any, bool) {
					if value == word {
						return now, true
					}
					return value, true
				}, back: text("$ === " + script.Quote(now) + " ? " + script.Quote(word) + " : $")}
			}
		}
	}
	return nil
}

// holdsTheValue are the members in which APIs put what was a plain value.
var holdsTheValue = payload.SetOf(payload.TextOf, "value", "values", "amount", "raw", "text", "name", "content", "id", "key", "label", "title", "display_name", "displayName", "plain", "total", "data", "items", "number", "date", "code")

func likeness(from, to place) float64 {
	if len(from) == 0 || len(to) == 0 {
		return 0.5
	}
	if n := len(from) - 1; slices.Equal(from[:n], to) && holdsTheValue[from.last()] {
		return 0.8 // price.amount is now price
	}
	a, b := payload.Words(from.last()), payload.Words(to.last())
	if payload.Opposed(a, b) {
		return 0
	}
	score := payload.Likeness(a, b)
	if len(to) > len(from) && slices.Equal(to[:len(from)], from) {
		if holdsTheValue[to.last()] {
			return max(score, 0.8) // price is now price.amount
		}
		return score // text is now text.type: only the name of the whole is alike
	}
	if from.beside(to) {
		return score // what holds both says nothing of either
	}
	return max(score, payload.Likeness(payload.Words(from.String()), payload.Words(to.String())))
}

// candidates are the places where a value may be now, best first.
func candidates(was, is *table, at place, came []place, gone int) []move {
	old := was.profile(at)
	lacking := tableOf(is.keys, is.without(at), is.isMap)
	ceiling := 1.0
	if is.in[at.id()] > 0 && !is.objectAt(at) {
		ceiling = unsure // some have it still: the others may mean another thing
	}
	alone := gone == 1 && !slices.ContainsFunc(came, func(a place) bool {
		return slices.ContainsFunc(came, func(b place) bool { return !slices.Equal(a, b) && rivals(is.profile(a), is.profile(b)) })
	})
	var found []move
	for _, to := range came {
		if lacking.in[to.id()] == 0 {
			continue
		}
		fresh := lacking.profile(to)
		name := likeness(at, to)
		if m := otherUnit(was, at, to, fresh); m != nil {
			m.score, m.sure = min(0.45+0.5*name, ceiling), true
			found = append(found, *m)
			continue
		}
		same := at.beside(to) && was.known[[2]string{at.last(), to.last()}] > 0
		consider := func(convert *conversion, fit payload.Match, elements *shift, inner, plain float64) {
			gained := payload.GainedUnit(payload.Words(at.String()), payload.Words(to.String())) != ""
			if gained {
				fit.Fit *= 0.6
				fit.Strong = false
			}
			score := 0.5*fit.Fit + 0.5*name
			if len(at) == len(to) && slices.Equal(at[:max(0, len(at)-1)], to[:max(0, len(to)-1)]) {
				score += 0.05
			}
			if fit.Strong {
				score = max(score, 0.8)
			}
			if len(fit.Doubts) > 0 {
				score -= 0.1
			}
			if fit.Fit >= 0.4 && alone {
				score += 0.2 // nothing else went, nothing else of its kind came
			}
			sure := !gained && (fit.Strong || name >= 0.3 && (len(fit.Doubts) == 0 || old.Kind() != "string") || elements != nil || fit.Fit >= 0.8)
			most := ceiling
			if gained && convert == nil && fresh.Kind() == "number" {
				most = unsure // the name says that the values are others
			}
			alone := min(score*plain, most)
			if score = min(score*inner, most); same && convert == nil {
				score, sure = min(score+sameName, 0.95), true
			}
			if fit.Fit > payload.Implausible && score >= plausible {
				found = append(found, move{from: at, to: to, convert: convert, elements: elements, isMap: fresh.Kind() == "object", score: score, alone: alone, sure: sure})
			}
		}
		if fresh.Seen == 0 {
			if fresh.Nulls > 0 && old.Nulls > 0 {
				consider(nil, payload.Match{Fit: 0.5}, nil, 1, 1)
			}
			continue
		}
		if old.Kinds[fresh.Kind()] > 0 && fresh.Kind() != "" {
			fit, inner, plain := payload.Compare(old, fresh, at.String()), 1.0, 1.0
			if was, is := old.Format(), fresh.Format(); was != is && isTime(was) && isTime(is) || !sameLength(old.Texts, fresh.Texts) || !sameWords(old.Texts, fresh.Texts) {
				fit.Fit = 0 // written another way, or a part of it
			}
			var elements *shift
			var doubts []string
			if fresh.Kind() == "array" || fresh.Kind() == "object" {
				if ways := inferShift(was.keys, was.known, old.Entries(), fresh.Entries()); ways[0].shift.changed() {
					elements, inner, plain, doubts = ways[0].shift, ways[0].score, ways[0].plain, others(ways)
					fit.Fit = max(fit.Fit, 0.5)
					if n := elements.kept(); n > 0 { // all that its elements had is there
						fit.Fit, fit.Strong = max(fit.Fit, min(0.9, 0.5+0.1*float64(n))), n >= 3 && len(elements.fill) == 0
					}
				}
			}
			consider(nil, fit, elements, 1, 1)
			if last := len(found) - 1; last >= 0 && slices.Equal(found[last].to, to) && elements != nil {
				found[last].alone = min(found[last].alone, plain)
				found[last].score, found[last].doubts = min(found[last].score, inner), doubts
			}
		}
		for _, c := range conversions(old, fresh) {
			if converted := write(c, was, at); converted != nil {
				fit := payload.Compare(converted, fresh, at.String())
				fit.Strong = fit.Strong && fit.Fit >= 0.9
				consider(&c, fit, nil, 0.95, 0.95)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b move) int { return cmp.Compare(b.score, a.score) })
	return found
}

// wrapped is the new object in which all that is gone stands under its own names; nil if there is none.
func wrapped(is *table, gone, came []place) place {
	if len(gone) < 2 {
		return nil
	}
	for _, to := range came {
		n := len(to) - len(gone[0])
		if n <= 0 || !slices.Equal(to[n:], gone[0]) {
			continue
		}
		if !slices.ContainsFunc(gone, func(at place) bool { return is.in[slices.Concat(to[:n], at).id()] == 0 }) {
			return to[:n]
		}
	}
	return nil
}

// inItsPlace is the move of the only member that is gone to the only one of its kind that came beside
// it: nothing but that speaks for it.
func inItsPlace(was, is *table, at place, came []place) []move {
	if is.in[at.id()] > 0 {
		return nil // for some it is only left out
	}
	var found []move
	old := was.profile(at)
	for _, to := range came {
		if fresh := is.profile(to); at.beside(to) && old.Kind() == fresh.Kind() && old.Format() == fresh.Format() {
			made := move{from: at, to: to, score: guessed, isMap: old.Kind() == "object"}
			if ways := inferShift(was.keys, was.known, old.Entries(), fresh.Entries()); ways[0].shift.changed() {
				made.elements, made.doubts = ways[0].shift, others(ways)
			}
			found = append(found, made)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// otherUnit is the move to a place whose name says another unit, in which the old values are about as large as the fresh
// ones, which may be texts, and as they are they are not.
func otherUnit(was *table, at, to place, fresh *payload.Profile) *move {
	old, numbers := was.profile(at), fresh.Numbers
	if format := fresh.Format(); fresh.Kind() == "string" && (format == payload.FormatInteger || format == payload.FormatDecimal) {
		numbers = nil
		for _, text := range fresh.Texts {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
		slices.Sort(numbers)
	}
	as := apart(old.Numbers, numbers)
	parts := fresh.Kind() == "number" && payload.Whole(numbers) && !payload.Whole(old.Numbers) // all of which were parts of one
	if old.Kind() != "number" || as <= otherSize && !parts {
		return nil
	}
	for _, scale := range payload.UnitScales(payload.Words(at.String()), payload.Words(to.String())) {
		convert := inUnit(scale)
		made := write(*convert, was, at)
		if made != nil && apart(made.Numbers, numbers) <= otherSize && (as > otherSize || len(made.Numbers) == len(old.Numbers)) {
			if fresh.Kind() == "string" {
				convert = inText(*convert, decimals(fresh.Texts))
			}
			return &move{from: at, to: to, convert: convert}
		}
	}
	return nil
}

// sameLength says that texts are about as long as others: a name is no description.
func sameLength(a, b []string) bool {
	middle := func(texts []string) int {
		lengths := make([]int, 0, len(texts))
		for _, text := range texts {
			lengths = append(lengths, len(text))
		}
		slices.Sort(lengths)
		return lengths[len(lengths)/2]
	}
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	short, long := middle(a), middle(b)
	if short > long {
		short, long = long, short
	}
	return long <= 40 || long <= 4*short
}

// sameWords says that texts of a word each are no chance: a name is not the part of it that is given.
func sameWords(old, fresh []string) bool {
	single := func(text string) bool { return len(strings.Fields(text)) == 1 }
	alone := 0
	for _, text := range old {
		if single(text) {
			alone++
		}
	}
	return slices.ContainsFunc(fresh, func(text string) bool { return !single(text) }) || alone > 0 && 2*alone >= len(old) || len(old) < payload.LeastSeen
}

// write is the profile of the old values written another way, nil if most of them cannot be.
func write(c conversion, was *table, at place) *payload.Profile {
	var values []any
	leaves := was.at[at.id()]
	for _, l := range leaves {
		if made, ok := c.write(clone(l.value)); ok {
			values = append(values, made)
		}
	}
	if 2*len(values) < len(leaves) {
		return nil
	}
	return payload.ProfileOf(values)
}

// combine chooses a place for each that is gone, no place twice, the surest first; then
// tells what else it could have been.
func combine(start way, was, is *table, choices [][]move, gone, came []place) []way {
	assign := func(without map[string]string) way {
		w := way{shift: &shift{moves: slices.Clone(start.shift.moves), order: start.shift.order}, score: start.score, plain: start.plain}
		var open []move
		for _, list := range choices {
			for _, p := range list {
				if without[p.from.id()] != p.to.id() || without == nil {
					open = append(open, p)
				}
			}
		}
		slices.SortStableFunc(open, func(a, b move) int { return cmp.Compare(b.score, a.score) })
		taken, placed := map[string]bool{}, map[string]bool{}
		for _, p := range open {
			if !placed[p.from.id()] && !taken[p.to.id()] {
				placed[p.from.id()], taken[p.to.id()] = true, true
				w.shift.moves = append(w.shift.moves, p)
				if w.plain = min(w.plain, p.plain()); was.read(p.from) {
					w.score = min(w.score, p.score)
				}
			}
		}
		w.shift.moves = append(w.shift.moves, alike(was, is, w.shift.moves)...)
		w.shift.moves = append(w.shift.moves, together(was, is, w.shift.moves)...)
		for _, at := range gone {
			if !slices.ContainsFunc(w.shift.moves, func(m move) bool { return slices.Equal(m.from, at) }) {
				w.shift.lost = append(w.shift.lost, at)
			}
		}
		for _, at := range came {
			if !taken[at.id()] {
				seen := is.at[at.id()][0]
				if _, isList := seen.value.([]any); isList {
					seen.value = []any{} // what a list of today holds was not there then
				}
				w.shift.fill = append(w.shift.fill, seen)
			}
		}
		w.shift.look(was, is)
		return w
	}
	best := assign(nil)
	if alone := onlyEach(was, choices); len(best.shift.lost) == 0 && len(alone) > 0 {
		for _, list := range choices {
			for i := range list {
				if m := &list[i]; alone[m.from.id()] {
					m.score, m.alone, m.sure = max(m.score, whole), max(m.plain(), whole), true
				}
			}
		}
		best = assign(nil)
	}
	ways := []way{best}
	for _, m := range best.shift.moves {
		i := slices.IndexFunc(gone, func(at place) bool { return slices.Equal(at, m.from) })
		if i < 0 || len(ways) == maxWays || !was.read(m.from) || len(m.to) > len(m.from) && slices.Equal(m.to[len(m.to)-len(m.from):], m.from) {
			continue // under all of its names it can only be itself
		}
		if slices.ContainsFunc(choices[i], func(p move) bool { return !slices.Equal(p.to, m.to) && p.score > m.score-margin }) {
			if other := assign(map[string]string{m.from.id(): m.to.id()}); len(other.shift.lost) <= len(best.shift.lost) {
				ways = append(ways, other)
			}
		}
	}
	return ways
}

// onlyEach are those that are gone and can be one place only, which nothing else can be: the only time that went and the only one that came.
func onlyEach(was *table, choices [][]move) map[string]bool {
	could := map[string]int{}
	for _, list := range choices {
		for _, m := range list {
			could[m.to.id()]++
		}
	}
	found := map[string]bool{}
	for _, list := range choices {
		if len(list) == 1 && could[list[0].to.id()] == 1 && list[0].convert == nil && isTime(was.profile(list[0].from).Format()) {
			found[list[0].from.id()] = true
		}
	}
	return found
}

// alike are the moves of what the fresh values happen not to have, nor what held it, but
// that had the name of a member that was renamed wherever it was seen: of a list of blocks,
// text is now rich_text in those of every type.
func alike(was, is *table, moves []move) []move {
	renamed := map[string]move{}
	for _, m := range moves {
		n := len(m.from) - 1
		if n < 1 {
			continue
		}
		sibling := len(m.to) == n+1 && slices.Equal(m.from[:n], m.to[:n]) && m.convert == nil
		if known, seen := renamed[m.from.last()]; !sibling || seen && known.to.last() != m.to.last() {
			m.to = nil // it went several ways, or stayed somewhere
		}
		renamed[m.from.last()] = m
	}
	var found []move
	for _, at := range was.places {
		m, seen := renamed[at.last()]
		if !seen || m.to == nil || slices.Equal(m.from, m.to) || len(at) < 2 || is.objectAt(at[:len(at)-1]) ||
			slices.ContainsFunc(moves, func(other move) bool { return slices.Equal(other.from, at) }) {
			continue
		}
		if was.profile(at).Kind() == was.profile(m.from).Kind() {
			found = append(found, move{from: at, to: append(slices.Clone(at[:len(at)-1]), m.to.last()), elements: m.elements, isMap: m.isMap, score: m.score})
		}
	}
	return found
}

// together are the moves of what the fresh values happen not to have, but whose neighbours
// all went to another object under the names that they had: so did the object.
func together(was, is *table, moves []move) []move {
	var found []move
	for _, at := range was.places {
		n := len(at) - 1
		if is.in[at.id()] > 0 || slices.ContainsFunc(moves, func(m move) bool { return slices.Equal(m.from, at) }) {
			continue
		}
		var to place
		score, agree := 1.0, n >= 0
		for _, m := range moves {
			if n < 0 || len(m.from) <= n || !slices.Equal(m.from[:n], at[:n]) {
				continue
			}
			tail := len(m.from) - n
			if len(m.to) < tail || !slices.Equal(m.to[len(m.to)-tail:], m.from[n:]) || to != nil && !slices.Equal(to, m.to[:len(m.to)-tail]) {
				agree = false
				break
			}
			to, score = append(place{}, m.to[:len(m.to)-tail]...), min(score, m.score)
		}
		if agree && to != nil && !slices.Equal(to, at[:n]) && !(was.always(at) && is.objects(to) > 0 && (is.objects(to) > 1 || was.in[at.id()] >= payload.SurelySeen)) {
			found = append(found, move{from: at, to: append(to, at[n]), score: score})
		}
	}
	return found
}

// objects is how many objects stand at a place.
func (t *table) objects(at place) int {
	n := 0
	for _, value := range t.values {
		if objectAt(value, at) {
			n++
		}
	}
	return n
}

// order is the order of the members of each object, as the values have it.
func (t *table) order() map[string][]string {
	order := map[string][]string{}
	var visit func(value any, at place)
	visit = func(value any, at place) {
		o, ok := value.(*orderedjson.Object)
		if !ok || len(at) == maxDepth || t.isMap(at, o) {
			return
		}
		for _, key := range o.Keys {
			if !slices.Contains(order[at.id()], key) {
				order[at.id()] = append(order[at.id()], key)
			}
			visit(o.Fields[key], append(slices.Clone(at), key))
		}
	}
	for _, value := range t.values[:min(len(t.values), maxSeen)] {
		visit(value, nil)
	}
	return order
}
