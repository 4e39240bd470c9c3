package jsregexp

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf16"
)

type nodeKind uint8

const (
	empty nodeKind = iota
	character
	anyOf // a set of characters
	sequence
	either
	group  // of characters, with a number if it captures
	repeat // of sub[0]
	look   // ahead or behind for sub[0]
	back   // to what a group matched
	lineStart
	lineEnd
	wordEdge
	noWordEdge
)

type node struct {
	kind      nodeKind
	char      rune
	set       *set
	sub       []*node
	number    int // of a group; 0 does not capture
	min, max  int // of a repetition; max is -1 without an end
	greedy    bool
	from, to  int // the groups in a repetition are those above from, up to to
	negative  bool
	behind    bool
	name      string // that a back reference is to
	referents []int
}

type parser struct {
	source  []rune // code points with the flag u, else code units
	at      int
	unicode bool
	fold    bool
	dotAll  bool
	named   bool // there is a named group
	total   int  // groups that capture, in all
	groups  int  // groups that capture, so far
	names   map[string]int
	backs   []*node
	depth   int
}

// deepest is how far groups may be within groups: a parser calls itself for each.
const deepest = 5000

type syntaxError string

func (p *parser) fail(format string, args ...any) {
	panic(syntaxError(fmt.Sprintf(format, args...)))
}

func (p *parser) more() bool { return p.at < len(p.source) }

func (p *parser) peek(ahead int) rune {
	if p.at+ahead < len(p.source) {
		return p.source[p.at+ahead]
	}
	return -1
}

func (p *parser) eat(c rune) bool {
	if p.peek(0) == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) eatText(text string) bool {
	for i, c := range text {
		if p.peek(i) != c {
			return false
		}
	}
	p.at += len(text)
	return true
}

// count finds how many groups there are: \2 before the second group is one, and \k is a letter where no group has a name.
func (p *parser) count() {
	class := false
	for i := 0; i < len(p.source); i++ {
		switch c := p.source[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '(' && !class:
			if i+1 < len(p.source) && p.source[i+1] == '?' {
				if i+3 < len(p.source) && p.source[i+2] == '<' && p.source[i+3] != '=' && p.source[i+3] != '!' {
					p.total++
					p.named = true
				}
			} else {
				p.total++
			}
		}
	}
}

func (p *parser) alternatives() *node {
	if p.depth++; p.depth > deepest {
		p.fail("groups are nested more than %d deep", deepest)
	}
	defer func() { p.depth-- }()
	list := []*node{p.sequence()}
	for p.eat('|') {
		list = append(list, p.sequence())
	}
	if len(list) == 1 {
		return list[0]
	}
	return &node{kind: either, sub: list}
}

func (p *parser) sequence() *node {
	var list []*node
	for p.more() && p.peek(0) != '|' && p.peek(0) != ')' {
		before := p.groups
		one, atom := p.term()
		list = append(list, p.quantified(one, atom, before))
	}
	switch len(list) {
	case 0:
		return &node{kind: empty}
	case 1:
		return list[0]
	}
	return &node{kind: sequence, sub: list}
}

func (p *parser) quantified(one *node, atom bool, before int) *node {
	lowest, highest := 0, -1
	at := p.at
	switch {
	case p.eat('*'):
	case p.eat('+'):
		lowest = 1
	case p.eat('?'):
		highest = 1
	case p.peek(0) == '{':
		if lowest, highest = p.braces(); lowest < 0 {
			if p.unicode {
				p.fail("Incomplete quantifier")
			}
			return one
		}
		if highest >= 0 && highest < lowest {
			p.fail("numbers out of order in {} quantifier")
		}
	default:
		return one
	}
	if !atom {
		p.at = at
		p.fail("Nothing to repeat")
	}
	return &node{kind: repeat, sub: []*node{one}, min: lowest, max: highest, greedy: !p.eat('?'), from: before, to: p.groups}
}

// most is what a repetition counts to.
const most = 1<<31 - 1

// braces reads {2}, {2,} or {2,3}; lowest is -1 if it is none, and nothing is read.
func (p *parser) braces() (lowest, highest int) {
	at := p.at
	p.at++
	number := func() int {
		value, digits := 0, 0
		for ; p.peek(0) >= '0' && p.peek(0) <= '9'; p.at++ {
			value, digits = min(value*10+int(p.peek(0)-'0'), most), digits+1
		}
		if digits == 0 {
			return -1
		}
		return value
	}
	lowest = number()
	highest = lowest
	if lowest >= 0 && p.eat(',') {
		highest = number()
	}
	if lowest < 0 || !p.eat('}') {
		p.at = at
		return -1, -1
	}
	return lowest, highest
}

