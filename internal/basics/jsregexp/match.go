package jsregexp

import (
	"errors"
	"unicode/utf16"
)

// ErrTooDeep says that a match would have to keep more ways back than there may be.
var ErrTooDeep = errors.New("the regular expression has too many ways to match this text")

// ways is how many ways back a match may keep at once: 16 bytes each.
const ways = 1 << 20

type wayKind uint8

const (
	undo    wayKind = iota // register a had b
	resume                 // at instruction a, position b
	shorter                // the run of instruction a ends at b, and not before c
	longer                 // the run of instruction a goes on at b, after c characters
)

type way struct {
	kind    wayKind
	a, b, c int32
}

type matcher struct {
	*Regexp
	text      []uint16
	registers []int32
	stack     []way
	full      bool // there were more ways back than there may be
	inside    int  // of so many looks ahead or behind
	tried     int
	failed    map[uint64]struct{} // what was gone back to, after many tries: it would fail again
}

// patience is how often a match goes back before it keeps where it failed, and memory of how many such places it keeps.
const (
	patience = 5000
	memory   = 1 << 21
)

// again says that a match went back to a place before, and would fail once more: so (a+)+$ takes no longer than it has to. The place
// says all that matters, with whether rounds of repetitions that may match nothing have matched something.
func (m *matcher) again(pc, at int) bool {
	if m.tried++; m.tried < patience || len(m.failed) > memory || len(m.code) > 1<<16 {
		return false
	}
	key := uint64(pc)<<16 | uint64(at)<<32 //nolint:gosec // neither is negative
	for i, one := range m.hollow {
		if int(m.registers[one.a+1]) == at {
			key |= 1 << (2 * i)
		}
		if int(m.registers[one.a]) > one.min {
			key |= 2 << (2 * i)
		}
	}
	if m.failed == nil {
		m.failed = map[uint64]struct{}{}
	}
	if _, known := m.failed[key]; known {
		return true
	}
	m.failed[key] = struct{}{}
	return false
}

// Find is where a text matches, from a position on or, if it sticks, at it: beginning and end of the whole and of each group, -1 for
// one that did not match; nil for no match.
func (r *Regexp) Find(text []uint16, at int, sticks bool) ([]int32, error) {
	m := matcher{Regexp: r, text: text, registers: make([]int32, r.registers)}
	if r.unicode && at > 0 && at < len(text) && m.pair(at-1) {
		at--
	}
	for ; at <= len(text); at = m.after(at) {
		if !sticks && r.first != nil {
			for at < len(text) {
				if c := text[at]; c < 128 && r.first.ascii[c>>6]>>(c&63)&1 != 0 || c >= 128 && r.first.wide {
					break
				}
				at++
			}
			if at == len(text) {
				return nil, nil
			}
			if r.unicode && at > 0 && m.pair(at-1) {
				continue
			}
		}
		for i := range m.registers {
			m.registers[i] = -1
		}
		m.stack = m.stack[:0]
		end, ok := m.run(0, at)
		if m.full {
			return nil, ErrTooDeep
		}
		if ok {
			m.registers[0], m.registers[1] = int32(at), int32(end) //nolint:gosec // no text is as long
			found := m.registers[:2*(r.groups+1)]
			for i := 0; i < len(found); i += 2 {
				if found[i] < 0 || found[i+1] < 0 {
					found[i], found[i+1] = -1, -1
				}
			}
			return found, nil
		}
		if sticks || r.fromStart {
			return nil, nil
		}
	}
	return nil, nil
}

// pair says that a pair of code units stands at a position.
func (m *matcher) pair(at int) bool {
	return at+1 < len(m.text) && rune(m.text[at])&^0x3FF == 0xD800 && rune(m.text[at+1])&^0x3FF == 0xDC00
}

func (m *matcher) after(at int) int {
	if m.unicode && m.pair(at) {
		return at + 2
	}
	return at + 1
}

