package payload

import (
	"fmt"
	"slices"
	"strings"
)

// NamingDoubts are reasons in the names to think that two places hold different things: each is the way from the
// payload to a member. Values that show themselves to be the same outweigh some of them. Paired says that nothing
// else went or came, alone that nothing else moved to the same object.
func NamingDoubts(from, to []string, before *Profile, e Match, paired bool, alone func() bool) []string {
	key := from[len(from)-1]
	name := strings.Join(to, ".")
	mine, theirs := Words(key), Words(name)
	var doubts []string
	if Opposed(mine, theirs) {
		doubts = append(doubts, fmt.Sprintf("%s sounds like the opposite of %s", name, key))
	}
	if e.Strong || len(to) == 0 {
		return doubts
	}
	number := before.Kinds["number"] > 0 || before.Format() == FormatDecimal || before.Format() == FormatInteger
	if unit := GainedUnit(mine, theirs); number && unit != "" {
		doubts = append(doubts, fmt.Sprintf("%s may be in another unit than %s (%s)", name, key, unit))
	}
	if number || IsConstants(before) {
		if word := gainedWord(from, to); word != "" && (!paired || slices.ContainsFunc(theirs, func(word string) bool { return slices.Contains(mine, word) })) {
			doubts = append(doubts, fmt.Sprintf("%s may be another thing than %s (%s)", name, key, word))
		}
	}
	if len(to) > 1 && e.Fit < 0.75 && !related(from, to[len(to)-2]) && alone() {
		doubts = append(doubts, fmt.Sprintf("%s may be about %s and not about what %s was about", name, to[len(to)-2], key))
	}
	return doubts
}

// gainedWord is a telling word that the new name has and that neither the old name nor
// the names around it have: price and old_price are not the same.
func gainedWord(from, to []string) string {
	key := from[len(from)-1]
	known := Words(key)
	for _, part := range from[:len(from)-1] {
		known = append(known, Words(part)...)
	}
	name := Words(to[len(to)-1])
	if short(Words(key), name) {
		return ""
	}
	for _, word := range Merge(name, known) {
		if Weak[word] || strings.ContainsAny(word, "0123456789") {
			continue
		}
		if !slices.ContainsFunc(known, func(k string) bool { return SameWord(k, word) >= 0.7 }) {
			return word
		}
	}
	return ""
}

// related says that an object around a moved value only holds things together, or is named for the value or for what
// held it before.
func related(from []string, holder string) bool {
	key := from[len(from)-1]
	if Wrappers[Squeeze(holder)] || strings.HasPrefix(Squeeze(holder), Squeeze(key)) {
		return true
	}
	known := Words(key)
	if len(from) > 1 {
		known = append(known, Words(from[len(from)-2])...)
	}
	return slices.ContainsFunc(Words(holder), func(word string) bool {
		return !Weak[word] && slices.ContainsFunc(known, func(k string) bool {
			return SameWord(k, word) >= 0.7 || commonPrefix(k, word) >= 4
		})
	})
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
