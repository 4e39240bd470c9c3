package esdbmeta

import (
	"bytes"
	"iter"
)

// members yields the keys, without their quotes but with their escapes, and the values of the outermost object
// of valid JSON; nothing if that is no object. encoding/json would decode every value for the sake of one.
func members(valid []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := trim(valid)
		if rest[0] != '{' {
			return
		}
		rest = trim(rest[1:])
		for rest[0] != '}' {
			n := stringLength(rest)
			key := rest[1 : n-1]
			rest = trim(rest[n:]) // to the colon
			rest = trim(rest[1:]) // to the value
			n = valueLength(rest)
			if !yield(key, trimEnd(rest[:n])) {
				return
			}
			if rest = rest[n:]; rest[0] == ',' {
				rest = trim(rest[1:])
			}
		}
	}
}

const space = " \t\r\n"

func trim(b []byte) []byte    { return bytes.TrimLeft(b, space) }
func trimEnd(b []byte) []byte { return bytes.TrimRight(b, space) }

// stringLength is the length of the string literal that b begins with.
func stringLength(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// valueLength is the length of the member's value that b begins with, up to the comma or brace after it.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += stringLength(b[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}