// term is one of a sequence, and whether it may be repeated.
func (p *parser) term() (one *node, atom bool) {
	c := p.peek(0)
	p.at++
	switch c {
	case '^':
		return &node{kind: lineStart}, false
	case '$':
		return &node{kind: lineEnd}, false
	case '(':
		return p.group()
	case '.':
		return &node{kind: anyOf, set: p.dot()}, true
	case '[':
		return &node{kind: anyOf, set: p.class()}, true
	case '\\':
		return p.escape()
	case '*', '+', '?':
		p.at--
		p.fail("Nothing to repeat")
	case '{':
		p.at--
		if p.unicode {
			p.fail("Nothing to repeat")
		}
		if lowest, _ := p.braces(); lowest >= 0 {
			p.fail("Nothing to repeat")
		}
		p.at++
	case ']', '}':
		if p.unicode {
			p.fail("Lone quantifier brackets")
		}
	}
	return p.char(c), true
}

func (p *parser) char(c rune) *node {
	if p.fold && hasCases(c, p.unicode) {
		return &node{kind: anyOf, set: newSet([]Range{{c, c}}, false, p.fold, p.unicode)}
	}
	return &node{kind: character, char: c}
}

func (p *parser) dot() *set {
	if p.dotAll {
		return newSet([]Range{{0, unicode.MaxRune}}, false, false, p.unicode)
	}
	return newSet(lineEnds, true, false, p.unicode)
}

func (p *parser) group() (one *node, atom bool) {
	one, atom = &node{kind: group}, true
	if p.eat('?') {
		switch {
		case p.eat(':'):
		case p.eat('='):
			one.kind, atom = look, !p.unicode
		case p.eat('!'):
			one.kind, one.negative, atom = look, true, !p.unicode
		case p.eatText("<="):
			one.kind, one.behind, atom = look, true, false
		case p.eatText("<!"):
			one.kind, one.behind, one.negative, atom = look, true, true, false
		case p.eat('<'):
			name := p.name()
			if _, twice := p.names[name]; twice {
				p.fail("two groups are named %s: give each a name of its own, and take the one that matched, as in groups.a ?? groups.b", name)
			}
			p.groups++
			one.number = p.groups
			p.names[name] = one.number
		default:
			p.fail("Invalid group")
		}
	} else {
		p.groups++
		one.number = p.groups
	}
	one.sub = []*node{p.alternatives()}
	if !p.eat(')') {
		p.fail("Unterminated group")
	}
	return one, atom
}

// name reads the name of a group, up to the > behind it.
func (p *parser) name() string {
	var name []rune
	for {
		c := p.peek(0)
		p.at++
		switch {
		case c == '>' && len(name) > 0:
			return string(name)
		case c == '\\' && p.eat('u'):
			if c = p.codePoint(true); c < 0 {
				p.fail("Invalid Unicode escape")
			}
		case utf16.IsSurrogate(c) && utf16.IsSurrogate(p.peek(0)):
			c = utf16.DecodeRune(c, p.peek(0))
			p.at++
		}
		if c != '$' && c != '_' && !unicode.IsLetter(c) && !unicode.Is(unicode.Nl, c) && !unicode.Is(unicode.Other_ID_Start, c) &&
			(len(name) == 0 || c != 0x200C && c != 0x200D && !unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)) {
			p.fail("Invalid capture group name")
		}
		name = append(name, c)
	}
}

func (p *parser) hex(digits int) rune {
	value := rune(0)
	for i := range digits {
		d := hexDigit(p.peek(i))
		if d < 0 {
			return -1
		}
		value = value*16 + d
	}
	p.at += digits
	return value
}

