package hostcall

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// The functions here read JSON that json.Valid has accepted, without copying it: arguments
// are looked at several times on every call, in replays thousands of times a second.

// elements are the values of an array.
func elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		at := skipSpace(array, 1)
		for i := 0; array[at] != ']'; i++ {
			end := endOfValue(array, at)
			if !yield(i, array[at:end]) {
				return
			}
			at = skipSpace(array, end)
			if array[at] == ',' {
				at = skipSpace(array, at+1)
			}
		}
	}
}

// members are the keys, with their quotes, and values of an object.
func members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		at := skipSpace(object, 1)
		for object[at] != '}' {
			endOfKey := endOfValue(object, at)
			value := skipSpace(object, skipSpace(object, endOfKey)+1) // behind the colon
			end := endOfValue(object, value)
			if !yield(object[at:endOfKey], object[value:end]) {
				return
			}
			at = skipSpace(object, end)
			if object[at] == ',' {
				at = skipSpace(object, at+1)
			}
		}
	}
}

func skipSpace(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r' {
		at++
	}
	return at
}

// endOfValue is where the value that starts at an index ends.
func endOfValue(text []byte, at int) int {
	switch text[at] {
	case '"':
		return endOfString(text, at)
	case '{', '[':
		for depth := 0; ; {
			switch text[at] {
			case '"':
				at = endOfString(text, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			at++
			if depth == 0 {
				return at
			}
		}
	}
	for at < len(text) && bytes.IndexByte([]byte(",]} \n\t\r"), text[at]) < 0 {
		at++
	}
	return at
}

func endOfString(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// unquote is the text of a string.
func unquote(value []byte) string {
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var text string
	// Well-formed, so this cannot fail; what it does to lone surrogates is what counts.
	_ = json.Unmarshal(value, &text)
	return text
}
