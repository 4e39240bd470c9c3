package migration

import (
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// sameObjects is the least likeness of the members of objects that are the same things.
const sameObjects = 0.75

// scoreOf an explanation by a key: where the objects do not have it any more (or did not
// before), which of their members it is can only be guessed.
func scoreOf(kept bool) float64 {
	if kept {
		return 0.85
	}
	return 0.55
}

// listed are the moves of what became a list, or was one: an object that now stands alone in
// a list under a new name, and lists whose elements stand by a key of theirs.
func listed(was, is *table) []move {
	var found []move
	for _, at := range is.places {
		if m := aloneInList(was, is, at); m != nil && was.in[at.id()] == 0 {
			found = append(found, *m)
		}
	}
	for _, at := range was.places {
		if m := listToKeyed(was, is, at); m != nil {
			found = append(found, *m)
		}
	}
	for _, at := range is.places {
		if m := keyedToList(was, is, at); m != nil {
			found = append(found, *m)
		}
	}
	if len(found) != 1 {
		return nil // none, or more than can be told apart
	}
	return found
}

// objectsAt are the objects at a place of all values, nil if something else is there.
func objectsAt(values []any, at place) []*ordered.Object {
	var found []*ordered.Object
	for _, value := range values {
		inner, ok, _ := find(value, at)
		o, isObject := inner.(*ordered.Object)
		if !ok || !isObject {
			return nil
		}
		found = append(found, o)
	}
	return found
}

// elementsAt are the lists at a place of all values and the objects in them, nil if
// something else is there.
func elementsAt(values []any, at place) (lists [][]any, elements []*ordered.Object) {
	for _, value := range values {
		inner, ok, _ := find(value, at)
		list, isList := inner.([]any)
		if !ok || !isList {
			return nil, nil
		}
		for _, element := range list {
			o, isObject := element.(*ordered.Object)
			if !isObject {
				return nil, nil
			}
			elements = append(elements, o)
		}
		lists = append(lists, list)
	}
	return lists, elements
}

func asValues(objects []*ordered.Object) []any {
	values := make([]any, len(objects))
	for i, o := range objects {
		values[i] = o
	}
	return values
}

// within carries an object into the shape that its like has now; nil if that is not plain.
func within(keys payload.Keys, old, fresh []*ordered.Object) *shift {
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

// keyOf is the member by whose value objects stand in fresh ones, and whether they still
// have it; empty if it cannot be told.
func keyOf(keys []string, standing, free []*ordered.Object) (key string, kept bool) {
	for _, candidate := range payload.KeysOf(standing) {
		if !slices.ContainsFunc(standing, func(o *ordered.Object) bool {
			text, ok := keyText(o.Fields[candidate])
			return !ok || !slices.Contains(keys, text)
		}) {
			return candidate, true
		}
	}
	if len(standing) == 0 || len(free) == 0 {
		return "", false
	}
	var missing []string
	for _, candidate := range payload.KeysOf(free) {
		if !slices.Contains(payload.KeysOf(standing), candidate) {
			missing = append(missing, candidate)
		}
	}
	if len(missing) != 1 {
		return "", false
	}
	return missing[0], false
}

func keyText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// byKey are the objects of an object whose members are all objects alike, and their keys.
func byKey(holders []*ordered.Object) (keys []string, objects []*ordered.Object) {
	for _, holder := range holders {
		for _, key := range holder.Keys {
			o, ok := holder.Fields[key].(*ordered.Object)
			if !ok {
				return nil, nil
			}
			keys, objects = append(keys, key), append(objects, o)
		}
	}
	if len(objects) < 2 { // an object with one object in it is nothing special
		return nil, nil
	}
	for _, o := range objects[1:] {
		if payload.CompareKeys(objects[:1], []*ordered.Object{o}) < sameObjects {
			return nil, nil
		}
	}
	return keys, objects
}

// listToKeyed is the move of a list whose elements now stand by one of their members.
func listToKeyed(was, is *table, at place) *move {
	lists, elements := elementsAt(was.values, at)
	keys, objects := byKey(objectsAt(is.values, at))
	key, kept := keyOf(keys, objects, elements)
	if key == "" || slices.ContainsFunc(lists, func(list []any) bool { return !distinct(list, key) }) {
		return nil
	}
	inner := within(was.keys, without(elements, key, kept), objects)
	if inner == nil {
		return nil
	}
	return &move{from: at, to: at, score: scoreOf(kept), convert: &conversion{says: "by its " + key, write: func(value any) (any, bool) {
		list, isList := value.([]any)
		if !isList || !distinct(list, key) || !inOrder(list, key) {
			return nil, false
		}
		made := ordered.New()
		for _, element := range list {
			o := element.(*ordered.Object)
			name, _ := keyText(o.Fields[key])
			if !kept {
				o.Remove(key)
			}
			carried, ok := inner.apply(o)
			if !ok {
				return nil, false
			}
			made.Put(name, carried)
		}
		return made, true
	}, back: func(of string, w *writer) js {
		one := w.name(at)
		element := w.whole(inner, one, true)
		if element.String() == one && kept {
			return js{before: "Object.values(" + of + ")"}
		}
		if kept {
			return element.body().in("Object.values("+of+").map(("+one+") => ", ")")
		}
		name := "key"
		if slices.ContainsFunc(elements, func(o *ordered.Object) bool { _, text := o.Fields[key].(string); return !text }) {
			name = "Number(key)"
		}
		if element.members == nil {
			element = js{members: []member{{value: element}}}
		}
		element.members = append([]member{{key, js{before: name}}}, element.members...)
		return element.body().in("Object.entries("+of+").map(([key, "+one+"]) => ", ")")
	}}}
}

// keyedToList is the move of objects by key into a list, with the key as a member of theirs.
func keyedToList(was, is *table, at place) *move {
	_, elements := elementsAt(is.values, at)
	keys, objects := byKey(objectsAt(was.values, at))
	key, kept := keyOf(keys, objects, elements)
	if key == "" || slices.ContainsFunc(elements, func(o *ordered.Object) bool { _, text := o.Fields[key].(string); return !text }) {
		return nil
	}
	inner := within(was.keys, objects, without(elements, key, kept))
	if inner == nil {
		return nil
	}
	return &move{from: at, to: at, score: scoreOf(kept), convert: &conversion{says: "as a list", write: func(value any) (any, bool) {
		holder, isObject := value.(*ordered.Object)
		if !isObject {
			return nil, false
		}
		list := []any{}
		for _, name := range holder.Keys {
			carried, ok := inner.apply(holder.Fields[name])
			o, isObject := carried.(*ordered.Object)
			if !ok || !isObject {
				return nil, false
			}
			made := ordered.New()
			if !kept {
				made.Put(key, name)
			}
			for _, member := range o.Keys {
				made.Put(member, o.Fields[member])
			}
			list = append(list, made)
		}
		return list, true
	}, back: func(of string, w *writer) js {
		one := w.name(at)
		element := w.whole(inner, one, true)
		return element.in("Object.fromEntries("+of+".map(("+one+") => ["+one+script.Chain(key)+", ", "]))")
	}}}
}

// inOrder says that objects by a member of the elements come in the order of the list: a script
// meets keys that are numbers in their order, and before all others.
func inOrder(list []any, key string) bool {
	before, names := -1, false
	for _, element := range list {
		name, _ := keyText(payload.Property(element, key))
		number, err := strconv.Atoi(name)
		switch {
		case err != nil || number < 0:
			names = true
		case names || number < before:
			return false
		default:
			before = number
		}
	}
	return true
}

// without are objects without a member, unless it is kept.
func without(objects []*ordered.Object, key string, kept bool) []*ordered.Object {
	if kept {
		return objects
	}
	made := make([]*ordered.Object, len(objects))
	for i, o := range objects {
		made[i] = clone(o).(*ordered.Object)
		made[i].Remove(key)
	}
	return made
}

func distinct(list []any, key string) bool {
	seen := map[string]bool{}
	for _, element := range list {
		o, _ := element.(*ordered.Object)
		if o == nil {
			return false
		}
		text, ok := keyText(o.Fields[key])
		if !ok || seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}
