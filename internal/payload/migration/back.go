package migration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// widest is how long a line of written code may be before its members stand on lines of their own.
const widest = 110

// discriminator tells a value of the new shape from one of the old: a member that no old one has, or one of another
// kind. The zero discriminator tells nothing.
type discriminator struct {
	at   place
	kind string // of what stands there; empty if it is enough that something does
}

func (m discriminator) tells() bool { return len(m.at) > 0 || m.kind != "" }

// discriminatorOf finds a member that all fresh values have and no old one.
func discriminatorOf(was, is *table, moves []move, before, after []view) discriminator {
	tells := func(m discriminator) bool {
		return !slices.ContainsFunc(was.values, m.holds) && !slices.ContainsFunc(is.values, func(value any) bool { return !m.holds(value) })
	}
	var found []discriminator
	for i, v := range slices.Concat(before, after) {
		if v.prefix != "" {
			continue
		}
		found = append(found, discriminator{v.at, map[bool]string{true: "array", false: "object"}[(v.columns != nil) == (i < len(before))]})
	}
	for _, always := range []bool{true, false} { // what only some have does not tell the others
		for _, m := range moves {
			if to := as(after, m.to); m.changed() && (was.in[m.from.id()] == len(was.values)) == always {
				for n := range to {
					found = append(found, discriminator{at: to[:n+1]})
				}
			}
		}
	}
	found = append(found, discriminator{kind: "array"})
	for _, m := range moves {
		to := as(after, m.to)
		if kind := is.profile(to).Kind(); m.changed() && plainKinds[kind] {
			found = append(found, discriminator{to, kind})
		}
	}
	for _, at := range is.places {
		if len(at) > 0 {
			found = append(found, discriminator{at: at[:1]}, discriminator{at, "array"}, discriminator{at, "object"}, discriminator{at: at})
		}
	}
	if i := slices.IndexFunc(found, tells); i >= 0 {
		return found[i]
	}
	return discriminator{}
}

func (m discriminator) holds(value any) bool {
	found, ok, _ := find(value, m.at)
	return ok && m.tells() && (m.kind == "" || payload.KindOf(found) == m.kind)
}

// plainKinds are the kinds that a plain test in JavaScript tells.
var plainKinds = payload.SetOf("string", "number", "boolean", "array")

// missing is the condition that a value is not of the new shape.
func (m discriminator) missing(of string) string {
	of += script.SafeChain(m.at...)
	switch m.kind {
	case "":
		return of + " === undefined"
	case "array":
		return "!Array.isArray(" + of + ")"
	case "object":
		return "typeof " + of + " !== 'object' || Array.isArray(" + of + ")"
	}
	return "typeof " + of + " !== '" + m.kind + "'"
}

// Discriminators says that a value would be put back, or a part of it: it is of the new shape, as far as its own
// members tell.
func (m Migration) Discriminators(value any) bool { return m.root.discriminators(value) }

func (s *shift) discriminators(value any) bool {
	if s.mark.tells() {
		return s.mark.holds(value)
	}
	return s.held().holds(value) && slices.ContainsFunc(s.moves, func(m move) bool {
		at, ok, _ := find(value, m.to)
		list, _ := at.([]any)
		return ok && m.changed() && (m.elements == nil || m.isMap || slices.ContainsFunc(list, m.elements.discriminators))
	})
}

// For is the part of a migration that concerns the members of these names, and what holds them.
func (m Migration) For(names map[string]bool) Migration {
	m.Score = 1
	m.root = m.root.only(names, &m.Score)
	return m
}

func (s *shift) only(names map[string]bool, score *float64) *shift {
	if s == nil {
		return nil
	}
	kept := *s
	kept.moves = nil
	for _, m := range s.moves {
		if m.elements != nil {
			if m.elements = m.elements.only(names, score); !m.elements.carries() {
				m.elements = nil
			}
		}
		if m.changed() && len(m.from) > 0 && m.elements == nil && !slices.ContainsFunc(m.from, func(step string) bool { return names[step] }) {
			continue
		}
		if m.changed() {
			*score = min(*score, m.score)
		}
		kept.moves = append(kept.moves, m)
	}
	return &kept
}

