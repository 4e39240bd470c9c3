package jsregexp_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/basics/jsregexp"
)

func units(text string) []uint16 { return utf16.Encode([]rune(text)) }

// Rule: a pattern that the standard refuses is refused with what is wrong, and one that only the flag u refuses is taken without it.
func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"(":                      "Unterminated group",
		")":                      "Unmatched ')'",
		"[b-a]":                  "Range out of order in character class",
		"[a":                     "Unterminated character class",
		"a**":                    "Nothing to repeat",
		"a{2,1}":                 "numbers out of order in {} quantifier",
		"(?<a>.)|(?<a>.)":        "two groups are named a: give each a name of its own, and take the one that matched, as in groups.a ?? groups.b",
		`(?<a>.)\k<b>`:           "Invalid named capture referenced",
		"(?x)":                   "Invalid group",
		`\`:                      `\ at end of pattern`,
		"(?<=a)*":                "Nothing to repeat",
		strings.Repeat("(", 1e6): "groups are nested more than 5000 deep",
	} {
		_, err := jsregexp.Compile(units(pattern), "")
		require.EqualError(t, err, want, "%.40s", pattern)
	}
	for _, pattern := range []string{"x{", "}", "]", `\-`, `\8`, `\u{`, `[\w-a]`, "(?=a)*", `\k`, `\c`} {
		_, err := jsregexp.Compile(units(pattern), "")
		require.NoError(t, err, pattern)
		_, err = jsregexp.Compile(units(pattern), "u")
		require.Error(t, err, pattern)
	}
}

// Rule: what begins is found where it begins, with each group's place, or -1 for one that has no part in the match.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, flags, text string
		at                   int
		sticks               bool
		want                 []int32
	}{
		{`(a)|b`, "", "cb", 0, false, []int32{1, 2, -1, -1}},
		{`(?:(a)|b)*`, "", "ab", 0, false, []int32{0, 2, -1, -1}},
		{`b`, "", "ab", 0, true, nil},
		{`.`, "u", "😀", 1, false, []int32{0, 2}},
		{`.`, "", "😀", 1, false, []int32{1, 2}},
		{`(?<=(\d+)(\d+))$`, "", "1053", 0, false, []int32{4, 4, 0, 1, 1, 4}},
		{`\p{Lu}`, "u", "aÉ", 0, false, []int32{1, 2}},
		{`[^x]`, "i", "Xy", 0, false, []int32{1, 2}},
		{`\u212a`, "i", "k", 0, false, nil},
		{`\u212a`, "iu", "k", 0, false, []int32{0, 1}},
		{`^b`, "m", "a\nb", 0, false, []int32{2, 3}},
	} {
		r, err := jsregexp.Compile(units(tt.pattern), tt.flags)
		require.NoError(t, err, tt.pattern)
		found, err := r.Find(units(tt.text), tt.at, tt.sticks)
		require.NoError(t, err, tt.pattern)
		require.Equal(t, tt.want, found, "/%s/%s", tt.pattern, tt.flags)
	}
}
