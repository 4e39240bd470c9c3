package repair

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// object is a JSON object that remembers the order of its keys.
type object struct {
	keys   []string
	fields map[string]any
}

// absent stands for a property that is not there.
type absent struct{}

// decodeValue turns JSON into nil, bool, float64, string, []any or *object; absent{} if
// the text is empty or not JSON.
func decodeValue(text json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	value, err := decodeNext(decoder)
	if err != nil {
		return absent{}
	}
	return value
}

func decodeNext(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		made := &object{fields: map[string]any{}}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			if _, twice := made.fields[name]; !twice {
				made.keys = append(made.keys, name)
			}
			made.fields[name] = value
		}
		_, err := decoder.Token()
		return made, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.Token()
		return list, err
	}
	return token, nil
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
	case *object:
		return "object"
	}
	return "undefined"
}

// property reads one property; absent{} if there is none.
func property(value any, key string) any {
	switch v := value.(type) {
	case *object:
		if found, ok := v.fields[key]; ok {
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
	case *object:
		y, ok := b.(*object)
		if !ok || len(x.keys) != len(y.keys) {
			return false
		}
		for _, key := range x.keys {
			other, ok := y.fields[key]
			if !ok || !equal(x.fields[key], other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	}
	switch b.(type) {
	case *object, []any:
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