// Doubts are reasons to think that the values put back are not the old ones, for people.
func (m Migration) Doubts() []string { return m.root.allDoubts(nil, nil) }

func (s *shift) allDoubts(found []string, holder place) []string {
	if s == nil {
		return found
	}
	for _, m := range s.moves {
		if found = append(found, m.doubts...); m.named != nil {
			found = append(found, m.named(holder)...)
		}
		found = m.elements.allDoubts(found, slices.Concat(holder, m.from))
	}
	return found
}

// doubts are reasons to think that a move is none: those in its values, and those in its names below what holds it all.
func (s *shift) doubts(was, is *table, m move) (found []string, named func(holder place) []string) {
	old, fresh := was.profile(m.from), is.profile(m.to)
	made, unit := old, false
	if m.convert != nil {
		if made = write(*m.convert, was, m.from); made == nil {
			return nil, nil
		}
		unit = m.convert.scaled
	}
	name := m.to.String()
	match := payload.Compare(made, fresh, name)
	if numbers, now := numbersOf(old), numbersOf(fresh); m.convert != nil && !unit && len(numbers) > 0 && len(now) > 0 {
		match = payload.CompareNumbers(numbers, now, name)
	}
	if m.convert != nil || m.from.last() != m.to.last() { // under its own name it is of what size it is
		found = match.Doubts
	}
	if m.convert != nil {
		found = append(found, openTexts(name, fresh)...)
	}
	if old.Nulls == 0 && fresh.Nulls > 0 && (len(m.from) == 0 || was.always(m.from)) {
		found = append(found, name+" is null in some, which "+m.from.String()+" never was")
	}
	if unit || len(m.from) == 0 || len(m.to) == 0 {
		return found, nil
	}
	return found, func(holder place) []string {
		return payload.NamingDoubts(slices.Concat(holder, m.from), m.to, old, match, false, func() bool {
			return !slices.ContainsFunc(s.moves, func(other move) bool {
				return other.changed() && len(other.to) == len(m.to) && slices.Equal(other.to[:len(m.to)-1], m.to[:len(m.to)-1]) && !slices.Equal(other.to, m.to)
			})
		})
	}
}

