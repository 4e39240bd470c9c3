package migration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// view reads what stands at a place in another form that says the same, so that what else changed can be told: a list of things as
// an object that has each of them by its name, an object of columns as a list of rows.
type view struct {
	at place

	// A list as an object:
	key    string   // the member by whose value an element stands
	value  string   // the only other member, which stands there alone; empty for the rest of the element
	kept   bool     // the key is left in the rest
	number bool     // the keys are numbers
	names  []string // if they are always of the same few, in the order in which they were seen; nil if they are data
	always bool     // each list has all of them

	inOrder bool // an object in its place has them in the order of the list

	columns []string // of an object that is read as a list of rows
	prefix  string   // of all keys of an object that is read as one without it
	score   float64
}

// isMap says that an object which a view makes is a map.
func isMap(views []view, at place) (is, known bool) {
	for _, v := range views {
		if v.columns == nil && v.prefix == "" && slices.Equal(v.at, at) {
			return v.names == nil, true
		}
	}
	return false, false
}

// opened reads a value through views. It is false if it is in no such form.
func opened(views []view, value any) (any, bool) {
	for _, v := range views {
		inner, there, _ := find(value, v.at)
		if !there || inner == nil {
			continue
		}
		made, ok := v.open(inner)
		if !ok {
			return nil, false
		}
		value = orderedjson.PutAt(value, v.at, made)
	}
	return value, true
}

// closed is what opened undoes.
func closed(views []view, value any) (any, bool) {
	for _, v := range slices.Backward(views) {
		inner, there, _ := find(value, v.at)
		if !there || inner == nil {
			continue
		}
		made, ok := v.close(inner)
		if !ok {
			return nil, false
		}
		value = orderedjson.PutAt(value, v.at, made)
	}
	return value, true
}

func (v view) open(value any) (any, bool) {
	switch {
	case v.columns != nil:
		return rowsOf(value, v.columns)
	case v.prefix != "":
		return renamedKeys(value, func(key string) (string, bool) { return strings.CutPrefix(key, v.prefix) })
	}
	list, isList := value.([]any)
	made := orderedjson.New()
	if v.inOrder && !inOrder(list, v.key) {
		return nil, false
	}
	for _, one := range list {
		o, _ := one.(*orderedjson.Object)
		if o == nil {
			return nil, false
		}
		name, ok := keyText(o.Fields[v.key])
		if _, twice := made.Fields[name]; !ok || twice {
			return nil, false
		}
		if v.value != "" {
			made.Put(name, o.Fields[v.value])
			continue
		}
		if rest := clone(o).(*orderedjson.Object); v.kept {
			made.Put(name, rest)
		} else {
			rest.Remove(v.key)
			made.Put(name, rest)
		}
	}
	return made, isList
}

func (v view) close(value any) (any, bool) {
	switch {
	case v.columns != nil:
		return columnsOf(value, v.columns)
	case v.prefix != "":
		return renamedKeys(value, func(key string) (string, bool) { return v.prefix + key, true })
	}
	holder, isObject := value.(*orderedjson.Object)
	if !isObject {
		return nil, false
	}
	list := []any{}
	for _, name := range holder.Keys {
		var key any = name
		if v.number {
			n, err := strconv.ParseFloat(name, 64)
			if err != nil {
				return nil, false
			}
			key = n
		}
		made := orderedjson.New()
		if !v.kept {
			made.Put(v.key, key)
		}
		if v.value != "" {
			made.Put(v.value, holder.Fields[name])
		} else {
			o, isObject := holder.Fields[name].(*orderedjson.Object)
			if !isObject {
				return nil, false
			}
			for _, member := range o.Keys {
				made.Put(member, o.Fields[member])
			}
		}
		list = append(list, made)
	}
	return list, true
}

func renamedKeys(value any, name func(string) (string, bool)) (any, bool) {
	o, isObject := value.(*orderedjson.Object)
	made := orderedjson.New()
	if !isObject {
		return nil, false
	}
	for _, key := range o.Keys {
		other, ok := name(key)
		if !ok || !made.Put(other, o.Fields[key]) {
			return nil, false
		}
	}
	return made, true
}

// rowsOf is a list of rows, of an object that has nothing but lists of one length, each a column.
func rowsOf(value any, columns []string) (any, bool) {
	o, _ := value.(*orderedjson.Object)
	if o == nil || len(o.Keys) == 0 {
		return nil, false
	}
	first, _ := o.Fields[o.Keys[0]].([]any)
	rows := make([]any, len(first))
	for n := range rows {
		rows[n] = orderedjson.New()
	}
	for _, name := range o.Keys {
		column, isList := o.Fields[name].([]any)
		if !isList || len(column) != len(rows) || !slices.Contains(columns, name) {
			return nil, false
		}
		for n, cell := range column {
			rows[n].(*orderedjson.Object).Put(name, cell)
		}
	}
	return rows, true
}

