package redact

import (
	"io"
	"slices"
	"strings"
)

// Writer puts handles in the place of values in what goes through it, also in those that come in pieces. It holds back what may
// be the beginning of one until more comes, or until Flush.
type Writer struct {
	to   io.Writer
	of   *Redactor
	held string
}

// NewWriter writes to another writer.
func (r *Redactor) NewWriter(to io.Writer) *Writer { return &Writer{to: to, of: r} }

// Write implements [io.Writer]; it takes everything.
func (w *Writer) Write(b []byte) (int, error) {
	if w.of.Empty() {
		return w.to.Write(b)
	}
	w.held += string(b)
	return len(b), w.pass(w.of.until(w.held))
}

// Flush lets go of what is held back.
func (w *Writer) Flush() error { return w.pass(len(w.held)) }

func (w *Writer) pass(until int) error {
	if until == 0 {
		return nil
	}
	text := w.of.Text(w.held[:until])
	w.held = w.held[until:]
	_, err := io.WriteString(w.to, text)
	return err
}

// until is how much of a text can be told already: what follows may be the beginning of a value. No value that is there whole
// reaches beyond it.
func (r *Redactor) until(text string) int {
	lower := lowerASCII(text)
	for at := 0; at < len(text); {
		if !r.starts[text[at]] {
			at++
			continue
		}
		if r.begins(text[at:], lower[at:]) { // also where a shorter one is there: the longer one may be meant
			return at
		}
		_, length := r.find(text[at:], lower[at:])
		at += max(1, length)
	}
	return len(text)
}

func (r *Redactor) begins(text, lower string) bool {
	for _, s := range r.spellings {
		in := text
		if s.anyCase {
			in = lower
		}
		if s.begins(in) {
			return true
		}
	}
	return false
}

// begins says that a text ends before the spelling does, and may be the spelling as far as it goes.
func (s spelling) begins(text string) bool {
	for want := s.text; want != ""; {
		if s.encoded && want != s.text {
			text = text[lineBreak(text):]
			if text != "" && slices.ContainsFunc(lineBreaks[:], func(end string) bool { return strings.HasPrefix(end, text) }) {
				return true // … in the middle of the end of a line
			}
		}
		if text == "" || cut(text) {
			return true
		}
		left, length := step(text, want)
		if length == 0 {
			return false
		}
		want, text = left, text[length:]
	}
	return false
}

const hexDigits = "0123456789abcdefABCDEF"

// cut says that a text may end in the middle of the escape that it begins with.
func cut(text string) bool {
	rest := strings.TrimLeft(text, text[:1])
	switch text[0] {
	case '%': // %2f, %252f
		return len(text) < 2*mostLevels+3 && strings.Trim(rest, hexDigits) == ""
	case '&': // &amp; &#x10ffff;
		return len(text) < 10 && !strings.ContainsAny(rest, "; \t\r\n")
	case '\\': // \u002f, or two of them
		return len(text) < 1<<mostLevels+12 && (rest == "" || rest[0] == 'u' && len(rest) < len(`u0000\u0000`) && strings.Trim(rest, `u\`+hexDigits) == "")
	}
	return false
}
