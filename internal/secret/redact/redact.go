// Package redact puts names in the place of secrets, wherever a text that somebody else wrote has one in any spelling.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A value is looked for in answers if it is long enough not to be found there by chance, and
// so is each of its encodings: they are made of fewer characters than text is.
const (
	minRedacted = 4  // bytes of a value as it is
	minBase64   = 6  // characters
	minHex      = 10 // characters
)

// escapes are the characters that others are escaped with.
const escapes = `\%&+`

// Redactor puts handles in the place of secrets, wherever somebody repeats one: as it is or in other case, escaped for
// JSON, a URL or HTML, in base64, alone or inside something longer (user:secret), and in hexadecimal. The zero Redactor
// knows no secret and costs nothing. Encodings are found also where they are broken into lines, as at 76 characters.
type Redactor struct {
	spellings []spelling
	starts    [256]bool // the bytes that one of them may begin with
}

// spelling is one way to write a value down. It may be escaped where it is found.
type spelling struct {
	text, handle string
	anyCase      bool // it is found in any case; text is in lower case
	encoded      bool // it is one that programs break into lines
}

// Add makes the redactor look for a value.
func (r *Redactor) Add(value, handle string) {
	plain := spelling{text: value, handle: handle}
	if len(value) < minRedacted || slices.ContainsFunc(r.spellings, func(s spelling) bool { return s.text == value }) {
		return
	}
	for _, one := range append(encodingsOf(value, handle), plain, spelling{text: lowerASCII(value), handle: handle, anyCase: true}) {
		r.spellings = append(r.spellings, one)
		r.starts[one.text[0]] = true
		if one.anyCase {
			r.starts[strings.ToUpper(one.text[:1])[0]] = true
		}
	}
	for _, escape := range []byte(escapes) {
		r.starts[escape] = true
	}
	// The longer of two that fit is meant; the first of two of one length stays the first.
	slices.SortStableFunc(r.spellings, func(a, b spelling) int { return cmp.Compare(len(b.text), len(a.text)) })
}

// Of knows values, each with what takes its place.
func Of(handles map[string]string) *Redactor {
	r := &Redactor{}
	for _, value := range slices.Sorted(maps.Keys(handles)) {
		r.Add(value, handles[value])
	}
	return r
}

// Empty says that nothing is looked for.
func (r *Redactor) Empty() bool { return len(r.spellings) == 0 }

// encodingsOf are the encodings of a value: in base64 case tells.
func encodingsOf(value, handle string) []spelling {
	var list []spelling
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 { // bytes of something else that share a group with the value
			encoded := encoding.EncodeToString([]byte("\x00\x00"[:before] + value))
			// A character that holds bits of what stands beside the value may be any.
			if piece := encoded[(before*8+5)/6 : (before+len(value))*8/6]; len(piece) >= minBase64 {
				list = append(list, spelling{text: piece, handle: handle, encoded: true})
			}
		}
	}
	if digits := hex.EncodeToString([]byte(value)); len(digits) >= minHex {
		list = append(list, spelling{text: digits, handle: handle, anyCase: true, encoded: true})
	}
	return list
}