func columnsOf(value any, columns []string) (any, bool) {
	rows, isList := value.([]any)
	made := orderedjson.New()
	for _, name := range columns {
		column, has := []any{}, len(rows) == 0
		for _, row := range rows {
			o, _ := row.(*orderedjson.Object)
			if o == nil {
				return nil, false
			}
			cell, there := o.Fields[name]
			column, has = append(column, cell), has || there
		}
		if has {
			made.Put(name, column)
		}
	}
	return made, isList
}

// maxViews bounds how many views are tried of one side, and how many are taken.
const maxViews = 4

// inferShift explains what became of values, best first; at least one way. Where a member that may be read is lost, the values
// are looked at through views, and those stay by which fewer are lost.
func inferShift(keys payload.Keys, known renames, old, fresh []any) []way {
	best := inferAs(keys, known, old, fresh, nil, nil)
	type seen struct {
		before, after []view
		old, fresh    []any
	}
	at := seen{old: old, fresh: fresh}
	for range maxViews {
		least := best[0].shift.misses(keys)
		if least == 0 {
			break
		}
		var next *seen
		was, is := tablesOf(keys, known, at.old, at.fresh, at.before, at.after)
		try := func(one seen) {
			ways := inferAs(keys, known, one.old, one.fresh, one.before, one.after)
			if n := ways[0].shift.misses(keys); n < least {
				best, least, next = ways, n, &one
			}
		}
		for _, v := range viewsOf(is, was) {
			if made, ok := openedAll(v, at.fresh); ok {
				try(seen{at.before, append(slices.Clip(at.after), v), at.old, made})
			}
		}
		for _, v := range viewsOf(was, is) {
			if made, ok := openedAll(v, at.old); ok {
				v.inOrder = v.key != ""
				try(seen{append(slices.Clip(at.before), v), at.after, made, at.fresh})
			}
		}
		if next == nil {
			break
		}
		at = *next
	}
	if len(at.before)+len(at.after) > 0 {
		was, is := tablesOf(keys, known, old, fresh, nil, nil)
		for i := range best {
			w := &best[i]
			w.shift.before, w.shift.after = at.before, at.after
			w.shift.mark = discriminatorOf(was, is, w.shift.moves, at.before, at.after)
			for _, v := range at.after {
				if v.key != "" {
					delete(w.shift.order, v.at.id()) // nothing says in which order the list has them
				}
			}
			for _, v := range slices.Concat(at.before, at.after) {
				w.score, w.plain = min(w.score, v.score), min(w.plain, v.score)
			}
		}
	}
	return best
}

// viewed is the score of a view for which names speak, and guessedKey that of one by a key that only nothing else can be.
const (
	viewed     = 0.85
	guessedKey = 0.55
)

// misses counts what is lost and may be read, each thing a hundredfold: a list is less than lost if what is lost is in it.
func (s *shift) misses(keys payload.Keys) int {
	if s == nil {
		return 0
	}
	n := 0
	for _, at := range s.lost {
		if len(keys.Spelled) == 0 || len(at) == 0 || keys.Spelled[at.last()] {
			n += 100
		}
	}
	for _, m := range s.moves {
		if n += min(99, m.elements.misses(keys)); m.convert != nil && m.convert.back == nil {
			n++ // it cannot be put back
		}
	}
	return n
}

func openedAll(v view, values []any) ([]any, bool) {
	made := make([]any, len(values))
	for i, value := range values {
		var ok bool
		if made[i], ok = opened([]view{v}, clone(value)); !ok {
			return nil, false
		}
	}
	return made, true
}

