package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxNesting is how many arrays and objects of a value that goes in or out of a script may
// lie inside one another. It is far below what encoding/json takes, so that whoever wraps
// such a value to write it down, or reads it back, has no trouble with it.
const MaxNesting = 1000

// TooDeep says that a JSON text is nested deeper than [MaxNesting].
func TooDeep(text json.RawMessage) bool {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= MaxNesting {
		return false
	}
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '[', '{':
			if depth++; depth > MaxNesting {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

func NestingError(what string) Error {
	return LimitError(LimitResult, fmt.Sprintf("%s nested more than %d deep", what, MaxNesting))
}
