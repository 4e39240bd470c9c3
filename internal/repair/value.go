package repair

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
)

// absent stands for a property that is not there.
type absent struct{}

// decodeValue turns JSON into nil, bool, float64, string, []any or *ordered.Object; absent{} if
// the text is empty or not JSON.
func decodeValue(text json.RawMessage) any {
	value, err := ordered.Decode(text)
	if err != nil {
		return absent{}
	}
	return value
}

// kindOf names a value's type as the tracer does.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case *ordered.Object:
		return "object"
	}
	return "undefined"
}

// property reads one property; absent{} if there is none.
func property(value any, key string) any {
	switch v := value.(type) {
	case *ordered.Object:
		if found, ok := v.Fields[key]; ok {
			return found
		}
	case []any:
		if index, err := strconv.Atoi(key); err == nil && index >= 0 && index < len(v) {
			return v[index]
		}
	}
	return absent{}
}

// equal compares two values as JSON, whatever the order of keys.
func equal(a, b any) bool {
	switch x := a.(type) {
	case *ordered.Object:
		y, ok := b.(*ordered.Object)
		if !ok || len(x.Keys) != len(y.Keys) {
			return false
		}
		for _, key := range x.Keys {
			other, ok := y.Fields[key]
			if !ok || !equal(x.Fields[key], other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	}
	switch b.(type) {
	case *ordered.Object, []any:
		return false
	}
	return a == b
}

// instance is one object (or list) at a path of a payload, with what is around it: the
// last of chain is the thing itself, the first the payload.
type instance struct {
	chain []any
	path  []string // "[]" for any element
	where []string // the exact path
}

func (i instance) value() any { return i.chain[len(i.chain)-1] }

// maxInstances bounds how many places of one payload are looked at.
const maxInstances = 2000

// instances lists every value at a path.
func instances(value any, path []string) []instance {
	return descend([]any{value}, path, nil, path, nil)
}

func descend(chain []any, rest []string, found []instance, path, where []string) []instance {
	if len(found) >= maxInstances {
		return found
	}
	here := chain[len(chain)-1]
	if len(rest) == 0 {
		return append(found, instance{chain: chain, path: path, where: where})
	}
	if rest[0] == "[]" {
		list, _ := here.([]any)
		for i, element := range list {
			found = descend(append(slices.Clip(chain), element), rest[1:], found, path, append(slices.Clip(where), strconv.Itoa(i)))
		}
		return found
	}
	next := property(here, rest[0])
	if _, missing := next.(absent); missing {
		return found
	}
	return descend(append(slices.Clip(chain), next), rest[1:], found, path, append(slices.Clip(where), rest[0]))
}

// location is where a value is, seen from an object: so many levels up, then a path down,
// in which "[0]" is the first element.
type location struct {
	up   int
	path []string
}

func (l location) distance() int { return l.up + len(l.path) }

// find reads the value at a location; absent{} if it is not there.
func (l location) find(from instance) any {
	index := len(from.chain) - 1 - l.up
	if index < 0 {
		return absent{}
	}
	value := from.chain[index]
	for _, part := range l.path {
		if part == "[0]" {
			part = "0"
		}
		value = property(value, part)
	}
	return value
}