// viewsOf are views of values in which names that the others have stand as values, or columns where the others have rows.
func viewsOf(t, other *table) []view {
	names, inMaps := map[string]bool{}, map[string]bool{} // of members and in maps; true if an object stands there
	var maps, entries []*orderedjson.Object
	for _, at := range other.places {
		for i, step := range at {
			name := payload.Squeeze(step)
			names[name] = names[name] || i < len(at)-1
		}
		for _, o := range other.profile(at).Objects {
			maps = append(maps, o)
			for _, key := range o.Keys {
				entry, isObject := o.Fields[key].(*orderedjson.Object)
				if inMaps[key] = inMaps[key] || isObject; isObject {
					entries = append(entries, entry)
				}
			}
		}
	}
	kept := func(key string) bool {
		return len(entries) > 0 && !slices.ContainsFunc(maps, func(o *orderedjson.Object) bool {
			return slices.ContainsFunc(o.Keys, func(name string) bool {
				text, ok := keyText(payload.Property(o.Fields[name], key))
				return !ok || text != name
			})
		})
	}
	var found []view
	for _, at := range t.places {
		if other.profile(at).Kinds["array"] > 0 {
			continue
		}
		elements := payload.ProfileOf(t.profile(at).Elements()).Objects
		for _, v := range byKeys(at, t.profile(at).Lists, elements) {
			v.score = viewed
			named, inMap := false, false
			v.kept = kept(v.key)
			for _, name := range v.names {
				holds, is := names[payload.Squeeze(name)]
				holdsToo, isToo := inMaps[name]
				if named, inMap = named || is, inMap || isToo; holds || holdsToo || v.kept {
					v.value = ""
				}
			}
			switch {
			case v.kept, inMap:
				v.names = nil
			case named:
			case v.value == "" && payload.CompareKeys(without(elements, v.key), entries) >= sameObjects && onlyIn(elements, entries, v.key):
				v.score, v.names = guessedKey, nil
			default:
				continue
			}
			found = append(found, v)
		}
	}
	rows := slices.ContainsFunc(other.places, func(at place) bool {
		return t.in[at.id()] == 0 && payload.ProfileOf(other.profile(at).Elements()).Kind() == "object"
	})
	for _, at := range t.holders() {
		if v, ok := t.inColumns(at); ok && rows {
			v.score = viewed
			found = append(found, v)
		}
	}
	for _, at := range slices.Concat(t.holders(), t.places) {
		if v, ok := t.prefixed(at, func(name string) bool {
			_, inMap := inMaps[name]
			_, named := names[payload.Squeeze(name)]
			return inMap || named
		}); ok {
			found = append(found, v)
		}
	}
	return found[:min(len(found), maxViews)]
}

// prefixed is the view of objects whose keys are known ones with the same text before each.
func (t *table) prefixed(at place, known func(string) bool) (view, bool) {
	v := view{at: at, score: viewed}
	var keys []string
	for _, value := range t.values {
		inner, _, _ := find(value, at)
		if o, isObject := inner.(*orderedjson.Object); isObject {
			keys = append(keys, o.Keys...)
		}
	}
	if len(keys) < 2 {
		return v, false
	}
	v.prefix = keys[0]
	for _, key := range keys {
		for !strings.HasPrefix(key, v.prefix) {
			v.prefix = v.prefix[:len(v.prefix)-1]
		}
	}
	return v, len(v.prefix) > 1 && !slices.ContainsFunc(keys, func(key string) bool { return !known(strings.TrimPrefix(key, v.prefix)) })
}

// onlyIn says that a member is the only one that objects have and others do not.
func onlyIn(objects, others []*orderedjson.Object, key string) bool {
	known := payload.KeysOf(others)
	return len(others) > 0 && !slices.ContainsFunc(payload.KeysOf(objects), func(name string) bool { return slices.Contains(known, name) == (name == key) })
}

// without are objects without a member.
func without(objects []*orderedjson.Object, key string) []*orderedjson.Object {
	made := make([]*orderedjson.Object, len(objects))
	for i, o := range objects {
		made[i] = clone(o).(*orderedjson.Object)
		made[i].Remove(key)
	}
	return made
}

// byKeys are the views of lists by those members whose values tell the elements of each apart.
func byKeys(at place, lists [][]any, elements []*orderedjson.Object) []view {
	members := payload.KeysOf(elements)
	var found []view
	for _, key := range members {
		if len(members) < 2 || slices.ContainsFunc(lists, func(list []any) bool { return !distinct(list, key) }) {
			continue
		}
		v := view{at: at, key: key, always: true}
		if len(members) == 2 {
			v.value = members[1-slices.Index(members, key)]
		}
		for _, o := range elements {
			name, _ := keyText(o.Fields[key])
			if _, isNumber := o.Fields[key].(float64); isNumber {
				v.number = true
			}
			if !slices.Contains(v.names, name) && len(v.names) < maxSeen {
				v.names = append(v.names, name)
			}
		}
		for _, list := range lists {
			v.always = v.always && len(list) == len(v.names)
		}
		found = append(found, v)
	}
	return found
}

// holders are the places of the objects that hold others, the whole first.
func (t *table) holders() []place {
	found := []place{{}}
	for _, at := range t.places {
		for n := 1; n < len(at); n++ {
			if !slices.ContainsFunc(found, func(p place) bool { return slices.Equal(p, at[:n]) }) {
				found = append(found, at[:n])
			}
		}
	}
	return found
}

// inColumns is the view of an object that has nothing but lists of one length.
func (t *table) inColumns(at place) (view, bool) {
	v := view{at: at}
	long := false
	for _, value := range t.values {
		inner, there, _ := find(value, at)
		o, isObject := inner.(*orderedjson.Object)
		switch {
		case !there || inner == nil:
			continue
		case !isObject || len(o.Keys) < 2:
			return v, false
		}
		for _, key := range o.Keys {
			column, isList := o.Fields[key].([]any)
			if first, _ := o.Fields[o.Keys[0]].([]any); !isList || len(column) != len(first) {
				return v, false
			}
			long = long || len(column) > 1
			if !slices.Contains(v.columns, key) {
				v.columns = append(v.columns, key)
			}
		}
	}
	return v, long
}

