package migration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Migration is one explanation of how a payload's shape changed.
type Migration struct {
	// Score says how well the payloads bear it out, 0 to 1: the score of its weakest move.
	Score float64
	// Joint is that of its weakest move of what the script names, or more if it is the only explanation and nothing is left over.
	Joint float64
	// Lost are the members whose values stand nowhere any more, as far as can be seen. Apply
	// leaves them where they were.
	Lost []string
	// Fills are the members that only the new shape has: their values in carried payloads are of today.
	Fills []string

	root    *shift
	written string // how the text is written that holds it, for people
}

// Rewritten are explanations of what is also written as another text now; one if nothing else changed.
func Rewritten(ways []Migration, says string) []Migration {
	if len(ways) == 0 && says != "" {
		ways = []Migration{Same()}
	}
	for i := range ways {
		ways[i].written = says
	}
	return ways
}

// Same is the explanation that nothing changed.
func Same() Migration { return Migration{Score: 1, Joint: 1, root: &shift{}} }

// shift is what became of the values at one place: the whole payload, or the elements of a list.
type shift struct {
	moves []move
	lost  []place // told only
	fill  []leaf  // what only the new shape has, with a value that was seen
	order map[string][]string

	before, after []view // through which the old values are seen, and the new ones

	// For the way back:
	mark  discriminator
	empty map[string]string // what the old values have in place of an object that is not there
}

// move says where a member went, and how it is written there.
type move struct {
	from, to place
	convert  *conversion // nil for as it was
	elements *shift      // nil if it is no list or map, or its elements stayed as they were
	isMap    bool
	score    float64

	// For the way back: the kinds of the values; that nothing is written another way; that the old values have null.
	was, kind        string
	nothing, wasNull bool
	doubts           []string
	named            func(holder place) []string

	alone float64 // its score without what it gains beside others; 0 for the same
	sure  bool    // its names or its values speak for it
}

func (m move) changed() bool {
	return !slices.Equal(m.from, m.to) || m.convert != nil || m.elements != nil
}

// each is how the elements of a list, or the values of a map, are named.
func (m move) each() string {
	if m.isMap {
		return ".*"
	}
	return payload.Element
}

// Apply is an old payload in the new shape. It is false if some value cannot be carried.
func (m Migration) Apply(value any) (any, bool) { return m.root.apply(clone(value)) }

// Concerns says that a value of the old shape has something that is another now.
func (m Migration) Concerns(old any) bool {
	made, ok := m.Apply(old)
	return !ok || !payload.Equal(old, made)
}

func (s *shift) apply(value any) (any, bool) {
	if s == nil {
		return value, true
	}
	value, ok := opened(s.before, value)
	if !ok {
		return nil, false
	}
	type carried struct {
		to    place
		value any
	}
	var found []carried
	for _, move := range s.moves {
		if !move.changed() {
			continue
		}
		at, ok, nothing := find(value, move.from)
		to := move.to
		if nothing > 0 { // the object that held it was null, so is the one that holds it now
			short := len(to) - (len(move.from) - nothing)
			if short <= 0 {
				continue
			}
			at, ok, to = nil, true, to[:short]
		}
		if !ok {
			continue
		}
		if move.elements != nil {
			switch of := at.(type) {
			case []any:
				for i, element := range of {
					if of[i], ok = move.elements.apply(element); !ok {
						return nil, false
					}
				}
			case *orderedjson.Object:
				for _, key := range of.Keys {
					if of.Fields[key], ok = move.elements.apply(of.Fields[key]); !ok {
						return nil, false
					}
				}
			}
		}
		if move.convert != nil && nothing <= 0 {
			if at, ok = move.convert.write(at); !ok {
				return nil, false
			}
		}
		found = append(found, carried{to, at})
	}
	for _, move := range s.moves {
		if move.changed() {
			value = orderedjson.RemoveAt(value, move.from)
		}
	}
	for _, c := range found {
		value = orderedjson.PutAt(value, c.to, c.value)
	}
	if _, isObject := value.(*orderedjson.Object); isObject {
		for _, f := range s.fill {
			holder := f.place[:max(0, len(f.place)-1)]
			moved := len(holder) > 0 && slices.ContainsFunc(s.moves, func(m move) bool { return m.changed() && m.to.below(holder) })
			if _, there, nothing := find(value, f.place); !there && nothing < 0 && (!moved || objectAt(value, holder)) {
				value = orderedjson.PutAt(value, f.place, clone(f.value))
			}
		}
	}
	s.sort(value, nil)
	return closed(s.after, value)
}

// sort gives the members of objects the order in which they come now.
func (s *shift) sort(value any, at place) {
	o, ok := value.(*orderedjson.Object)
	if !ok {
		return
	}
	if order := s.order[at.id()]; order != nil {
		rank := func(key string) int {
			if i := slices.Index(order, key); i >= 0 {
				return i
			}
			return len(order)
		}
		slices.SortStableFunc(o.Keys, func(a, b string) int { return rank(a) - rank(b) })
	}
	for _, key := range o.Keys {
		s.sort(o.Fields[key], append(slices.Clone(at), key))
	}
}

// To says where a member of the payload, or all that it holds, stands now under the names that it had in itself; how well
// that is borne out; and whether all else kept its name. It is not ok if that is no single place, or not known.
func (m Migration) To(member []string) (to []string, score float64, alone, ok bool) {
	score, alone = 1, len(m.Lost) == 0
	for _, move := range m.root.moves {
		if !move.from.below(member) {
			alone = alone && payload.Squeeze(move.from.last()) == payload.Squeeze(move.to.last())
			continue
		}
		if under(m.root.before, move.from) != nil || under(m.root.after, move.to) != nil {
			return nil, 0, false, false
		}
		tail := move.from[len(member):]
		n := len(move.to) - len(tail)
		if n < 0 || !slices.Equal(move.to[n:], tail) || ok && !slices.Equal(to, move.to[:n]) {
			return nil, 0, false, false
		}
		to, ok, score = move.to[:n], true, min(score, move.score)
	}
	return to, score, alone, ok && !slices.Equal(to, member)
}

// String says it for people: total is now amount; lines[].price is now in text.
func (m Migration) String() string {
	var parts []string
	m.root.describe("", &parts)
	if m.written != "" {
		parts = append(parts, "the text is now written "+m.written)
	}
	return strings.Join(parts, "; ")
}

func (s *shift) describe(prefix string, parts *[]string) {
	if s == nil {
		return
	}
	name := func(at place) string {
		if len(at) == 0 {
			if prefix == "" {
				return "the answer"
			}
			return strings.TrimSuffix(prefix, ".")
		}
		return prefix + at.String()
	}
	for _, v := range s.before {
		*parts = append(*parts, name(v.at)+" was "+v.says())
	}
	for _, v := range s.after {
		*parts = append(*parts, name(v.at)+" is now "+v.says())
	}
	for _, move := range s.moves {
		said := name(move.from) + " is now "
		switch {
		case !slices.Equal(move.from, move.to) && move.convert != nil:
			*parts = append(*parts, said+name(move.to)+", "+move.convert.says)
		case !slices.Equal(move.from, move.to):
			*parts = append(*parts, said+name(move.to))
		case move.convert != nil:
			*parts = append(*parts, fmt.Sprintf("%s is now written %s", name(move.from), move.convert.says))
		}
		if move.elements != nil {
			move.elements.describe(strings.TrimSuffix(name(move.to), ".")+move.each()+".", parts)
		}
	}
}