func hexDigit(c rune) rune {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// codePoint reads what stands behind \u; -1 if it is none, and nothing is read. Braces and pairs are read with the flag u only, and
// in names.
func (p *parser) codePoint(whole bool) rune {
	at := p.at
	if whole && p.eat('{') {
		value, digits := rune(0), 0
		for ; hexDigit(p.peek(0)) >= 0; p.at++ {
			value, digits = value*16+hexDigit(p.peek(0)), digits+1
			if value > unicode.MaxRune {
				p.at = at
				return -1
			}
		}
		if digits == 0 || !p.eat('}') {
			p.at = at
			return -1
		}
		return value
	}
	value := p.hex(4)
	if whole && value >= 0xD800 && value < 0xDC00 && p.peek(0) == '\\' && p.peek(1) == 'u' {
		at = p.at
		p.at += 2
		if second := p.hex(4); second >= 0xDC00 && second < 0xE000 {
			return utf16.DecodeRune(value, second)
		}
		p.at = at
	}
	return value
}

// escape reads what stands behind a \ outside of a class.
func (p *parser) escape() (one *node, atom bool) {
	switch c := p.peek(0); {
	case c == 'b':
		p.at++
		return &node{kind: wordEdge}, false
	case c == 'B':
		p.at++
		return &node{kind: noWordEdge}, false
	case c >= '1' && c <= '9':
		at, number := p.at, 0
		for ; p.peek(0) >= '0' && p.peek(0) <= '9'; p.at++ {
			number = min(number*10+int(p.peek(0)-'0'), most)
		}
		if number <= p.total {
			return &node{kind: back, referents: []int{number}}, true
		}
		if p.unicode {
			p.fail("Invalid escape")
		}
		p.at = at
	case c == 'k' && (p.unicode || p.named):
		p.at++
		if !p.eat('<') {
			p.fail("Invalid named reference")
		}
		one := &node{kind: back, name: p.name()}
		p.backs = append(p.backs, one)
		return one, true
	}
	if set := p.classEscape(); set != nil {
		return &node{kind: anyOf, set: set}, true
	}
	return p.char(p.charEscape(false)), true
}

// classEscape reads \d and its kin; nil if there is none.
func (p *parser) classEscape() *set {
	c := p.peek(0)
	var ranges []Range
	var negative bool
	switch c {
	case 'd', 'D':
		ranges, negative = []Range{{'0', '9'}}, c == 'D'
	case 'w', 'W':
		ranges, negative = words(p.fold && p.unicode), c == 'W'
	case 's', 'S':
		ranges, negative = blanks, c == 'S'
	case 'p', 'P':
		if !p.unicode {
			return nil
		}
		p.at++
		if !p.eat('{') {
			p.fail("Invalid property name")
		}
		var name []rune
		for p.peek(0) != '}' {
			if !p.more() {
				p.fail("Invalid property name")
			}
			name = append(name, p.peek(0))
			p.at++
		}
		found, known := property(string(name))
		if !known {
			p.fail("\\p{%.60s} is no property of characters that is known here", string(name))
		}
		ranges, negative = found, c == 'P'
	default:
		return nil
	}
	p.at++
	if negative { // of the ranges, so that a class can take them in; case is folded after that
		ranges = others(ranges)
	}
	return newSet(ranges, false, p.fold, p.unicode)
}

// charEscape reads the one character that stands behind a \.
func (p *parser) charEscape(class bool) rune {
	c := p.peek(0)
	if c < 0 {
		p.fail(`\ at end of pattern`)
	}
	p.at++
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'b':
		if class {
			return '\b'
		}
	case '-':
		if class {
			return '-'
		}
	case 'c':
		next := p.peek(0)
		if next >= 'a' && next <= 'z' || next >= 'A' && next <= 'Z' || class && !p.unicode && (next >= '0' && next <= '9' || next == '_') {
			p.at++
			return next & 31
		}
		if !p.unicode {
			p.at--
			return '\\'
		}
	case 'x':
		if value := p.hex(2); value >= 0 {
			return value
		}
	case 'u':
		if value := p.codePoint(p.unicode); value >= 0 {
			return value
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if p.unicode {
			if c == '0' && (p.peek(0) < '0' || p.peek(0) > '9') {
				return 0
			}
			break
		}
		value := c - '0'
		for range 2 {
			if d := p.peek(0) - '0'; d >= 0 && d < 8 && value*8+d < 256 {
				value = value*8 + d
				p.at++
			}
		}
		return value
	}
	if p.unicode && !slices.Contains([]rune(`^$\.*+?()[]{}|/`), c) {
		p.fail("Invalid escape")
	}
	return c
}

// class reads what stands between [ and ].
func (p *parser) class() *set {
	negative := p.eat('^')
	var ranges []Range
	atom := func() (low rune, of []Range) {
		if c := p.peek(0); c != '\\' {
			p.at++
			return c, nil
		}
		p.at++
		if set := p.classEscape(); set != nil {
			return -1, set.ranges
		}
		return p.charEscape(true), nil
	}
	for !p.eat(']') {
		if !p.more() {
			p.fail("Unterminated character class")
		}
		low, of := atom()
		if p.peek(0) != '-' || p.peek(1) == ']' || p.peek(1) < 0 {
			ranges = append(append(ranges, of...), one(low)...)
			continue
		}
		p.at++
		high, also := atom()
		switch {
		case low < 0 || high < 0:
			if p.unicode {
				p.fail("Invalid character class")
			}
			ranges = append(append(append(ranges, of...), also...), append(append(one(low), one(high)...), Range{'-', '-'})...)
		case low > high:
			p.fail("Range out of order in character class")
		default:
			ranges = append(ranges, Range{low, high})
		}
	}
	return newSet(ranges, negative, p.fold, p.unicode)
}

func one(c rune) []Range {
	if c < 0 {
		return nil
	}
	return []Range{{c, c}}
}