// says is what a view tells people of the form that there was before, or is now.
func (v view) says() string {
	switch {
	case v.columns != nil:
		return "in columns"
	case v.prefix != "":
		return "by keys with " + v.prefix + " before them"
	}
	return "a list by " + v.key
}

// under is the view that is on the way to a place, nil if none is.
func under(views []view, to place) *view {
	for i := range views {
		if to.below(views[i].at) {
			return &views[i]
		}
	}
	return nil
}

// as is a place in the form that values have: the list or the columns on the way to what a view reads of it.
func as(views []view, to place) place {
	if v := under(views, to); v != nil {
		return v.at
	}
	return to
}

// readAt is the expression of what stands at a place of what is seen through views.
func readAt(views []view, of string, to place) string {
	v := under(views, to)
	if v == nil {
		return of + script.Chain(to...)
	}
	at := of + script.Chain(v.at...)
	switch {
	case v.prefix != "" && len(to) == len(v.at):
		return "Object.fromEntries(Object.entries(" + at + " ?? {}).map(([key, one]) => [key.slice(" + strconv.Itoa(len(utf16.Encode([]rune(v.prefix)))) + "), one]))"
	case v.prefix != "":
		return of + script.Chain(slices.Concat(v.at, place{v.prefix + to[len(v.at)]}, to[len(v.at)+1:])...)
	case v.columns != nil && len(to) == len(v.at):
		var cells []string
		for _, name := range v.columns {
			cells = append(cells, script.QuoteKey(name)+": "+at+script.Chain(name)+"[i]")
		}
		return at + script.SafeChain(v.columns[0]) + "?.map((_, i) => ({ " + strings.Join(cells, ", ") + " }))"
	case len(to) == len(v.at):
		one := "one"
		if v.value != "" {
			one += script.Chain(v.value)
		} else if !v.kept {
			one = "(({ " + script.QuoteKey(v.key) + ": _, ...rest }) => rest)(one)"
		}
		return "Object.fromEntries((" + at + " ?? []).map((one) => [one" + script.Chain(v.key) + ", " + one + "]))"
	}
	name := to[len(v.at)]
	want := script.Quote(name)
	if v.number {
		want = name
	}
	made := at + "?.find((one) => one" + script.Chain(v.key) + " === " + want + ")"
	rest := to[len(v.at)+1:]
	if v.value != "" {
		rest = append(place{v.value}, rest...)
	}
	if len(rest) > 0 {
		made += script.SafeChain(rest...)
	}
	return made
}

// written is the expression of the old form of what a view reads, of one that holds what it reads.
func (v view) written(made js) js {
	if v.columns != nil {
		var cells []string
		for _, name := range v.columns {
			cells = append(cells, script.QuoteKey(name)+": rows?.map((row) => row"+script.Chain(name)+")")
		}
		return made.in("((rows) => ({ "+strings.Join(cells, ", ")+" }))(", ")")
	}
	if v.prefix != "" {
		return made.in("Object.fromEntries(Object.entries(", " ?? {}).map(([key, one]) => ["+script.Quote(v.prefix)+" + key, one]))")
	}
	key, value := "key", v.value
	if v.number {
		key = "Number(key)"
	}
	if v.names != nil {
		order := make([]string, len(v.names))
		for i, name := range v.names {
			order[i] = script.Quote(name)
		}
		one := fmt.Sprintf("{ %s: %s, ...all[key] }", script.QuoteKey(v.key), key)
		if value != "" {
			one = fmt.Sprintf("{ %s: %s, %s: all[key] }", script.QuoteKey(v.key), key, script.QuoteKey(value))
		}
		return made.in("((all) => ["+strings.Join(order, ", ")+"].filter((key) => all?.[key] !== undefined).map((key) => ("+one+")))(", ")")
	}
	switch {
	case value != "":
		return made.in("Object.entries(", " ?? {}).map(([key, one]) => ({ "+script.QuoteKey(v.key)+": "+key+", "+script.QuoteKey(value)+": one }))")
	case v.kept:
		return made.in("Object.values(", " ?? {})")
	}
	return made.in("Object.entries(", " ?? {}).map(([key, one]) => ({ "+script.QuoteKey(v.key)+": "+key+", ...one }))")
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

func distinct(list []any, key string) bool {
	seen := map[string]bool{}
	for _, element := range list {
		o, _ := element.(*orderedjson.Object)
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

func keyText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}
