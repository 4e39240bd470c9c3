package migration

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// place is the way to a member from the value that holds it, through objects only; empty
// for the value itself.
type place []string

func (p place) String() string { return strings.Join(p, ".") }

func (p place) id() string { return strings.Join(p, "\x00") }

func (p place) last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// below says that a place is another one, or inside it.
func (p place) below(other place) bool {
	return len(p) >= len(other) && slices.Equal(p[:len(other)], other)
}

// beside says that the same object holds two places.
func (p place) beside(other place) bool {
	n := len(p) - 1
	return n >= 0 && len(other) == n+1 && slices.Equal(p[:n], other[:n])
}

// maxDepth bounds how deep objects in objects are looked into; deeper ones count as one value.
const maxDepth = 8

// leaf is a member that is no object, or an empty one.
type leaf struct {
	place place
	value any
}

// collect lists the leaves of a value in payload order, lists and maps not looked into.
func (t *table) collect(found []leaf, at place, value any) []leaf {
	o, ok := value.(*orderedjson.Object)
	if !ok || len(o.Keys) == 0 || len(at) == maxDepth || t.isMap(at, o) {
		return append(found, leaf{slices.Clone(at), value})
	}
	for _, key := range o.Keys {
		found = t.collect(found, append(at, key), o.Fields[key])
	}
	return found
}

// find reads the value at a place. It is not ok if nothing is there; then nothing is the step at
// which a null stood in the way, or -1.
func find(value any, at place) (found any, ok bool, nothing int) {
	for i, key := range at {
		if value == nil {
			return nil, false, i
		}
		o, isObject := value.(*orderedjson.Object)
		if !isObject {
			return nil, false, -1
		}
		if value, ok = o.Fields[key]; !ok {
			return nil, false, -1
		}
	}
	return value, true, -1
}

// objectAt says that an object stands at a place, and is not empty.
func objectAt(value any, at place) bool {
	found, _, _ := find(value, at)
	return isObject(found)
}

func clone(value any) any {
	switch v := value.(type) {
	case *orderedjson.Object:
		made := &orderedjson.Object{Keys: slices.Clone(v.Keys), Fields: make(map[string]any, len(v.Fields))}
		for key, member := range v.Fields {
			made.Fields[key] = clone(member)
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i, element := range v {
			made[i] = clone(element)
		}
		return made
	}
	return value
}