// next is the character at a position, or the one before it, and the position behind it; -1 at the end.
func (m *matcher) next(at int, behind bool) (c rune, to int) {
	if behind {
		if at == 0 {
			return -1, at
		}
		if m.unicode && at > 1 && m.pair(at-2) {
			return utf16.DecodeRune(rune(m.text[at-2]), rune(m.text[at-1])), at - 2
		}
		return rune(m.text[at-1]), at - 1
	}
	if at >= len(m.text) {
		return -1, at
	}
	if m.unicode && m.pair(at) {
		return utf16.DecodeRune(rune(m.text[at]), rune(m.text[at+1])), at + 2
	}
	return rune(m.text[at]), at + 1
}

func (m *matcher) put(register, value int) {
	m.stack = append(m.stack, way{undo, int32(register), m.registers[register], 0}) //nolint:gosec // no text is as long
	m.registers[register] = int32(value)                                            //nolint:gosec // no text is as long
}

func (m *matcher) keep(kind wayKind, a, b, c int) {
	m.stack = append(m.stack, way{kind, int32(a), int32(b), int32(c)}) //nolint:gosec // no text is as long
}

func takes(i *instruction, c rune) bool {
	if i.set != nil {
		return c >= 0 && i.set.has(c)
	}
	return c == i.c
}

// run matches from an instruction on, up to opMatch. It leaves the ways back that it kept to its caller.
func (m *matcher) run(pc, at int) (end int, ok bool) {
	bottom := len(m.stack)
	for {
		i := &m.code[pc]
		failed := false
		switch i.op {
		case opChar, opSet:
			c, to := m.next(at, i.behind)
			if takes(i, c) {
				pc, at = pc+1, to
			} else {
				failed = true
			}
		case opSave:
			m.put(i.a, at)
			pc++
		case opSplit:
			m.keep(resume, i.b, at, 0)
			pc++
		case opJump:
			pc = i.b
		case opRun:
			if at, ok = m.runOf(i, pc, at); ok {
				pc++
			} else {
				failed = true
			}
		case opFirst:
			m.put(i.a, 0)
			pc++
		case opLoop:
			switch count := int(m.registers[i.a]); {
			case count < i.min:
				pc++
			case i.max >= 0 && count >= i.max:
				pc = i.b
			case i.greedy:
				m.keep(resume, i.b, at, 0)
				pc++
			default:
				m.keep(resume, pc+1, at, 0)
				pc = i.b
			}
		case opRound:
			m.put(i.a, int(m.registers[i.a])+1)
			m.put(i.a+1, at)
			for group := i.min; group < i.max; group++ {
				if m.registers[group] >= 0 {
					m.put(group, -1)
				}
			}
			pc++
		case opAgain:
			if int(m.registers[i.a]) > i.min && int(m.registers[i.a+1]) == at {
				failed = true
			} else {
				pc = i.b
			}
		case opLook:
			before := len(m.stack)
			m.inside++
			_, found := m.run(pc+1, at)
			m.inside--
			if found {
				if i.negative {
					m.undo(before)
				} else {
					m.forget(before)
				}
			}
			if found == i.negative {
				failed = true
			} else {
				pc = i.b
			}
		case opBack:
			if at, ok = m.same(i, at); ok {
				pc++
			} else {
				failed = true
			}
		case opLineStart:
			if c := m.unit(at - 1); at == 0 || m.multiline && ends(c) {
				pc++
			} else {
				failed = true
			}
		case opLineEnd:
			if c := m.unit(at); at == len(m.text) || m.multiline && ends(c) {
				pc++
			} else {
				failed = true
			}
		case opEdge, opNoEdge:
			before, _ := m.next(at, true)
			behind, _ := m.next(at, false)
			if (before >= 0 && m.words.has(before)) != (behind >= 0 && m.words.has(behind)) == (i.op == opEdge) {
				pc++
			} else {
				failed = true
			}
		case opMatch:
			return at, true
		default:
			failed = true
		}
		if m.full = m.full || len(m.stack) > ways; m.full {
			return 0, false
		}
		for failed {
			if pc, at, ok = m.goBack(bottom); !ok {
				return 0, false
			}
			failed = m.forgetful && m.inside == 0 && m.again(pc, at)
		}
	}
}

