// Package jsregexp matches regular expressions as ECMAScript 2023 says: with look-ahead and look-behind, references back to groups,
// and groups that are empty again in each round of a repetition. It goes back and tries again, as the engines of browsers do, so that
// some patterns take very long for some texts. There are the flags i, m, s and u; g and y are for who asks where to begin.
package jsregexp

import (
	"errors"
	"slices"
	"unicode/utf16"
)

type opcode uint8

const (
	opChar  opcode = iota // c
	opSet                 // set
	opSave                // the position in register a
	opSplit               // try what follows, then b
	opJump                // to b
	opRun                 // one character after another of set or c, min to max of them
	opFirst               // counter a is 0
	opLoop                // another round of counter a, or b
	opRound               // begins a round: counter a, and groups from min up to max are empty
	opAgain               // ends a round: back to b, where counter a is
	opLook                // for what follows, up to opMatch; goes on at b
	opBack                // to what a group of list matched
	opLineStart
	opLineEnd
	opEdge
	opNoEdge
	opMatch
	opFail
)

type instruction struct {
	op       opcode
	behind   bool // it reads backwards
	greedy   bool
	negative bool
	a, b     int
	min, max int
	c        rune
	set      *set
	list     []int
}

// Regexp is a compiled regular expression. Any number of goroutines may use it.
type Regexp struct {
	code      []instruction
	groups    int
	registers int
	names     []Name
	unicode   bool
	fold      bool
	multiline bool
	words     *set
	first     *start
	fromStart bool // it matches at the beginning of a text or not at all
	forgetful bool // what follows on a place in the code depends on nothing but that place and the position, and on hollow
	hollow    []instruction
}

// Name is one that a group has.
type Name struct {
	Name  string
	Group int
}

// Groups is the number of groups that capture.
func (r *Regexp) Groups() int { return r.groups }

// Names are those of groups, in their order.
func (r *Regexp) Names() []Name { return r.names }

// Compile reads a pattern with flags, of which it looks at i, m, s and u. The error says what is wrong with the pattern.
func Compile(pattern []uint16, flags string) (made *Regexp, err error) {
	has := func(flag rune) bool { return slices.Contains([]rune(flags), flag) }
	p := &parser{unicode: has('u'), fold: has('i'), dotAll: has('s'), names: map[string]int{}}
	if p.unicode {
		p.source = utf16.Decode(pattern)
		if slices.Contains(p.source, 0xFFFD) { // half of a pair is a character of its own
			p.source = halves(pattern)
		}
	} else {
		for _, unit := range pattern {
			p.source = append(p.source, rune(unit))
		}
	}
	defer func() {
		if found := recover(); found != nil {
			text, is := found.(syntaxError)
			if !is {
				panic(found)
			}
			made, err = nil, errors.New(string(text))
		}
	}()
	p.count()
	tree := p.alternatives()
	if p.more() {
		p.fail("Unmatched ')'")
	}
	for _, one := range p.backs {
		number, known := p.names[one.name]
		if !known {
			p.fail("Invalid named capture referenced")
		}
		one.referents = []int{number}
	}
	c := &compiler{Regexp: Regexp{forgetful: true, groups: p.groups, registers: 2 * (p.groups + 1), unicode: p.unicode, fold: p.fold, multiline: has('m'), words: newSet(words(p.fold && p.unicode), false, false, p.unicode)}}
	for name, number := range p.names {
		c.names = append(c.names, Name{name, number})
	}
	slices.SortFunc(c.names, func(a, b Name) int { return a.Group - b.Group })
	c.put(tree, false)
	c.emit(instruction{op: opMatch})
	begins := &start{}
	if !c.begins(tree, begins) {
		c.first = begins
	}
	c.forgetful = c.forgetful && len(c.hollow) <= 8
	c.fromStart = !c.multiline && c.code[0].op == opLineStart
	return &c.Regexp, nil
}

// halves are the code points of a text, in which half of a pair is one.
func halves(units []uint16) []rune {
	var list []rune
	for i := 0; i < len(units); i++ {
		c := rune(units[i])
		if i+1 < len(units) {
			if pair := utf16.DecodeRune(c, rune(units[i+1])); pair != 0xFFFD {
				list = append(list, pair)
				i++
				continue
			}
		}
		list = append(list, c)
	}
	return list
}

type compiler struct{ Regexp }

// longest bounds the code of one pattern.
const longest = 1 << 20