// lowerASCII leaves every byte in its place, unlike [strings.ToLower].
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// Text returns text itself if there is nothing to hide in it.
func (r *Redactor) Text(text string) string {
	if r.Empty() {
		return text
	}
	lower := lowerASCII(text)
	var out strings.Builder
	from := 0
	for at := 0; at < len(text); {
		if r.starts[text[at]] {
			if handle, length := r.find(text[at:], lower[at:]); length > 0 {
				out.WriteString(text[from:at])
				out.WriteString(handle)
				at += length
				from = at
				continue
			}
		}
		at++
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// find is the spelling that text begins with, and how much of text it takes. lower is text in lower case.
func (r *Redactor) find(text, lower string) (handle string, length int) {
	first := unescapeFirst(text)
	lowerFirst := unescapeFirst(lower)
	for _, s := range r.spellings {
		in, first := text, first
		if s.anyCase {
			in, first = lower, lowerFirst
		}
		if s.text[0] == in[0] || s.text[0] == first {
			if length := s.at(in); length > 0 {
				return s.handle, length
			}
		}
	}
	return "", 0
}

// unescapeFirst is the first byte of what the escape that text begins with stands for.
func unescapeFirst(text string) byte {
	piece := ""
	switch text[0] {
	case '+':
		return ' '
	case '%':
		piece, _ = unescapePercent(text, false)
	case '&':
		piece, _ = unescapeHTML(text)
	case '\\':
		there := backslashes(text)
		if piece, _ = unescapeUTF16(text[there-1:]); piece == "" {
			piece = text[there:]
		}
	}
	if piece == "" {
		return text[0]
	}
	return piece[0]
}

// at is how much of text the spelling takes at its beginning, 0 if it is not there. Any
// character may be escaped and any not: nobody agrees on which have to be.
func (s spelling) at(text string) int {
	if strings.HasPrefix(text, s.text) {
		return len(s.text)
	}
	at := 0
	for want := s.text; want != ""; {
		if s.encoded && at > 0 {
			at += lineBreak(text[at:])
		}
		left, length := step(text[at:], want)
		if length == 0 {
			return 0
		}
		want, at = left, at+length
	}
	return at
}

// lineBreaks are how lines of an encoding end, in JSON as well.
var lineBreaks = [...]string{"\n", "\r\n", `\n`, `\r\n`}

// lineBreak is how long the end of a line is that a text begins with.
func lineBreak(text string) int {
	if text == "" || text[0] != '\n' && text[0] != '\r' && text[0] != '\\' {
		return 0
	}
	for _, end := range lineBreaks {
		if strings.HasPrefix(text, end) {
			return len(end)
		}
	}
	return 0
}

// step takes a character off the beginning of text that is the next of what is wanted, plain
// or escaped, and says what is left to want. A length of 0 means that it is not there.
func step(text, want string) (left string, length int) {
	if text == "" {
		return "", 0
	}
	piece := ""
	switch text[0] {
	case '\\':
		return stepBackslash(text, want)
	case '%':
		piece, length = unescapePercent(text, want[0] == '%')
	case '&':
		piece, length = unescapeHTML(text)
	}
	switch {
	case piece != "" && strings.HasPrefix(want, piece):
		return want[len(piece):], length
	case piece == "+" && want[0] == ' ':
		return want[1:], length
	case text[0] == want[0], text[0] == '+' && want[0] == ' ':
		return want[1:], 1
	}
	return "", 0
}

// mostLevels is how often a text may be escaped again; to look further would make a text of
// nothing but escapes take for ever.
const mostLevels = 6

// backslashes counts those that text begins with.
func backslashes(text string) int {
	most := text[:min(len(text), 1<<mostLevels)]
	return len(most) - len(strings.TrimLeft(most, `\`))
}

// stepBackslash is step where JSON may be in JSON: each level doubles the backslashes, so
// that any number of them stands for those that are wanted and for the escape of what follows.
func stepBackslash(text, want string) (left string, length int) {
	there, wanted := backslashes(text), backslashes(want)
	left = want[wanted:]
	if piece, length := unescapeUTF16(text[there-1:]); piece != "" {
		switch {
		case strings.HasPrefix(want, piece):
			return want[len(piece):], there - 1 + length
		case strings.HasPrefix(left, piece):
			return left[len(piece):], there - 1 + length
		}
	}
	if wanted > 0 && there >= wanted {
		return left, there
	}
	if left = want[1:]; there < len(text) && text[there] == want[0] && strings.IndexByte(`"'/`, want[0]) >= 0 {
		return left, there + 1
	}
	return "", 0
}

// unescapePercent reads %2f, %252f and so on, and all of %25, %2525 and so on if a percent
// sign is what is looked for.
func unescapePercent(text string, percent bool) (piece string, length int) {
	length = 1
	for length <= 2*mostLevels && strings.HasPrefix(text[length:], "25") {
		length += 2
	}
	if percent {
		return "%", length
	}
	if b, ok := hexNumber(text, length, 2); ok {
		return string([]byte{byte(b)}), length + 2
	}
	return "", 0
}

// unescapeHTML reads &amp; or &#38;.
func unescapeHTML(text string) (piece string, length int) {
	const longest = 10 // &#x10ffff;
	end := strings.IndexByte(text[:min(len(text), longest)], ';') + 1
	if piece = html.UnescapeString(text[:end]); piece == text[:end] {
		return "", 0
	}
	return piece, end
}

// unescapeUTF16 reads \u002f, or a pair of them for one character.
func unescapeUTF16(text string) (piece string, length int) {
	unit := func(at int) (rune, bool) {
		if !strings.HasPrefix(text[min(at, len(text)):], `\u`) {
			return 0, false
		}
		return hexNumber(text, at+2, 4)
	}
	high, ok := unit(0)
	if !ok {
		return "", 0
	}
	if low, ok := unit(6); ok {
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return string(r), 12
		}
	}
	return string(high), 6
}

func hexNumber(text string, at, digits int) (rune, bool) {
	if len(text) < at+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], 16, 16)
	return rune(n), err == nil //nolint:gosec // 16 bits
}
