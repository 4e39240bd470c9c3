package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode turns JSON into Go values: nil, bool, float64, string, []any, map[string]any.
// Numbers are float64 because that is what they are to a script. Empty text is null.
func decode(text json.RawMessage) any {
	var value any
	if len(text) == 0 || json.Unmarshal(text, &value) != nil {
		return nil
	}
	return value
}

// difference is where two values part: a path from the root and both sides as short text.
type difference struct {
	path, want, got string
}

// diffValues finds the first place where got is not want, in document order with keys
// sorted, and says whether there is one. Objects are equal whatever the order of their keys.
func diffValues(path string, want, got any) (difference, bool) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(w))
		for key := range g {
			if _, both := w[key]; !both {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			wv, inWant := w[key]
			gv, inGot := g[key]
			at := path + memberPath(key)
			switch {
			case !inGot:
				return difference{at, brief(wv), absent}, true
			case !inWant:
				return difference{at, absent, brief(gv)}, true
			}
			if d, differs := diffValues(at, wv, gv); differs {
				return d, true
			}
		}
		return difference{}, false
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		for i := range max(len(w), len(g)) {
			at := path + "[" + strconv.Itoa(i) + "]"
			switch {
			case i >= len(g):
				return difference{at, brief(w[i]), absent}, true
			case i >= len(w):
				return difference{at, absent, brief(g[i])}, true
			}
			if d, differs := diffValues(at, w[i], g[i]); differs {
				return d, true
			}
		}
		return difference{}, false
	case string:
		g, ok := got.(string)
		if !ok {
			break
		}
		if w == g {
			return difference{}, false
		}
		wantPart, gotPart := partingText(w, g)
		return difference{path, wantPart, gotPart}, true
	case float64, bool, nil:
		if want == got {
			return difference{}, false
		}
	}
	return difference{path, brief(want), brief(got)}, true
}

// absent stands for what one side does not have.
const absent = "(absent)"

func memberPath(key string) string {
	if isIdentifier(key) {
		return "." + key
	}
	return "[" + quote(key) + "]"
}

// briefLength is about how many bytes of a value a divergence shows.
const briefLength = 80

// brief is a value as JSON, cut short.
func brief(value any) string {
	text, err := marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return cut(string(text))
}

func cut(text string) string {
	if len(text) <= briefLength {
		return text
	}
	return trimRunes(text[:briefLength-1]) + "…"
}

// partingText shows two long texts where they part, with a little of what is before.
func partingText(want, got string) (string, string) {
	if len(want)+2 <= briefLength && len(got)+2 <= briefLength {
		return quote(want), quote(got)
	}
	same := 0
	for same < len(want) && same < len(got) && want[same] == got[same] {
		same++
	}
	from := max(0, same-briefLength/4)
	for from > 0 && !utf8.RuneStart(want[from]) {
		from--
	}
	return excerpt(want, from), excerpt(got, from)
}

func excerpt(text string, from int) string {
	from = min(from, len(text))
	part, before, after := text[from:], "", ""
	if from > 0 {
		before = "…"
	}
	if len(part) > briefLength {
		part, after = trimRunes(part[:briefLength]), "…"
	}
	return before + quote(part) + after
}

// trimRunes drops an incomplete rune at the end.
func trimRunes(text string) string {
	for text != "" {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// showCall is a call as a person reads it: files.write("a.txt", "…").
func showCall(tool string, args json.RawMessage) string {
	list, _ := decode(args).([]any)
	parts := make([]string, len(list))
	for i, arg := range list {
		parts[i] = brief(arg)
	}
	return cut(tool + "(" + strings.Join(parts, ", ") + ")")
}