func (c *compiler) emit(i instruction) int {
	if len(c.code) > longest {
		panic(syntaxError("Regular expression too large"))
	}
	c.code = append(c.code, i)
	return len(c.code) - 1
}

func (c *compiler) put(n *node, behind bool) {
	switch n.kind {
	case empty:
	case character:
		c.emit(instruction{op: opChar, c: n.char, behind: behind})
	case anyOf:
		c.emit(instruction{op: opSet, set: n.set, behind: behind})
	case sequence:
		if behind {
			for _, sub := range slices.Backward(n.sub) {
				c.put(sub, behind)
			}
			return
		}
		for _, sub := range n.sub {
			c.put(sub, behind)
		}
	case either:
		var ends []int
		for i, sub := range n.sub {
			if i == len(n.sub)-1 {
				c.put(sub, behind)
				break
			}
			split := c.emit(instruction{op: opSplit})
			c.put(sub, behind)
			ends = append(ends, c.emit(instruction{op: opJump}))
			c.code[split].b = len(c.code)
		}
		for _, end := range ends {
			c.code[end].b = len(c.code)
		}
	case group:
		if n.number == 0 {
			c.put(n.sub[0], behind)
			return
		}
		first, second := 2*n.number, 2*n.number+1
		if behind {
			first, second = second, first
		}
		c.emit(instruction{op: opSave, a: first})
		c.put(n.sub[0], behind)
		c.emit(instruction{op: opSave, a: second})
	case repeat:
		c.repeat(n, behind)
	case look:
		at := c.emit(instruction{op: opLook, negative: n.negative})
		c.put(n.sub[0], n.behind)
		c.emit(instruction{op: opMatch})
		c.code[at].b = len(c.code)
	case back:
		c.forgetful = false
		c.emit(instruction{op: opBack, list: n.referents, behind: behind})
	case lineStart:
		c.emit(instruction{op: opLineStart})
	case lineEnd:
		c.emit(instruction{op: opLineEnd})
	case wordEdge:
		c.emit(instruction{op: opEdge})
	case noWordEdge:
		c.emit(instruction{op: opNoEdge})
	}
}

func (c *compiler) repeat(n *node, behind bool) {
	if n.max == 0 {
		return
	}
	of := n.sub[0]
	for of.kind == group && of.number == 0 {
		of = of.sub[0]
	}
	if of.kind == character || of.kind == anyOf {
		c.emit(instruction{op: opRun, c: of.char, set: of.set, min: n.min, max: n.max, greedy: n.greedy, behind: behind})
		return
	}
	counter := c.registers // and behind it the position at which a round began
	c.registers += 2
	c.forgetful = c.forgetful && n.min <= 1 && (n.max == -1 || n.max == 1)
	if c.begins(of, &start{}) {
		c.hollow = append(c.hollow, instruction{a: counter, min: n.min})
	}
	c.emit(instruction{op: opFirst, a: counter})
	loop := c.emit(instruction{op: opLoop, a: counter, min: n.min, max: n.max, greedy: n.greedy})
	c.emit(instruction{op: opRound, a: counter, min: 2 * (n.from + 1), max: 2 * (n.to + 1)})
	c.put(of, behind)
	c.emit(instruction{op: opAgain, a: counter, b: loop, min: n.min})
	c.code[loop].b = len(c.code)
}

// start are the characters that a match may begin with.
type start struct {
	ascii [2]uint64
	wide  bool // others, too
}

func (s *start) any() { s.ascii, s.wide = [2]uint64{^uint64(0), ^uint64(0)}, true }

// begins adds what a node may begin with, and says that it may match nothing.
func (c *compiler) begins(n *node, to *start) bool {
	switch n.kind {
	case character:
		if n.char < 128 {
			to.ascii[n.char>>6] |= 1 << (n.char & 63)
		} else {
			to.wide = true
		}
		return false
	case anyOf:
		to.ascii[0], to.ascii[1], to.wide = to.ascii[0]|n.set.ascii[0], to.ascii[1]|n.set.ascii[1], true
		return false
	case sequence:
		for _, sub := range n.sub {
			if !c.begins(sub, to) {
				return false
			}
		}
		return true
	case either:
		may := false
		for _, sub := range n.sub {
			may = c.begins(sub, to) || may
		}
		return may
	case group:
		return c.begins(n.sub[0], to)
	case repeat:
		if n.max == 0 {
			return true
		}
		return c.begins(n.sub[0], to) || n.min == 0
	case back:
		to.any()
	}
	return true
}
