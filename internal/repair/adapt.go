package repair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Adapt makes the change from base to fixed in another script: a confirmed fix in a workflow that
// fails for the same reason. Each changed place has to be found there, by the tokens of the old
// text and as many of those around it as both have; variables may have other names, properties
// may not. It says no if a place is not found, and promises nothing about what comes out: that is
// the gate's to judge.
func Adapt(base, fixed, code string) (adapted string, ok bool) {
	if base == fixed || code == fixed || !utf8.ValidString(base) || !utf8.ValidString(fixed) || !utf8.ValidString(code) {
		return "", false
	}
	if code == base {
		return fixed, true
	}
	places := changes(base, fixed)
	old, target := lexemes(base), lexemes(code)
	if len(places) == 0 || len(places) > mostPlaces {
		return "", false
	}
	var splices []splice
	for _, place := range places {
		found := place.find(old, target)
		if len(found) == 0 {
			return "", false
		}
		splices = append(splices, found...)
	}
	slices.SortFunc(splices, func(a, b splice) int { return a.from - b.from })
	var text strings.Builder
	at := 0
	for _, s := range splices {
		if s.from < at {
			return "", false // two changes meet
		}
		text.WriteString(code[at:s.from])
		text.WriteString(s.text)
		at = s.to
	}
	text.WriteString(code[at:])
	return text.String(), text.String() != code
}

const (
	mostPlaces = 20 // of a change, or that one is found at: more is another script
	mostAround = 8  // tokens on each side of a place
)

// splice replaces bytes.
type splice struct {
	from, to int
	text     string
}

// change is a place of the old text, as tokens, and what stands there now.
type change struct {
	from, to int // tokens of the old text
	text     string
}

// changes are the places where two texts differ, widened to whole tokens; those that touch are one.
func changes(base, fixed string) []change {
	old := lexemes(base)
	type span struct{ from, to, newFrom, newTo int }
	var spans []span
	shift := 0 // how much longer the new text is, up to here
	for _, edit := range udiff.Strings(base, fixed) {
		from, to := edit.Start, edit.End
		for _, one := range old { // a word that is cut goes whole
			if one.from < from && from < one.to {
				from = one.from
			}
			if one.from < to && to < one.to {
				to = one.to
			}
		}
		before := shift
		shift += len(edit.New) - (edit.End - edit.Start)
		if last := len(spans) - 1; last >= 0 && together(base, spans[last].to, from) {
			spans[last].to = max(to, spans[last].to)
			spans[last].newTo = spans[last].to + shift
			continue
		}
		spans = append(spans, span{from, to, from + before, to + shift})
	}
	var found []change
	for _, s := range spans {
		first := slices.IndexFunc(old, func(t lexeme) bool { return t.from >= s.from })
		if first < 0 {
			first = len(old)
		}
		end := first
		for end < len(old) && old[end].to <= s.to {
			end++
		}
		if s.newFrom < 0 || s.newTo > len(fixed) || s.newFrom > s.newTo {
			return nil
		}
		text := fixed[s.newFrom:s.newTo]
		if end > first { // without the space around it, which the other script has its own of
			text = strings.TrimSpace(text)
		} else if strings.TrimSpace(text) == "" {
			continue
		}
		// An operand goes with what it belongs to, so that a variable in the new text can be named anew.
		for first > 0 && end > first && (old[first].text == "." || old[first-1].text == ".") {
			first--
			text = base[old[first].from:old[first].to] + text
		}
		found = append(found, change{first, end, text})
	}
	return found
}

// together says that two differences are one change: little is between them, on one line.
func together(base string, from, to int) bool {
	return to <= from || to-from <= 40 && !strings.Contains(base[from:to], "\n")
}

// find gives the replacements in another script: at the places that have the most in common with
// this one.
func (c change) find(old, target []lexeme) []splice {
	for around := 2 * mostAround; around >= 0; around-- {
		for before := min(around, mostAround); before >= max(0, around-mostAround); before-- {
			if found := c.findWith(old, target, before, around-before); len(found) > 0 && len(found) <= mostPlaces {
				return found
			}
		}
	}
	return nil
}