// numbersOf are the numbers of values that are numbers or texts of them.
func numbersOf(p *payload.Profile) []float64 {
	if p.Kind() != "string" || p.Format() != payload.FormatInteger && p.Format() != payload.FormatDecimal {
		return p.Numbers
	}
	var found []float64
	for _, text := range p.Texts {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

// Changed says that something is not as it was.
func (m Migration) Changed() bool { return m.written != "" || m.root.carries() }

// Carries says that a value is not as it was, whatever text holds it.
func (m Migration) Carries() bool { return m.root.carries() }

func (s *shift) carries() bool {
	return len(s.before)+len(s.after) > 0 || slices.ContainsFunc(s.moves, move.changed)
}

// Renamed says that one name is another, wherever it stands and with all that it holds, and all else is as it was.
func (m Migration) Renamed() bool {
	names := map[[2]string]bool{}
	return m.root.renamed(names) && len(names) == 1
}

func (s *shift) renamed(names map[[2]string]bool) bool {
	if len(s.before)+len(s.after) > 0 {
		return false
	}
	for _, m := range s.moves {
		was, is := m.from, m.to
		for len(was) > 1 && len(is) > 1 && was.last() == is.last() { // what is inside went with it
			was, is = was[:len(was)-1], is[:len(is)-1]
		}
		switch {
		case !m.changed():
		case m.convert != nil:
			return false
		case m.elements != nil && (!slices.Equal(m.from, m.to) || !m.elements.renamed(names)), m.elements == nil && !was.beside(is):
			return false
		case m.elements == nil:
			names[[2]string{was.last(), is.last()}] = true
		}
	}
	return true
}

// Back writes a function in JavaScript that puts a value of the new shape back into the old one, and gives one of the old
// shape as it is. It is not ok if that cannot be written.
func (m Migration) Back(name, value string) (code string, ok bool) {
	if !m.root.carries() {
		return "", false
	}
	return m.root.function(name, value)
}

// BackOfEach does the same for the elements of a list that is itself as it was.
func (m Migration) BackOfEach(name, value string) (code string, ok bool) {
	for _, move := range m.root.moves {
		if len(move.from) == 0 && len(move.to) == 0 && move.convert == nil && move.elements != nil && !move.isMap {
			return move.elements.function(name, value)
		}
	}
	return "", false
}

func (s *shift) function(name, value string) (code string, ok bool) {
	w := &writer{names: []string{name, value}}
	sure := s.mark.tells()
	made := w.whole(s, value, sure)
	if w.failed {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "function %s(%s) {\n", name, value)
	mark := s.mark
	if !sure {
		mark = s.held()
	}
	fmt.Fprintf(&b, "  if (%s) return %s;\n", mark.missing(value), value)
	fmt.Fprintf(&b, "  return %s;\n}", made.lines("  ", len("  return ;")))
	return b.String(), true
}

// held is what the values must have for what is put back to be there: nothing else is touched.
func (s *shift) held() discriminator {
	for _, m := range s.moves {
		switch to := as(s.after, m.to); {
		case !m.changed():
		case m.elements != nil && !m.isMap && len(to) == len(m.to):
			return discriminator{to, "array"}
		case len(to) > 0:
			return discriminator{at: to[:1]}
		}
	}
	return discriminator{kind: "object"}
}

// js is an expression: text, or an object's members with text around them.
type js struct {
	before  string
	members []member
	after   string
}

// member is one of an object that is written; one without a name is a spread.
type member struct {
	name  string
	value js
}

func (e js) String() string {
	if e.members == nil {
		return e.before
	}
	var parts []string
	for _, m := range e.members {
		parts = append(parts, m.head()+m.value.String())
	}
	return e.before + "{ " + strings.Join(parts, ", ") + " }" + e.after
}

func (m member) head() string {
	if m.name == "" {
		return "..."
	}
	return script.QuoteKey(m.name) + ": "
}

// lines is the expression on one line, or with a line for each member where that would be too long.
func (e js) lines(indent string, taken int) string {
	flat := e.String()
	if e.members == nil || len(indent)+taken+len(flat) <= widest {
		return flat
	}
	var b strings.Builder
	b.WriteString(e.before + "{\n")
	for _, m := range e.members {
		b.WriteString(indent + "  " + m.head() + m.value.lines(indent+"  ", len(m.head())+1) + ",\n")
	}
	b.WriteString(indent + "}" + e.after)
	return b.String()
}

// in puts text around an expression.
func (e js) in(before, after string) js {
	if e.members == nil {
		return js{before: before + e.before + after}
	}
	return js{before + e.before, e.members, e.after + after}
}

// body is an expression as the body of an arrow function.
func (e js) body() js {
	if strings.HasPrefix(e.String(), "{") {
		return e.in("(", ")")
	}
	return e
}

// writer writes expressions that put values back.
type writer struct {
	names  []string
	failed bool
}

func (w *writer) fail() js {
	w.failed = true
	return js{}
}

// name is a variable for an element of what stands at a place.
func (w *writer) name(at place) string {
	name := "one"
	if words := payload.Words(at.last()); len(words) > 0 {
		last := words[len(words)-1]
		if many, ok := strings.CutSuffix(last, "ies"); ok {
			last = many + "y"
		} else if !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") {
			last = strings.TrimSuffix(last, "s")
		}
		if len(last) > 2 && script.PlainKey.MatchString(last) && !script.Reserved[last] {
			name = last
		}
	}
	for i := 2; slices.Contains(w.names, name); i++ {
		name = fmt.Sprintf("%s%d", strings.TrimRight(name, "0123456789"), i)
	}
	w.names = append(w.names, name)
	return name
}

// whole is a value put back. It is sure if the value is known to be of the new shape.
func (w *writer) whole(s *shift, of string, sure bool) js {
	if !sure && len(s.before)+len(s.after) > 0 {
		return w.fail()
	}
	for _, m := range s.moves {
		if len(m.from) == 0 && m.changed() {
			return w.asBefore(s, nil, w.moved(s, m, of, sure))
		}
	}
	return w.asBefore(s, nil, w.object(s, of, nil, sure))
}

// asBefore gives what stands at a place the form that it had.
func (w *writer) asBefore(s *shift, at place, made js) js {
	for _, v := range s.before {
		if slices.Equal(v.at, at) {
			return v.written(made)
		}
	}
	return made
}

// plainly says that a move takes what is in an object to another one under the name that it has.
func (s *shift) plainly(m move, from, to place) bool {
	return under(s.before, m.from) == nil && under(s.after, m.to) == nil && m.convert == nil && m.elements == nil && !m.nothing && slices.Equal(m.to, slices.Concat(to, m.from[len(from):]))
}

// object is what the old shape has at a place where it has an object.
func (w *writer) object(s *shift, of string, at place, sure bool) js {
	var inside []move
	for _, m := range s.moves {
		if m.from.below(at) && len(m.from) > len(at) {
			inside = append(inside, m)
		}
	}
	// It is made of the object that holds most of it under the names that it had.
	var base place
	most := 0
	for _, m := range append([]move{{from: append(slices.Clone(at), ""), to: append(slices.Clone(at), "")}}, inside...) {
		n := len(m.to) - (len(m.from) - len(at))
		if n < 0 {
			continue
		}
		held := 0
		for _, other := range inside {
			if s.plainly(other, at, m.to[:n]) {
				held++
			}
		}
		if held > most {
			base, most = slices.Clone(m.to[:n]), held
		}
	}
	if most == len(inside) {
		return js{before: of + script.Chain(base...)}
	}
	made := js{members: []member{}}
	spread := most > 0
	if !spread && !slices.ContainsFunc(inside, func(m move) bool { return len(m.to) <= len(at) && at.below(m.to) }) &&
		slices.ContainsFunc(inside, func(m move) bool { return m.to.below(at) }) {
		base, spread = at, true // what is new beside it stays
	}
	held := of + script.Chain(base...)
	if spread {
		made.members = append(made.members, member{value: js{before: held}})
	}
	var conditions []string
	for i, m := range inside {
		key := m.from[len(at)]
		below := append(slices.Clone(at), key)
		if slices.ContainsFunc(inside[:i], func(other move) bool { return other.from[len(at)] == key }) {
			continue
		}
		if !slices.ContainsFunc(inside, func(other move) bool {
			return other.from.below(below) && !(most > 0 && s.plainly(other, at, base))
		}) {
			continue
		}
		var value js
		if len(m.from) == len(below) {
			value = w.moved(s, m, of, sure)
			conditions = append(conditions, readAt(s.after, of, m.to)+" == null")
		} else {
			value = w.object(s, of, below, sure)
		}
		made.members = append(made.members, member{key, w.asBefore(s, below, value)})
	}
	switch empty := s.empty[at.id()]; {
	case !sure && len(at) > 0:
		if !spread || !slices.Equal(base, at) {
			return w.fail() // an object in the old shape would be made anew
		}
		return made.in(held+" && ", "")
	case empty == "":
	case spread && len(base) == 0 && len(at) > 0:
		return w.fail()
	case spread:
		return made.in(held+" && ", "")
	case len(conditions) == 0 || len(conditions) > 3:
		return w.fail()
	default:
		made = made.in(strings.Join(conditions, " && ")+" ? "+empty+" : ", "")
	}
	return made
}

// moved is the value of one member, read where it is now and written as it was.
func (w *writer) moved(s *shift, m move, of string, sure bool) js {
	at := readAt(s.after, of, m.to)
	in := strings.ReplaceAll(at, "?", "") == strings.ReplaceAll(of+script.Chain(m.from...), "?", "")
	made := js{before: at}
	switch {
	case m.elements != nil:
		one := w.name(m.from)
		inner := w.whole(m.elements, one, sure || m.elements.mark.tells())
		if !sure && m.elements.mark.tells() {
			inner = inner.in("("+m.elements.mark.missing(one)+" ? "+one+" : ", ")")
		}
		if m.isMap {
			made = inner.in("Object.fromEntries(Object.entries("+at+" ?? {}).map(([key, "+one+"]) => [key, ", "]))")
			break
		}
		call := at + "?.map(("
		if len(m.to) == 0 && at == of {
			call = at + ".map(("
		}
		made = inner.body().in(call+one+") => ", ")")
	case m.convert != nil:
		if m.convert.back == nil {
			return w.fail()
		}
		made = m.convert.back(at, w)
		switch {
		case in && !sure:
			switch {
			case m.convert.still != "":
				return made.in(strings.ReplaceAll(m.convert.still, "$", at)+" ? "+at+" : ", "")
			case m.was == m.kind:
				return w.fail()
			case plainKinds[m.kind]:
				return made.in(discriminator{kind: m.kind}.missing(at)+" ? "+at+" : ", "")
			case m.was == "array":
				return made.in("Array.isArray("+at+") ? "+at+" : ", "")
			case plainKinds[m.was]:
				return made.in("typeof "+at+" === '"+m.was+"' ? "+at+" : ", "")
			}
			return w.fail()
		case m.convert.nothing:
		case m.kind == "string":
			made = made.in(at+" && ", "")
		case m.kind != "array":
			made = made.in(at+" == null ? "+at+" : ", "")
		}
	}
	switch {
	case !sure && !in:
		if text := made.String(); strings.Contains(text, " && ") || strings.Contains(text, " ? ") {
			made = made.in("(", ")")
		}
		if m.to.below(m.from) {
			made = made.in("", " ?? "+of+script.Chain(m.from...))
		} else {
			made = made.in(of+script.Chain(m.from...)+" ?? ", "")
		}
		if m.wasNull {
			made = made.in("", " ?? null")
		}
	case m.nothing && m.convert == nil:
		if m.wasNull {
			made = made.in("", " ?? null")
		} else {
			made = made.in("", " ?? undefined")
		}
	}
	return made
}

// look notes of the values what the way back depends on.
func (s *shift) look(was, is *table) {
	s.moves = slices.Clone(s.moves)
	s.mark = discriminatorOf(was, is, s.moves, nil, nil)
	s.empty = map[string]string{}
	for i := range s.moves {
		m := &s.moves[i]
		old, fresh := was.profile(m.from), is.profile(m.to)
		m.was, m.kind, m.wasNull = old.Kind(), fresh.Kind(), old.Nulls > 0
		always := len(m.from) == 0 || was.always(m.from)
		switch {
		case old.Nulls > 0 && always:
			m.nothing = len(m.to) > 0 && (!is.always(m.to) || len(m.to) > 1 && is.in[m.to.id()] < len(is.values))
		case old.Nulls == 0 && !always:
			m.nothing = fresh.Nulls > 0
		}
		if m.changed() {
			found, named := s.doubts(was, is, *m)
			m.doubts, m.named = append(slices.Clip(m.doubts), found...), named
		}
		for n := range m.from { // the objects that hold it
			at := m.from[:n]
			switch {
			case was.profile(at).Nulls > 0:
				s.empty[at.id()] = "null"
			case n > 0 && !was.always(at):
				s.empty[at.id()] = "undefined"
			}
		}
	}
}
