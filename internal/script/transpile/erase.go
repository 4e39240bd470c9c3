package transpile

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// erase takes the types out of a text that is TypeScript.
func erase(t text) (text, error) {
	flat := t
	flat.s = withoutBlock(t.s)
	want, err := build(flat, api.LoaderTS, false)
	if err != nil { // a declaration of the script has the name of what main is given
		flat = t
		if want, err = build(t, api.LoaderTS, false); err != nil {
			return t, err
		}
	}
	var nearest text // the first that was made, as the script reads with it
	for _, exact := range []bool{false, true} {
		for _, aligned := range []string{subtracted(flat.s), flat.s} {
			made, err := build(text{aligned, t.pieces}, api.LoaderTS, true)
			if err != nil {
				return t, err
			}
			edits := differences(flat.s, tokens(aligned), tokens(made.code), made.places(aligned), exact)
			tried := flat.apply(edits)
			if have, err := build(tried, api.LoaderJS, false); err == nil && have.code == want.code {
				return t.apply(edits), nil
			}
			if nearest.s == "" {
				nearest = tried
			}
		}
	}
	if unknown := unsupported(tokens(t.s), t); unknown != nil {
		return t, unknown
	}
	return t, &Error{Offset: strays(flat, nearest), Message: "this TypeScript cannot be told from its JavaScript: write it with plain types (no namespace, no enum that computes with its members, no function declared in a block), or without"}
}

// strays is where in the script the first thing stands that reads otherwise without the types than the compiler has it;
// negative if that cannot be told.
func strays(t, without text) int {
	want, err := build(t, api.LoaderTS, true)
	if err != nil {
		return -1
	}
	have := ""
	if made, err := build(without, api.LoaderJS, true); err == nil {
		have = made.code
	} else {
		have = without.s
	}
	at, places := -1, want.places(t.s)
	left := tokens(have)
	for i, one := range tokens(want.code) {
		if place, known := places[one.start]; known {
			at = place
		}
		if i >= len(left) || left[i].text != one.text {
			break
		}
	}
	if at < 0 {
		return -1
	}
	return t.source(at)
}

// withoutBlock is a text whose top level was made main, as long as before, with the braces around it alone: of
// functions in a block esbuild makes others, and moves them.
func withoutBlock(code string) string {
	inside, is := strings.CutPrefix(code, mainBegins)
	if !is {
		return code
	}
	return strings.TrimSuffix(mainBegins, "{") + " " + strings.TrimSuffix(inside, mainEnds) + strings.Replace(mainEnds, "}}", "} ", 1)
}

// subtracted is a text with - in the place of +, which esbuild leaves as it is, while it makes one text of 'a' + 'b'.
func subtracted(code string) string {
	made := []byte(code)
	for _, t := range tokens(code) {
		if t.text == "+" && (t.start == 0 || code[t.start-1] != '-') && (t.end == len(code) || code[t.end] != '-') {
			made[t.start] = '-'
		}
	}
	return string(made)
}

// pair is a token of each side.
type pair struct{ made, source int }

// differences are the edits that make of the source's tokens the made ones. places says where in the
// source a place in the made text comes from; code is the source with its + in it.
func differences(code string, source, made []token, places map[int]int, exact bool) []edit {
	byStart := make(map[int]int, len(source))
	for i, t := range source {
		byStart[t.start] = i
	}
	made = withoutExpansions(made, places)
	var pairs []pair
	last := -1
	names := map[string]string{} // what esbuild calls what the source calls otherwise
	for i, t := range made {
		place, known := places[t.start]
		j, is := byStart[place]
		if !known || !is || j <= last || !alike(t, source[j]) || exact && t.kind != word && t.text != source[j].text {
			continue
		}
		if t.text != source[j].text {
			names[t.text] = source[j].text
		}
		pairs = append(pairs, pair{i, j})
		last = j
	}
	var all []pair
	from := pair{0, 0}
	for _, p := range append(pairs, pair{len(made), len(source)}) {
		all = append(all, common(made, source, from, p)...)
		all = append(all, p)
		from = pair{p.made + 1, p.source + 1}
	}
	var edits []edit
	before := pair{-1, -1}
	for _, p := range all {
		start := 0
		if before.source >= 0 {
			start = source[before.source].end
		}
		var added strings.Builder
		for i := before.made + 1; i < p.made && i < len(made); i++ {
			name := made[i].text
			if name == "-" && i+1 < len(made) && wasPlus(code, source, byStart, places[made[i+1].start]) {
				name = "+"
			}
			if known, ok := names[name]; ok && made[i].kind == word {
				name = known
			}
			added.WriteString(" " + name)
		}
		if added.Len() > 0 {
			edits = append(edits, edit{start, start, added.String() + " "})
		}
		if first, end := before.source+1, min(p.source, len(source)); first < end {
			edits = append(edits, edit{source[first].start, source[end-1].end, " "})
		}
		before = p
	}
	return edits
}

// wasPlus says that in the code a + stands before what begins at a place.
func wasPlus(code string, source []token, byStart map[int]int, at int) bool {
	i, known := byStart[at]
	for i--; known && i >= 0 && source[i].text == "("; i-- {
		continue
	}
	return known && i >= 0 && source[i].text == "-" && code[source[i].start] == '+'
}

// withoutExpansions writes what esbuild writes at more length as the source has it.
func withoutExpansions(made []token, places map[int]int) []token {
	var list []token
	for i := 0; i < len(made); i++ {
		t := made[i]
		switch {
		case t.text == "void" && i+1 < len(made) && made[i+1].text == "0":
			t.kind, t.text = word, "undefined"
			i++
		case t.text == ":" && t.kind == mark && i > 0 && i+1 < len(made) && made[i-1].kind == word && made[i+1].kind == word:
			key, hasKey := places[made[i-1].start]
			value, hasValue := places[made[i+1].start]
			if hasKey && hasValue && key == value { // { x: x2 } for { x }
				i++
				continue
			}
		}
		list = append(list, t)
	}
	return list
}

// alike says that one token can be the other, which a source map says it is.
func alike(made, source token) bool {
	if made.text == source.text {
		return true
	}
	if made.kind != source.kind {
		return false
	}
	switch made.kind {
	case word:
		return strings.TrimRight(made.text, "0123456789") == source.text // renamed, because another one has the name
	case number, quoted:
		return true
	}
	return false
}

// mostCompared bounds the work on one gap between tokens that the source map names.
const mostCompared = 1 << 18

// common are the tokens that two gaps have in common: as many as can be, the last ones first, because
// types stand before what follows them.
func common(made, source []token, from, to pair) []pair {
	n, m := to.made-from.made, to.source-from.source
	if n <= 0 || m <= 0 || n*m > mostCompared {
		return nil
	}
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := range n {
		for j := range m {
			if made[from.made+i].text == source[from.source+j].text {
				length[i+1][j+1] = length[i][j] + 1
			} else {
				length[i+1][j+1] = max(length[i][j+1], length[i+1][j])
			}
		}
	}
	found := make([]pair, length[n][m])
	for i, j, k := n, m, len(found); k > 0; {
		switch {
		case made[from.made+i-1].text == source[from.source+j-1].text:
			i, j, k = i-1, j-1, k-1
			found[k] = pair{from.made + i, from.source + j}
		case length[i-1][j] >= length[i][j-1]:
			i--
		default:
			j--
		}
	}
	return found
}
