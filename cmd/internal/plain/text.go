// Package plain turns what scripts, models and the web say into text that people can be shown.
package plain

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@,", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Clean takes out what could move the cursor, hide text or turn it around: the text may
// come from a script or from the web.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Line is a text on one line, cleaned.
func Line(text string) string { return Clean(strings.Join(strings.Fields(text), " ")) }

// Indented is a text of several lines, cleaned, whose further lines stand under the first:
// what a script says cannot look like a line of ours.
func Indented(text, indent string) string {
	return strings.ReplaceAll(Clean(strings.TrimRight(text, "\n")), "\n", "\n"+indent)
}

// Wrapped is [Indented], and lines are broken at a width in characters, between words.
func Wrapped(text, indent string, width int) string {
	var lines []string
	for one := range strings.Lines(strings.TrimRight(text, "\n")) {
		current, length := "", 0
		for word := range strings.FieldsSeq(one) {
			size := utf8.RuneCountInString(word)
			if length > 0 && length+1+size > width {
				lines, current, length = append(lines, current), "", 0
			}
			if length > 0 {
				current, length = current+" ", length+1
			}
			current, length = current+word, length+size
		}
		lines = append(lines, current)
	}
	return Indented(strings.Join(lines, "\n"), indent)
}

// Short cuts a text for a table.
func Short(text string, runes int) string {
	text = strings.Join(strings.Fields(text), " ")
	return CutRunes(text, runes)
}

// CutRunes cuts a text that is longer than so many characters.
func CutRunes(text string, most int) string {
	if list := []rune(text); len(list) > most {
		return string(list[:most-1]) + "…"
	}
	return text
}

// Ago is a time as people say it.
func Ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return t.In(now.Location()).Format(time.DateOnly)
}

// Dash stands where there is no text.
func Dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// FirstLine is a text up to its first line break.
func FirstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