// findWith looks for the place with so much before and after it.
func (c change) findWith(old, target []lexeme, before, after int) []splice {
	from, to := c.from-before, c.to+after
	if from < 0 || to > len(old) || !slices.ContainsFunc(old[from:to], lexeme.telling) {
		return nil
	}
	pattern := old[from:to]
	var found []splice
	for at := 0; at+len(pattern) <= len(target); at++ {
		names, same := matches(pattern, target[at:at+len(pattern)])
		if !same {
			continue
		}
		first, end := at+before, at+before+c.to-c.from
		s := splice{text: renamed(c.text, names)}
		switch {
		case end > first:
			s.from, s.to = target[first].from, target[end-1].to
		case first > 0:
			s.from, s.to = target[first-1].to, target[first-1].to
		}
		found = append(found, s)
	}
	return found
}

// matches compares tokens one by one; variables may differ if each stands for one other.
func matches(pattern, target []lexeme) (names map[string]string, same bool) {
	names = map[string]string{}
	taken := map[string]string{}
	for i, p := range pattern {
		t := target[i]
		if !p.variable || !t.variable {
			if p.text != t.text {
				return nil, false
			}
			continue
		}
		if was, known := names[p.text]; known && was != t.text {
			return nil, false
		}
		if was, known := taken[t.text]; known && was != p.text {
			return nil, false
		}
		names[p.text], taken[t.text] = t.text, p.text
	}
	return names, true
}

// renamed gives variables the names that they have in the other script.
func renamed(text string, names map[string]string) string {
	var out strings.Builder
	at := 0
	for _, t := range lexemes(text) {
		out.WriteString(text[at:t.from])
		if name, known := names[t.text]; known && t.variable {
			out.WriteString(name)
		} else {
			out.WriteString(t.text)
		}
		at = t.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// lexeme is a word, a string or a sign of a script. Comments and space are none.
type lexeme struct {
	text     string
	from, to int
	variable bool // a name that is no property and no word of the language
}

// telling says that a lexeme alone tells one place of a script from another.
func (t lexeme) telling() bool {
	first, _ := utf8.DecodeRuneInString(t.text)
	return !t.variable && len(t.text) > 2 && (unicode.IsLetter(first) || first == '_' || first == '"' || first == '\'') && !languageWords[t.text]
}

// tokens reads a script as far as comparing it needs: a regular expression or a template is not
// taken apart rightly, which at worst finds no place.
func lexemes(code string) []lexeme {
	var list []lexeme
	for at := 0; at < len(code); {
		from := at
		r, size := utf8.DecodeRuneInString(code[at:])
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case strings.HasPrefix(code[at:], "//"):
			at = commentEnd(code, at)
			continue
		case strings.HasPrefix(code[at:], "/*"):
			end := strings.Index(code[at+2:], "*/")
			if end < 0 {
				return list
			}
			at += end + 4
			continue
		case nameRune(r):
			for at < len(code) {
				next, width := utf8.DecodeRuneInString(code[at:])
				if !nameRune(next) {
					break
				}
				at += width
			}
		case r == '\'' || r == '"':
			at = stringEnd(code, at, byte(r))
		default:
			at += size
		}
		text := code[from:at]
		list = append(list, lexeme{text: text, from: from, to: at, variable: variableAt(list, text, code, at)})
	}
	return list
}

func nameRune(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func commentEnd(code string, at int) int {
	if end := strings.IndexByte(code[at:], '\n'); end >= 0 {
		return at + end
	}
	return len(code)
}

func stringEnd(code string, at int, quote byte) int {
	for at++; at < len(code); at++ {
		switch code[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		case '\n':
			return at
		}
	}
	return len(code)
}

// variableAt says whether a word is a variable: no property behind a dot, no key before a colon.
func variableAt(before []lexeme, text, code string, end int) bool {
	first, _ := utf8.DecodeRuneInString(text)
	if !nameRune(first) || unicode.IsDigit(first) || languageWords[text] {
		return false
	}
	if len(before) > 0 && before[len(before)-1].text == "." {
		return false
	}
	return !strings.HasPrefix(strings.TrimLeft(code[end:], " \t"), ":")
}

// languageWords are the words that no script can give another meaning, and the tools' names.
var languageWords = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`async await break case catch class const continue default delete do else false finally
		for function if in instanceof let new null of return switch this throw true try typeof undefined var void while yield
		web kv files console JSON Math Object Array Number String Boolean Date Promise notify sleep secret ask main`) {
		words[word] = true
	}
	return words
}()
