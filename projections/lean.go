package projections

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
)

// decodeLean reads the two events that most of a log is, calls and what they returned, at a fraction of what
// encoding/json takes, if they are in the form that this program writes; ok is false if it does not know to read them.
// What a call returned is left out: no view has it. It is not looked at either, which the hash of the event makes up for.
func decodeLean(kind string, version int, payload []byte) (happened event.Event, ok bool) {
	if version != 1 {
		return nil, false
	}
	s := scanner{rest: string(payload)}
	switch kind {
	case run.TypeToolCalled:
		var made run.ToolCalled
		ok = s.object(func(name string) bool {
			switch name {
			case "seq":
				return s.number(&made.Seq)
			case "tool":
				return s.text(&made.Tool)
			case "args":
				value, is := s.value()
				made.Args = json.RawMessage(value)
				return is
			case "effect":
				return s.text(&made.Effect)
			case "key":
				return s.text(&made.Key)
			case "from":
				return s.text(&made.From)
			}
			return false
		})
		return made, ok
	case run.TypeToolReturned:
		var back run.ToolReturned
		ok = s.object(func(name string) bool {
			switch name {
			case "seq":
				return s.number(&back.Seq)
			case "result":
				_, is := s.value()
				return is
			case "ms":
				var ms int
				is := s.number(&ms)
				back.MS = int64(ms)
				return is
			case "hosts":
				return s.texts(&back.Hosts)
			}
			return false
		})
		return back, ok
	}
	return nil, false
}

// scanner takes JSON without white space off the front of a text.
type scanner struct{ rest string }

func (s *scanner) skip(token string) bool {
	rest, found := strings.CutPrefix(s.rest, token)
	s.rest = rest
	return found
}

// object reads a whole object; member reads the value of each name.
func (s *scanner) object(member func(name string) bool) bool {
	if !s.skip("{") {
		return false
	}
	for {
		var name string
		if !s.text(&name) || !s.skip(":") || !member(name) {
			return false
		}
		if !s.skip(",") {
			return s.rest == "}"
		}
	}
}

// text reads a string that stands for itself: printable ASCII, no escapes.
func (s *scanner) text(into *string) bool {
	if !s.skip(`"`) {
		return false
	}
	for i := range len(s.rest) {
		switch c := s.rest[i]; {
		case c == '"':
			*into, s.rest = s.rest[:i], s.rest[i+1:]
			return true
		case c == '\\', c < ' ', c >= utf8.RuneSelf:
			return false
		}
	}
	return false
}

func (s *scanner) texts(into *[]string) bool {
	*into = []string{}
	if !s.skip("[") {
		return false
	}
	for !s.skip("]") {
		var one string
		if len(*into) > 0 && !s.skip(",") || !s.text(&one) {
			return false
		}
		*into = append(*into, strings.Clone(one)) // alone it is kept for longer than the event
	}
	return true
}

func (s *scanner) number(into *int) bool {
	end := strings.IndexAny(s.rest, ",}")
	if end < 1 || s.rest[0] < '1' || s.rest[0] > '9' {
		return false
	}
	n, err := strconv.Atoi(s.rest[:end])
	*into, s.rest = n, s.rest[end:]
	return err == nil
}

// value takes a value as it is: up to where the strings and brackets in it have ended.
func (s *scanner) value() (value string, ok bool) {
	depth := 0
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '"':
			for i++; i < len(s.rest) && s.rest[i] != '"'; i++ {
				if s.rest[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}', ',':
			if depth == 0 {
				value, s.rest = s.rest[:i], s.rest[i:]
				return value, i > 0
			}
			if s.rest[i] != ',' {
				depth--
			}
		case ' ', '\t', '\r', '\n':
			if depth == 0 {
				return "", false
			}
		}
	}
	return "", false
}
