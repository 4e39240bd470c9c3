package orderedjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxDepth is how deep JSON may nest, as in encoding/json.
const maxDepth = 10_000

// Decode reads JSON: nil, bool, float64, string, []any or *Object. Text after the value is ignored.
//
// Every answer of every run and replay passes here, so it is written out: encoding/json, asked for one token after
// the other, takes five times as long.
func Decode(text json.RawMessage) (any, error) {
	d := decoder{text: text, names: map[string]string{}}
	return d.value(0)
}

type decoder struct {
	text  []byte
	at    int
	names map[string]string // of members, each kept once
}

// next is the first byte that is no space, 0 at the end. It stays unread.
func (d *decoder) next() byte {
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (d *decoder) unexpected(where string) error {
	if d.at >= len(d.text) {
		return fmt.Errorf("orderedjson: %w %s", io.ErrUnexpectedEOF, where)
	}
	return fmt.Errorf("orderedjson: invalid character %q %s, at byte %d", d.text[d.at], where, d.at)
}

func (d *decoder) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("orderedjson: nested too deep")
	}
	switch c := d.next(); {
	case c == '{':
		return d.object(depth)
	case c == '[':
		return d.list(depth)
	case c == '"':
		raw, plain, err := d.quoted()
		if err != nil {
			return nil, err
		}
		return unquoted(raw, plain)
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	for _, one := range words {
		if end := d.at + len(one.text); end <= len(d.text) && string(d.text[d.at:end]) == one.text {
			d.at = end
			return one.value, nil
		}
	}
	return nil, d.unexpected("at the beginning of a value")
}

var words = []struct {
	text  string
	value any
}{{"null", nil}, {"true", true}, {"false", false}}

func (d *decoder) object(depth int) (any, error) {
	made := New()
	d.at++
	if d.next() == '}' {
		d.at++
		return made, nil
	}
	for {
		if d.next() != '"' {
			return nil, d.unexpected("where a name begins")
		}
		name, err := d.name()
		if err != nil {
			return nil, err
		}
		if d.next() != ':' {
			return nil, d.unexpected("after a name")
		}
		d.at++
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, twice := made.Fields[name]; !twice {
			made.Keys = append(made.Keys, name)
		}
		made.Fields[name] = value
		switch d.next() {
		case ',':
			d.at++
		case '}':
			d.at++
			return made, nil
		default:
			return nil, d.unexpected("after a member")
		}
	}
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	d.at++
	if d.next() == ']' {
		d.at++
		return list, nil
	}
	for {
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		switch d.next() {
		case ',':
			d.at++
		case ']':
			d.at++
			return list, nil
		default:
			return nil, d.unexpected("after an element")
		}
	}
}

func (d *decoder) name() (string, error) {
	raw, plain, err := d.quoted()
	if err != nil {
		return "", err
	}
	if known, ok := d.names[string(raw)]; ok {
		return known, nil
	}
	name, err := unquoted(raw, plain)
	if err == nil {
		d.names[string(raw)] = name
	}
	return name, err
}

// quoted passes over a text with its quotation marks; plain says that it stands for itself.
func (d *decoder) quoted() (raw []byte, plain bool, err error) {
	start := d.at
	plain = true
	ascii := true
	for d.at++; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c == '"':
			d.at++
			raw = d.text[start:d.at]
			return raw, plain && (ascii || utf8.Valid(raw)), nil
		case c == '\\':
			plain = false
			d.at++
		case c < ' ':
			return nil, false, d.unexpected("in a text")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false, d.unexpected("in a text")
}

func unquoted(raw []byte, plain bool) (string, error) {
	if plain {
		return string(raw[1 : len(raw)-1]), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("orderedjson: %w", err)
	}
	return text, nil
}

func (d *decoder) number() (any, error) {
	start := d.at
	digits := func() bool {
		from := d.at
		for d.at < len(d.text) && '0' <= d.text[d.at] && d.text[d.at] <= '9' {
			d.at++
		}
		return d.at > from
	}
	is := func(any string) bool {
		for i := range len(any) {
			if d.at < len(d.text) && d.text[d.at] == any[i] {
				d.at++
				return true
			}
		}
		return false
	}
	is("-")
	if !is("0") && !digits() {
		return nil, d.unexpected("in a number")
	}
	if is(".") && !digits() {
		return nil, d.unexpected("after a decimal point")
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return nil, d.unexpected("in an exponent")
		}
	}
	number, err := strconv.ParseFloat(string(d.text[start:d.at]), 64)
	if err != nil {
		return nil, fmt.Errorf("orderedjson: %w", err)
	}
	return number, nil
}
