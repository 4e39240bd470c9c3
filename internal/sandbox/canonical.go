package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical is the text under which the arguments of two calls are the same: object
// keys sorted, numbers as JavaScript prints them, strings escaped in one way, no space,
// and trailing nulls of the argument array left out (they are what a script gets for an
// argument it did not pass). Text that is not JSON is returned as it is.
func Canonical(args json.RawMessage) string { return canonical(args, true) }

// CanonicalValue is like [Canonical] for any JSON value: no nulls are left out, so that
// two values have the same text exactly if a script cannot tell them apart, key order
// aside.
func CanonicalValue(value json.RawMessage) string { return canonical(value, false) }

// SameArgs says that two calls have the same arguments.
func SameArgs(a, b json.RawMessage) bool { return bytes.Equal(a, b) || Canonical(a) == Canonical(b) }

// SameValue says that a script cannot tell two values apart, key order aside.
func SameValue(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || CanonicalValue(a) == CanonicalValue(b)
}

func canonical(raw json.RawMessage, args bool) string {
	if !json.Valid(raw) {
		return string(raw)
	}
	c := canonicaliser{text: raw}
	c.space()
	if args && raw[c.pos] == '[' {
		c.array(true)
	} else {
		c.value()
	}
	return string(c.out)
}

// canonicaliser rewrites text that is known to be valid JSON.
type canonicaliser struct {
	text []byte
	pos  int
	out  []byte
}

func (c *canonicaliser) space() { c.pos = SkipSpace(c.text, c.pos) }

func SkipSpace(text []byte, pos int) int {
	for pos < len(text) && (text[pos] == ' ' || text[pos] == '\n' || text[pos] == '\t' || text[pos] == '\r') {
		pos++
	}
	return pos
}

func (c *canonicaliser) value() {
	c.space()
	switch c.text[c.pos] {
	case '{':
		c.object()
	case '[':
		c.array(false)
	case '"':
		var units string
		units, c.pos = ScanString(c.text, c.pos)
		c.out = appendString(c.out, units)
	case 't', 'n':
		c.out = append(c.out, c.text[c.pos:c.pos+4]...)
		c.pos += 4
	case 'f':
		c.out = append(c.out, "false"...)
		c.pos += 5
	default:
		start := c.pos
		c.pos = ScanNumber(c.text, c.pos)
		c.out = appendNumber(c.out, string(c.text[start:c.pos]))
	}
}

func (c *canonicaliser) array(trim bool) {
	c.pos++ // [
	c.out = append(c.out, '[')
	kept := len(c.out)
	for n := 0; ; n++ {
		c.space()
		if c.text[c.pos] == ']' {
			break
		}
		if n > 0 {
			c.pos++ // ,
			c.out = append(c.out, ',')
		}
		start := len(c.out)
		c.value()
		if string(c.out[start:]) != "null" {
			kept = len(c.out)
		}
	}
	c.pos++
	if trim {
		c.out = c.out[:kept]
	}
	c.out = append(c.out, ']')
}

func (c *canonicaliser) object() {
	type member struct {
		key      string
		from, to int // in out, key and comma and all
	}
	var most [16]member // without asking for memory
	members := most[:0]
	c.pos++ // {
	c.out = append(c.out, '{')
	start := len(c.out)
	for {
		c.space()
		if c.text[c.pos] == '}' {
			break
		}
		if len(members) > 0 {
			c.pos++ // ,
			c.space()
		}
		m := member{from: len(c.out)}
		m.key, c.pos = ScanString(c.text, c.pos)
		c.space()
		c.pos++ // :
		c.out = append(appendString(c.out, m.key), ':')
		c.value()
		c.out = append(c.out, ',')
		m.to = len(c.out)
		members = append(members, m)
	}
	c.pos++
	if !slices.IsSortedFunc(members, func(a, b member) int { return cmp.Or(strings.Compare(a.key, b.key), -1) }) {
		slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
		written := bytes.Clone(c.out[start:])
		c.out = c.out[:start]
		for i, m := range members {
			if i+1 < len(members) && members[i+1].key == m.key {
				continue // of two equal keys the last one counts, as in JSON.parse
			}
			c.out = append(c.out, written[m.from-start:m.to-start]...)
		}
	}
	if len(members) > 0 {
		c.out = c.out[:len(c.out)-1] // the last comma
	}
	c.out = append(c.out, '}')
}

// ScanString reads the JSON string that starts at pos, and says where it ends. Half of a
// surrogate pair, which a JavaScript string can hold and UTF-8 cannot, is kept as the
// three bytes that UTF-8 would have used.
func ScanString(text []byte, pos int) (string, int) {
	pos++ // "
	start := pos
	for text[pos] != '"' && text[pos] != '\\' {
		pos++
	}
	if text[pos] == '"' && utf8.Valid(text[start:pos]) {
		return string(text[start:pos]), pos + 1
	}
	out := make([]byte, 0, 2*(pos-start)+16)
	pos = start
	for {
		switch b := text[pos]; {
		case b == '"':
			return string(out), pos + 1
		case b != '\\':
			r, size := utf8.DecodeRune(text[pos:])
			out = utf8.AppendRune(out, r)
			pos += size
		case text[pos+1] != 'u':
			out = append(out, unescape(text[pos+1]))
			pos += 2
		default:
			r := hex4(text[pos+2:])
			pos += 6
			if utf16.IsSurrogate(r) && pos+1 < len(text) && text[pos] == '\\' && text[pos+1] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(text[pos+2:])); pair != utf8.RuneError {
					r = pair
					pos += 6
				}
			}
			if utf16.IsSurrogate(r) {
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			} else {
				out = utf8.AppendRune(out, r)
			}
		}
	}
}

func unescape(b byte) byte {
	switch b {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return b // quote, backslash, slash
}

func hex4(text []byte) rune {
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// HalfPair decodes half a surrogate pair as scanString keeps it; ok is false for
// anything else.
func HalfPair(s string) (unit uint16, ok bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

const hexDigits = "0123456789abcdef"

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b != 0xED {
			i++
			continue
		}
		unit, half := HalfPair(s[i:])
		if b == 0xED && !half {
			i++
			continue
		}
		out = append(out, s[start:i]...)
		switch {
		case half:
			out = append(out, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
			i += 3
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
			i++
		default:
			if short := strings.IndexByte("\bb\ff\nn\rr\tt", b); short >= 0 && short%2 == 0 {
				out = append(out, '\\', "\bb\ff\nn\rr\tt"[short+1])
			} else {
				out = append(out, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
			}
			i++
		}
		start = i
	}
	out = append(out, s[start:]...)
	return append(out, '"')
}

func ScanNumber(text []byte, pos int) int {
	for pos < len(text) && strings.IndexByte("+-.0123456789eE", text[pos]) >= 0 {
		pos++
	}
	return pos
}

// appendNumber prints a JSON number as JavaScript would after reading it.
func appendNumber(out []byte, text string) []byte {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return append(out, text...) // out of range: nothing equals it but itself
	}
	if f == 0 {
		return append(out, '0') // JSON.stringify(-0) is 0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(out, f, 'f', -1, 64)
	}
	out = strconv.AppendFloat(out, f, 'e', -1, 64)
	// Go writes 1e-07, JavaScript 1e-7.
	if n := len(out); out[n-2] == '0' && (out[n-3] == '-' || out[n-3] == '+') {
		out[n-2] = out[n-1]
		out = out[:n-1]
	}
	return out
}