func ends(c rune) bool { return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 }

func (m *matcher) unit(at int) rune {
	if at < 0 || at >= len(m.text) {
		return -1
	}
	return rune(m.text[at])
}

// runOf matches a repetition of single characters, and keeps the ways back in one.
func (m *matcher) runOf(i *instruction, pc, at int) (end int, ok bool) {
	count, from := 0, at
	for ; count < i.min || i.greedy && (i.max < 0 || count < i.max); count++ {
		if count == i.min {
			from = at
		}
		c, to := m.next(at, i.behind)
		if !takes(i, c) {
			break
		}
		at = to
	}
	if count < i.min {
		return at, false
	}
	if count == i.min {
		from = at
	}
	switch {
	case i.greedy && at != from:
		m.keep(shorter, pc, at, from)
	case !i.greedy && (i.max < 0 || count < i.max):
		m.keep(longer, pc, at, count)
	}
	return at, true
}

// goBack takes the last way back, if there is one above bottom.
func (m *matcher) goBack(bottom int) (pc, at int, ok bool) {
	for len(m.stack) > bottom {
		last := &m.stack[len(m.stack)-1]
		switch last.kind {
		case undo:
			m.registers[last.a] = last.b
			m.stack = m.stack[:len(m.stack)-1]
		case resume:
			m.stack = m.stack[:len(m.stack)-1]
			return int(last.a), int(last.b), true
		case shorter:
			pc = int(last.a)
			_, at = m.next(int(last.b), !m.code[pc].behind)
			last.b = int32(at) //nolint:gosec // no text is as long
			if last.b == last.c {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc + 1, at, true
		case longer:
			pc = int(last.a)
			i := &m.code[pc]
			c, to := m.next(int(last.b), i.behind)
			if !takes(i, c) {
				m.stack = m.stack[:len(m.stack)-1]
				continue
			}
			last.b, last.c = int32(to), last.c+1 //nolint:gosec // no text is as long
			if i.max >= 0 && int(last.c) >= i.max {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc + 1, to, true
		}
	}
	return 0, 0, false
}

// undo takes back all that was done since.
func (m *matcher) undo(to int) {
	for len(m.stack) > to {
		if last := m.stack[len(m.stack)-1]; last.kind == undo {
			m.registers[last.a] = last.b
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// forget leaves the ways back since, but not what they would take back.
func (m *matcher) forget(to int) {
	kept := m.stack[:to]
	for _, one := range m.stack[to:] {
		if one.kind == undo {
			kept = append(kept, one)
		}
	}
	m.stack = kept
}

// same matches what a group matched once more.
func (m *matcher) same(i *instruction, at int) (end int, ok bool) {
	for _, group := range i.list {
		from, to := int(m.registers[2*group]), int(m.registers[2*group+1])
		if from < 0 || to < 0 {
			continue
		}
		if !m.fold {
			n := to - from
			if i.behind {
				at -= n
			}
			if at < 0 || at+n > len(m.text) {
				return 0, false
			}
			for k := range n {
				if m.text[from+k] != m.text[at+k] {
					return 0, false
				}
			}
			if i.behind {
				return at, true
			}
			return at + n, true
		}
		for place := from; i.behind && to > from || !i.behind && place < to; {
			var a, b rune
			if i.behind {
				a, to = m.next(to, true)
			} else {
				a, place = m.next(place, false)
			}
			if b, at = m.next(at, i.behind); b < 0 || canonical(a, m.unicode) != canonical(b, m.unicode) {
				return 0, false
			}
		}
		return at, true
	}
	return at, true
}
