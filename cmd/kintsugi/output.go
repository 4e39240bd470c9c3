package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
)

// The output formats.
const (
	formatText  = "text"
	formatJSON  = "json"
	formatJSONL = "jsonl"
)

// show prints a result: as text by the given function, or as JSON. In jsonl a list is one
// line for each element.
func (a *app) show(value any, text func(w io.Writer)) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	switch a.format {
	case formatJSON:
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	case formatJSONL:
		list := reflect.ValueOf(value)
		if list.Kind() != reflect.Slice {
			return encoder.Encode(value)
		}
		for i := range list.Len() {
			if err := encoder.Encode(list.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	}
	text(a.out)
	return nil
}

// clean takes out what could move the cursor, hide text or turn it around: the text may
// come from a script or from the web.
func clean(text string) string {
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

// line is a text on one line, cleaned.
func line(text string) string { return clean(strings.Join(strings.Fields(text), " ")) }

// indented is a text of several lines, cleaned, whose further lines stand under the first:
// what a script says cannot look like a line of ours.
func indented(text, indent string) string {
	return strings.ReplaceAll(clean(strings.TrimRight(text, "\n")), "\n", "\n"+indent)
}

// wrapped is [indented], and lines are broken at a width in characters, between words.
func wrapped(text, indent string, width int) string {
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
	return indented(strings.Join(lines, "\n"), indent)
}

// short cuts a text for a table.
func short(text string, runes int) string {
	text = strings.Join(strings.Fields(text), " ")
	return cutRunes(text, runes)
}

func cutRunes(text string, most int) string {
	if list := []rune(text); len(list) > most {
		return string(list[:most-1]) + "…"
	}
	return text
}

// briefActor is who did something, a task's id cut to what lists show of it.
func briefActor(actor string) string {
	kind, of, found := strings.Cut(actor, ":")
	if found && uuid.Validate(of) == nil {
		return kind + ":" + ending(of, leastOfID)
	}
	return actor
}

// choice is a flag that takes one of a few words.
type choice[T ~string] struct {
	value *T
	words []T
}

// choose declares a flag that takes one of a few words; the default is none of them.
func choose[T ~string](flags *pflag.FlagSet, value *T, name, usage string, words ...T) {
	flags.Var(choice[T]{value, words}, name, usage+": "+listed(words))
}

// chooseP is [choose] with a letter, and the first word for a default.
func chooseP[T ~string](flags *pflag.FlagSet, value *T, name, letter, usage string, words ...T) {
	*value = words[0]
	flags.VarP(choice[T]{value, words}, name, letter, usage+": "+listed(words))
}

// String implements [pflag.Value].
func (c choice[T]) String() string {
	if c.value == nil {
		return ""
	}
	return string(*c.value)
}

// Type implements [pflag.Value].
func (choice[T]) Type() string { return "string" }

// Set implements [pflag.Value].
func (c choice[T]) Set(text string) error {
	if !slices.Contains(c.words, T(text)) {
		return fmt.Errorf("choose %s", listed(c.words))
	}
	*c.value = T(text)
	return nil
}

// choices are the words.
func (c choice[T]) choices() []string {
	texts := make([]string, len(c.words))
	for i, word := range c.words {
		texts[i] = string(word)
	}
	return texts
}

func listed[T ~string](words []T) string {
	texts := choice[T]{words: words}.choices()
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}
