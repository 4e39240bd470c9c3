package migration

import (
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// sameObjects is the least likeness of the members of objects that are the same things.
const sameObjects = 0.75

// listed is the move of an object that now stands alone in a list under a new name.
func listed(was, is *table) []move {
	var found []move
	for _, at := range is.places {
		if m := aloneInList(was, is, at); m != nil && was.in[at.id()] == 0 {
			found = append(found, *m)
		}
	}
	if len(found) != 1 {
		return nil // none, or more than can be told apart
	}
	return found
}

// objectsAt are the objects at a place of all values, nil if something else is there.
func objectsAt(values []any, at place) []*orderedjson.Object {
	var found []*orderedjson.Object
	for _, value := range values {
		inner, ok, _ := find(value, at)
		o, isObject := inner.(*orderedjson.Object)
		if !ok || !isObject {
			return nil
		}
		found = append(found, o)
	}
	return found
}

// elementsAt are the lists at a place of all values and the objects in them, nil if
// something else is there.
func elementsAt(values []any, at place) (lists [][]any, elements []*orderedjson.Object) {
	for _, value := range values {
		inner, ok, _ := find(value, at)
		list, isList := inner.([]any)
		if !ok || !isList {
			return nil, nil
		}
		for _, element := range list {
			o, isObject := element.(*orderedjson.Object)
			if !isObject {
				return nil, nil
			}
			elements = append(elements, o)
		}
		lists = append(lists, list)
	}
	return lists, elements
}

func asValues(objects []*orderedjson.Object) []any {
	values := make([]any, len(objects))
	for i, o := range objects {
		values[i] = o
	}
	return values
}

// within carries an object into the shape that its like has now; nil if that is not plain.
func within(keys payload.Keys, old, fresh []*orderedjson.Object) *shift {
	if payload.CompareKeys(old, fresh) < sameObjects {
		return nil
	}
	ways := inferShift(keys, nil, asValues(old), asValues(fresh))
	if len(ways) > 1 || ways[0].score < sameObjects && ways[0].shift.changed() {
		return nil
	}
	return ways[0].shift
}

// aloneInList is the move of the whole payload into a list that holds nothing else.
func aloneInList(was, is *table, to place) *move {
	if len(to) == 0 || slices.ContainsFunc(was.places, func(p place) bool { return is.in[p.id()] > 0 }) {
		return nil
	}
	lists, elements := elementsAt(is.values, to)
	old := objectsAt(was.values, nil)
	if len(old) == 0 || len(elements) == 0 || slices.ContainsFunc(lists, func(list []any) bool { return len(list) != 1 }) {
		return nil
	}
	inner := within(was.keys, old, elements)
	if inner == nil {
		return nil
	}
	return &move{to: to, score: 0.85, convert: &conversion{says: "in a list of its own", write: func(value any) (any, bool) {
		made, ok := inner.apply(value)
		return []any{made}, ok
	}, back: func(of string, w *writer) js { return w.whole(inner, of+"[0]", true) }}}
}
