package jsregexp

import (
	"slices"
	"sort"
	"unicode"
)

// Range are the characters from Low to High.
type Range struct{ Low, High rune }

var (
	lineEnds = []Range{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	blanks   = []Range{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
)

// words are the characters of \w, which are two more with the flags i and u.
func words(folded bool) []Range {
	ranges := []Range{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	if folded {
		ranges = append(ranges, Range{0x17F, 0x17F}, Range{0x212A, 0x212A})
	}
	return ranges
}

// set are characters. Those of ASCII are looked up in a table.
type set struct {
	ascii    [2]uint64
	ranges   []Range
	negative bool
	fold     bool
	unicode  bool
}

func newSet(ranges []Range, negative, fold, whole bool) *set {
	made := &set{ranges: merged(ranges), negative: negative, fold: fold, unicode: whole}
	for c := range rune(128) {
		if made.find(c) {
			made.ascii[c>>6] |= 1 << (c & 63)
		}
	}
	return made
}

func (s *set) has(c rune) bool {
	if c < 128 {
		return s.ascii[c>>6]>>(c&63)&1 != 0
	}
	return s.find(c)
}

func (s *set) find(c rune) bool {
	found := s.in(c)
	if !found && s.fold {
		to := canonical(c, s.unicode)
		for other := unicode.SimpleFold(c); other != c && !found; other = unicode.SimpleFold(other) {
			found = s.in(other) && canonical(other, s.unicode) == to
		}
	}
	return found != s.negative
}

func (s *set) in(c rune) bool {
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].High >= c })
	return i < len(s.ranges) && s.ranges[i].Low <= c
}

// merged are ranges in order, of which none touches another one.
func merged(ranges []Range) []Range {
	all := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return int(a.Low - b.Low) })
	var list []Range
	for _, r := range all {
		if n := len(list) - 1; n >= 0 && r.Low <= list[n].High+1 {
			list[n].High = max(list[n].High, r.High)
		} else {
			list = append(list, r)
		}
	}
	return list
}

// others are the ranges between ranges.
func others(ranges []Range) []Range {
	var list []Range
	next := rune(0)
	for _, r := range merged(ranges) {
		if r.Low > next {
			list = append(list, Range{next, r.Low - 1})
		}
		next = r.High + 1
	}
	if next <= unicode.MaxRune {
		list = append(list, Range{next, unicode.MaxRune})
	}
	return list
}

// canonical is what a character is compared by with the flag i: with u by simple folding, without by its capital, where that is one
// character and does not become one of ASCII.
func canonical(c rune, whole bool) rune {
	if c < 128 {
		if whole && c >= 'A' && c <= 'Z' {
			return c + 32
		}
		if !whole && c >= 'a' && c <= 'z' {
			return c - 32
		}
		return c
	}
	if whole {
		return folded(c)
	}
	if c > 0xFFFF {
		return c
	}
	upper := unicode.ToUpper(c)
	if upper < 128 || upper > 0xFFFF || several(c) {
		return c
	}
	return upper
}

// several says that the capital of a letter is more than one letter, of which Go's tables know only the shorter form.
func several(c rune) bool {
	return c == 0xDF || c == 0x149 || c == 0x1F0 || c == 0x390 || c == 0x3B0 || c == 0x587 || c >= 0x1E96 && c <= 0x1E9A || c >= 0x1F50 && c <= 0x1F56 && c&1 == 0 ||
		c >= 0x1F80 && c <= 0x1FAF || c >= 0x1FB2 && c <= 0x1FB4 || c == 0x1FB6 || c == 0x1FB7 || c == 0x1FBC || c >= 0x1FC2 && c <= 0x1FC4 || c == 0x1FC6 || c == 0x1FC7 || c == 0x1FCC ||
		c == 0x1FD2 || c == 0x1FD3 || c == 0x1FD6 || c == 0x1FD7 || c >= 0x1FE2 && c <= 0x1FE4 || c == 0x1FE6 || c == 0x1FE7 || c >= 0x1FF2 && c <= 0x1FF4 || c == 0x1FF6 || c == 0x1FF7 || c == 0x1FFC ||
		c >= 0xFB00 && c <= 0xFB06 || c >= 0xFB13 && c <= 0xFB17
}

// folded is the lowest letter that is the same one but for its case, as good as any. Two are apart from the letters that Go takes for the same.
func folded(c rune) rune {
	if c == 0x130 || c == 0x131 {
		return c
	}
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if least >= 'A' && least <= 'Z' {
		return least + 32
	}
	return least
}

func hasCases(c rune, whole bool) bool {
	to := canonical(c, whole)
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		if canonical(other, whole) == to {
			return true
		}
	}
	return false
}
