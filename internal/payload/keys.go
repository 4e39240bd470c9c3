package payload

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// A map is no record: its keys are data, such as dates, ids, names or words, and come and go from run to run. An object
// is a map by what the runs show of it:
//
//   - its values are of one shape, and
//   - its keys look like data ([DataKey]), or new ones keep coming: the share of keys that were seen once estimates how
//     likely the next key is a new one (Good and Turing), or
//   - the values are three objects or more that are alike.
//
// A key that the script spells out is a member, whatever its neighbours are: where rates.USD is read, USD has to be
// there. In an object that the script made itself, a key that it does not spell out came from data.

// Keys says what a script knows of keys. The zero value knows no script.
type Keys struct {
	Spelled map[string]bool // by the script; see [Spelled]
	// Made says that the script made the objects, and was not given them.
	Made bool
}

// newKey is the chance of a new key from which on the keys of an object are data.
const newKey = 0.15

// IsMap says that the objects of a place are maps. Its members are still apart.
func (k Keys) IsMap(p *Place) bool {
	objects := p.Kinds["object"]
	if objects == 0 { // the arguments of a call are no object
		return false
	}
	var data []*Place
	once, entries, everywhere := 0, 0, 0
	keys, named := 0, 0
	for _, member := range p.order {
		if !member.IsMember() || len(member.Kinds) == 0 {
			continue
		}
		keys++
		if k.Spelled[member.step()] {
			named++
			continue
		}
		data = append(data, member)
		seen := member.Seen()
		entries += seen
		if seen == 1 {
			once++
		}
		if seen == objects {
			everywhere++
		}
	}
	if len(data) == 0 {
		return false
	}
	values := k.together(data)
	alike := k.uniform(values, len(data))
	sure, likely := dataKeys(data)
	differ := everywhere < len(data)
	switch {
	case sure && named <= len(data) && (alike || differ), likely && alike && len(data) > 1:
		return true
	case !alike || 4*named > keys:
		return false
	case k.Made && k.Spelled != nil:
		return true
	case objects > 1 && differ && float64(once) >= newKey*float64(entries) && 2*everywhere <= len(data),
		objects > 2 && differ && 2*everywhere <= len(data):
		return true
	}
	return named == 0 && len(data) > 2 && values.Kinds["object"] > 0 && len(values.order) > 1
}

// together is what stands at the members of an object, as if all had one name.
func (k Keys) together(members []*Place) *Place {
	all := NewSchema()
	for _, member := range members {
		all.take(all.root, member)
	}
	return all.root
}

// mostlyShared is the share of their members that objects have in common that are alike.
const mostlyShared = 0.5

// uniform says that values are of one shape.
func (k Keys) uniform(values *Place, members int) bool {
	kinds := values.KindsSeen()
	switch {
	case len(kinds) == 0:
		return true
	case len(kinds) > 1:
		return false
	}
	switch kinds[0] {
	case "string":
		total, most := 0, 0
		for format, n := range values.Formats {
			if format == FormatText {
				n += values.Formats[FormatWord]
			}
			total, most = total+values.Formats[format], max(most, n)
		}
		return 10*most >= 9*total
	case "object":
		if members < 2 || k.IsMap(values) {
			return true
		}
		has := 0
		for _, below := range values.order {
			has += below.Seen()
		}
		return len(values.order) == 0 || float64(has) >= mostlyShared*float64(len(values.order)*values.Kinds["object"])
	case "array":
		return len(values.order) == 0 || len(values.order[0].KindsSeen()) <= 1
	}
	return true
}

// dataKeys says whether all keys are surely, or likely, data.
func dataKeys(members []*Place) (sure, likely bool) {
	sure, likely = true, true
	for _, member := range members {
		one, perhaps := DataKey(member.step())
		sure, likely = sure && one, likely && (one || perhaps)
	}
	return sure, likely
}

var codeKey = lazyregexp.New(`^[A-Z]{1,5}$`)

// DataKey says whether a key is surely data, as a date or an id is, or likely, as a name or a currency.
func DataKey(key string) (sure, likely bool) {
	switch FormatOf(key) {
	case FormatWord:
		first, _ := utf8.DecodeRuneInString(key)
		return strings.ContainsAny(key, "0123456789"), codeKey.MatchString(key) || unicode.IsUpper(first)
	case FormatText:
		return strings.ContainsAny(key, "@/:0123456789"), key != "" && !strings.ContainsAny(key, "_$")
	}
	return true, true
}

// Spelled says which keys a script spells out: as a member, in quotes, or in a pattern.
func Spelled(code string) map[string]bool {
	words := map[string]bool{}
	for _, found := range spelledPattern.FindAllStringSubmatch(code, -1) {
		for _, word := range found[1:] {
			words[word] = true
		}
		if _, inside, computed := strings.Cut(found[0], "${"); computed { // a template reads members, too
			maps.Copy(words, Spelled(strings.TrimSuffix(inside, "`")))
		}
	}
	// The character after a name may begin the next match, so patterns are looked at by themselves.
	for _, word := range bound(code) {
		words[word] = true
	}
	delete(words, "")
	return words
}

// bound are the names in braces that are no block: those of patterns, whatever they default to and hold, and of objects.
func bound(code string) (words []string) {
	type group struct {
		brace, block bool
		names        []string
	}
	open := []group{{}}
	for _, token := range tokenPattern.FindAllString(code, -1) {
		last := &open[len(open)-1]
		switch token[0] {
		case '{', '(', '[':
			open = append(open, group{brace: token == "{"})
		case '}', ')', ']':
			if last.brace && !last.block {
				words = append(words, last.names...)
			}
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case ';':
			last.block = true
		case '\'', '"', '`', '/':
		default:
			last.block = last.block || statements[token]
			last.names = append(last.names, token)
		}
	}
	return words
}

