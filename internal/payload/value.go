package payload

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Absent stands for a property that is not there.
type Absent struct{}

// Decode turns JSON into nil, bool, float64, string, []any or *orderedjson.Object; absent{} if
// the text is empty or not JSON.
func Decode(text json.RawMessage) any {
	value, err := orderedjson.Decode(text)
	if err != nil {
		return Absent{}
	}
	return value
}

// KindOf names a value's type as the tracer does.
func KindOf(value any) string {
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
	case *orderedjson.Object, map[string]any:
		return "object"
	}
	return "undefined"
}

// Property reads one Property; absent{} if there is none.
func Property(value any, key string) any {
	switch v := value.(type) {
	case *orderedjson.Object:
		if found, ok := v.Fields[key]; ok {
			return found
		}
	case []any:
		if index, err := strconv.Atoi(key); err == nil && index >= 0 && index < len(v) {
			return v[index]
		}
	}
	return Absent{}
}

// Equal compares two values as JSON, whatever the order of keys.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case *orderedjson.Object:
		y, ok := b.(*orderedjson.Object)
		if !ok || len(x.Keys) != len(y.Keys) {
			return false
		}
		for _, key := range x.Keys {
			other, ok := y.Fields[key]
			if !ok || !Equal(x.Fields[key], other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, Equal)
	}
	switch b.(type) {
	case *orderedjson.Object, []any:
		return false
	}
	return a == b
}

// Instance is one object (or list) at a path of a payload, with what is around it: the
// last of chain is the thing itself, the first the payload.
type Instance struct {
	Chain []any
	Path  []string // "[]" for any element, {*} for what stands by any key of a map
	Where []string // the exact path
}

// Value is the thing itself.
func (i Instance) Value() any { return i.Chain[len(i.Chain)-1] }

// maxInstances bounds how many places of one payload are looked at.
const maxInstances = 2000

// Instances lists every value at a path.
func Instances(value any, path []string) []Instance {
	return descend([]any{value}, path, nil, path, nil)
}

func descend(chain []any, rest []string, found []Instance, path, where []string) []Instance {
	if len(found) >= maxInstances {
		return found
	}
	here := chain[len(chain)-1]
	if len(rest) == 0 {
		return append(found, Instance{Chain: chain, Path: path, Where: where})
	}
	if rest[0] == "[]" {
		list, _ := here.([]any)
		for i, element := range list {
			found = descend(append(slices.Clip(chain), element), rest[1:], found, path, append(slices.Clip(where), strconv.Itoa(i)))
		}
		return found
	}
	if object, ok := here.(*orderedjson.Object); ok && rest[0] == AnyKey {
		for _, key := range object.Keys {
			found = descend(append(slices.Clip(chain), object.Fields[key]), rest[1:], found, path, append(slices.Clip(where), key))
		}
		return found
	}
	next := Property(here, rest[0])
	if _, missing := next.(Absent); missing {
		return found
	}
	return descend(append(slices.Clip(chain), next), rest[1:], found, path, append(slices.Clip(where), rest[0]))
}

// Location is where a value is, seen from an object: so many levels up, then a path down,
// in which "[0]" is the first element.
type Location struct {
	Up   int
	Path []string
}

// Distance is the number of steps to it.
func (l Location) Distance() int { return l.Up + len(l.Path) }

// Find reads the value at a location; absent{} if it is not there.
func (l Location) Find(from Instance) any {
	index := len(from.Chain) - 1 - l.Up
	if index < 0 {
		return Absent{}
	}
	value := from.Chain[index]
	for _, part := range l.Path {
		if part == "[0]" {
			part = "0"
		}
		value = Property(value, part)
	}
	return value
}