var statements = SetOf("return", "const", "let", "var", "if", "for", "while", "throw", "yield", "break", "continue")

var (
	tokenPattern   = regexp.MustCompile(`//[^\n]*|/\*[^*]*\*/|'[^'\n]*'|"[^"\n]*"|` + "`[^`]*`" + `|[\pL_$][\pL\pN_$]*|[][(){};]`)
	spelledPattern = regexp.MustCompile(`\.\s*([\pL_$][\pL\pN_$]*)|([\pL_$][\pL\pN_$]*)\s*:|'([^'\n]*)'|"([^"\n]*)"|` + "`([^`\n]*)`")
)

// Read is the schema with maps as maps: below one, {*} is the place of all values but those whose keys the script spells out.
func (v *Schema) Read(keys Keys) *Schema {
	if v.view == nil {
		v.view = &Schema{root: &Place{}, keys: keys, maps: map[*Place]bool{}}
		v.view.fold(v.view.root, []*Place{v.root}, func(_, of *Place) bool { return keys.IsMap(of) },
			func(holder, member *Place) bool { return member.Seen() > 1 && member.Seen() == holder.Kinds["object"] })
	}
	return v.view
}

// Like is the schema with those places read as maps that are maps in another one, which was read.
func (v *Schema) Like(read *Schema) *Schema {
	if read == nil {
		return v
	}
	made := &Schema{root: &Place{}, keys: read.keys, maps: map[*Place]bool{}}
	made.fold(made.root, []*Place{v.root}, func(at, _ *Place) bool { return read.IsMap(at.Path) },
		func(holder, member *Place) bool {
			return read.At(append(slices.Clip(holder.Path), member.step())) != nil
		})
	return made
}

// fold makes one place of several, which are members of one map, and folds the places below. A steady member keeps a
// place of its own besides, and so do the places below it if there are not too many: a number by one key has its
// size.
func (v *Schema) fold(p *Place, of []*Place, isMap, steady func(at, of *Place) bool) {
	if p == nil {
		return
	}
	all := of[0]
	if len(of) > 1 {
		all = v.keys.together(of)
	}
	for _, one := range of {
		p.Runs = max(p.Runs, one.Runs)
	}
	p.merge(all)
	v.maps[p] = len(all.order) > 0 && isMap(p, all)
	var values []*Place
	for _, below := range all.order {
		if v.maps[p] && below.IsMember() && !v.keys.Spelled[below.step()] {
			values = append(values, below)
			continue
		}
		v.fold(v.under(p, below.step()), []*Place{below}, isMap, steady)
	}
	if len(values) == 0 {
		return
	}
	v.fold(v.under(p, AnyKey), values, isMap, steady)
	values = slices.DeleteFunc(values, func(below *Place) bool { return !steady(p, below) })
	for _, below := range values {
		made := v.under(p, below.step())
		switch {
		case made == nil:
		case len(values) > maxWords:
			made.entry, made.Runs = true, below.Runs
			made.merge(below)
		default:
			made.entry = true
			v.fold(made, []*Place{below}, func(at, _ *Place) bool {
				return v.IsMap(slices.Concat(p.Path, []string{AnyKey}, at.Path[len(p.Path)+1:]))
			}, steady)
		}
	}
}

// IsMap says that a schema that was read has maps at a path.
func (v *Schema) IsMap(path []string) bool { return v.maps[v.At(path)] }

// Step is the step under which a key of an object stands at a path: its own, or that of all values of a map. Empty if
// neither is known.
func (v *Schema) Step(path []string, key string) string {
	for _, step := range []string{key, AnyKey} {
		if v.At(append(slices.Clip(path), step)) != nil && (step == key || !v.keys.Spelled[key]) {
			return step
		}
	}
	return ""
}

// Edit changes what stands at a path of a payload, everywhere; change says whether it stays.
func (v *Schema) Edit(value any, path []string, change func(any) (any, bool)) (any, bool) {
	if v == nil {
		v = NewSchema()
	}
	return v.edit(v.root, value, path, change)
}

func (v *Schema) edit(p *Place, value any, path []string, change func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return change(value)
	}
	var below *Place
	if p != nil {
		below = p.below[path[0]]
	}
	switch step := path[0]; on := value.(type) {
	case *orderedjson.Object:
		keys := []string{step}
		if step == AnyKey {
			keys = slices.DeleteFunc(slices.Clone(on.Keys), func(key string) bool { return v.keys.Spelled[key] })
		}
		for _, key := range keys {
			member, there := on.Fields[key]
			if !there {
				continue
			}
			if made, stays := v.edit(below, member, path[1:], change); stays {
				on.Fields[key] = made
			} else {
				on.Remove(key)
			}
		}
	case []any:
		if step == Element {
			for i, one := range on {
				on[i], _ = v.edit(below, one, path[1:], change)
			}
		}
	case string:
		if inside, ok := DocumentIn(on); ok && step == inside.step() {
			made, _ := v.edit(below, inside.Value, path[1:], change)
			if text, ok := inside.Write(made); ok {
				return text, true
			}
		}
	}
	return value, true
}

// Collect lists what stands at a path of a payload.
func (v *Schema) Collect(value any, path []string) []any {
	var found []any
	v.Edit(value, path, func(one any) (any, bool) {
		found = append(found, one)
		return one, true
	})
	return found
}
