package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/jsregexp"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
)

// The engine matches with two libraries, of which neither does what the standard says. So exec, test and split are made anew over
// [jsregexp]; match, matchAll, replace and search of the engine ask exec, as the standard has it.

type regexpKey struct{ source, flags string }

var regexpsCompiled = lru.New[regexpKey, *jsregexp.Regexp](500)

func compiledRegexp(source []uint16, flags string) (*jsregexp.Regexp, error) {
	text := make([]rune, len(source)) // half of a pair stays what it is
	for i, unit := range source {
		text[i] = rune(unit) + 0x10000
	}
	key := regexpKey{string(text), flags}
	if known, is := regexpsCompiled.Get(key); is {
		return known, nil
	}
	made, err := jsregexp.Compile(source, flags)
	if err != nil {
		return nil, fmt.Errorf("Invalid regular expression: /%s/%s: %w", Cut(string(utf16.Decode(source)), 200), flags, err) //nolint:staticcheck // as scripts know it
	}
	regexpsCompiled.Put(key, made)
	return made, nil
}

// checkPattern says what is wrong with a literal.
func checkPattern(pattern, flags string) error {
	_, err := compiledRegexp(utf16.Encode([]rune(pattern)), flags)
	return err
}

// regexps are what a run knows of its regular expressions.
type regexps struct {
	*Run
	known, knows  goja.Callable // get and set of a WeakMap
	kept          goja.Value
	source, flags goja.Callable // as the engine has them
	exec          *goja.Object
	constructor   *goja.Object
	units         []uint16    // of the last text
	unitsOf       goja.String // if it was not ASCII
	ascii         string
}

type regexp struct {
	*jsregexp.Regexp
	source                  goja.Value // nil if the engine has it
	global, sticky, unicode bool
}

// A script without a literal makes a regular expression by one of these words; packages and libraries may have literals. To make all
// this takes as long as to run a small script, so that others go without.
var _ = PolyfillIf(func(code string) bool {
	for _, word := range []string{"RegExp", "match", "search", "import", "require", "//# file "} {
		if strings.Contains(code, word) {
			return true
		}
	}
	return false
}, (*Run).amendRegExp)

// forLiterals are the amendments of a script that has a regular expression, with this one.
func forLiterals(have []polyfill) []polyfill {
	all := slices.Clone(have)
	for _, one := range polyfillsFor("RegExp") {
		if !slices.ContainsFunc(have, func(known polyfill) bool { return known.number == one.number }) {
			all = append(all, one)
		}
	}
	return all
}

func (r *Run) amendRegExp() {
	native := r.Original.Get("RegExp").ToObject(r.VM)
	prototype := native.Get("prototype").ToObject(r.VM)
	x := &regexps{Run: r}
	weak := r.Original.Get("WeakMap").ToObject(r.VM)
	methods := weak.Get("prototype").ToObject(r.VM)
	x.known, _ = goja.AssertFunction(methods.Get("get"))
	x.knows, _ = goja.AssertFunction(methods.Get("set"))
	kept, err := r.VM.New(weak)
	if err != nil {
		panic(err)
	}
	x.kept = kept
	x.source, x.flags = r.getter(prototype, "source"), r.getter(prototype, "flags")

	x.constructor = r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object { return x.construct(native, call) }).ToObject(r.VM)
	if err := errors.Join(
		x.constructor.DefineDataProperty("name", r.VM.ToValue("RegExp"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		x.constructor.DefineDataProperty("length", r.VM.ToValue(2), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	); err != nil {
		panic(err)
	}
	if err := x.constructor.Set("prototype", prototype); err != nil {
		panic(err)
	}
	species := r.Function("get [Symbol.species]", func(call goja.FunctionCall) goja.Value { return call.This })
	if err := x.constructor.DefineAccessorPropertySymbol(goja.SymSpecies, species, nil, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	Define(prototype, "constructor", x.constructor, Hidden)
	Define(r.Original, "RegExp", x.constructor, Hidden)

	x.exec = r.FunctionOf("exec", 1, func(call goja.FunctionCall) goja.Value {
		object, of := x.of(call.This, "exec")
		text := x.string(call.Argument(0))
		found := x.next(object, of, text)
		if found == nil {
			return goja.Null()
		}
		return x.match(of, text, found)
	})
	Define(prototype, "exec", x.exec, Hidden)
	Define(prototype, "test", r.FunctionOf("test", 1, x.test), Hidden)
	compile := prototype.Get("compile")
	Define(prototype, "compile", r.FunctionOf("compile", 2, func(call goja.FunctionCall) goja.Value {
		object, _ := x.of(call.This, "compile")
		source, flags := x.given(call.Arguments)
		made := x.compiled(source, flags)
		if recompile, is := goja.AssertFunction(compile); is {
			if _, err := recompile(object, r.VM.ToValue("(?:)"), r.VM.ToValue(flags)); err != nil {
				panic(err)
			}
		}
		x.keep(object, made)
		return object
	}), Hidden)
	x.defineSource(prototype)
	for _, method := range []struct {
		symbol *goja.Symbol
		name   string
		takes  int
		call   func(of *regexp, object *goja.Object, text goja.String, argument goja.Value) goja.Value
	}{
		{goja.SymMatch, "[Symbol.match]", 1, x.matches}, {goja.SymReplace, "[Symbol.replace]", 2, x.replace}, {goja.SymSplit, "[Symbol.split]", 2, x.split},
	} {
		native, _ := goja.AssertFunction(prototype.GetSymbol(method.symbol))
		if err := prototype.DefineDataPropertySymbol(method.symbol, r.FunctionOf(method.name, method.takes, func(call goja.FunctionCall) goja.Value {
			if of, object := x.plain(call.This); of != nil {
				return method.call(of, object, x.string(call.Argument(0)), call.Argument(1))
			}
			value, err := native(call.This, call.Arguments...)
			if err != nil {
				panic(err)
			}
			return value
		}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
}

// plain is a regular expression of which the script has changed nothing. Others are left to the engine, which asks their exec.
func (x *regexps) plain(this goja.Value) (*regexp, *goja.Object) {
	object, is := this.(*goja.Object)
	if !is || object.ClassName() != "RegExp" {
		return nil, nil
	}
	exec, class := object.Get("exec"), object.Get("constructor")
	if exec == nil || !exec.SameAs(x.exec) || class == nil || !class.SameAs(x.constructor) {
		return nil, nil
	}
	_, of := x.of(object, "exec")
	return of, object
}

func (r *Run) getter(object *goja.Object, name string) goja.Callable {
	describe, _ := goja.AssertFunction(r.Original.Get("Object").ToObject(r.VM).Get("getOwnPropertyDescriptor"))
	described, err := describe(goja.Undefined(), object, r.VM.ToValue(name))
	if err != nil {
		panic(err)
	}
	get, _ := goja.AssertFunction(described.ToObject(r.VM).Get("get"))
	return get
}

func (r *Run) construct(class, newTarget *goja.Object, arguments []goja.Value) *goja.Object {
	constructor, ok := goja.AssertConstructor(class)
	if !ok {
		panic(r.VM.NewTypeError("not a constructor"))
	}
	object, err := constructor(newTarget, arguments...)
	if err != nil {
		panic(err)
	}
	return object
}

// defineSource has a regular expression say what it was made of, also if the engine was handed another text.
func (x *regexps) defineSource(prototype *goja.Object) {
	native := x.source
	get := x.Function("get source", func(call goja.FunctionCall) goja.Value {
		if object, is := call.This.(*goja.Object); is {
			if made := x.find(object); made != nil && made.source != nil {
				return made.source
			}
		}
		value, err := native(call.This)
		if err != nil {
			panic(err)
		}
		return value
	})
	if err := prototype.DefineAccessorProperty("source", get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// given are source and flags of the arguments of RegExp.
func (x *regexps) given(arguments []goja.Value) (source goja.String, flags string) {
	argument := func(i int) goja.Value {
		if i < len(arguments) {
			return arguments[i]
		}
		return goja.Undefined()
	}
	pattern, with := argument(0), argument(1)
	if object, is := pattern.(*goja.Object); is && x.isRegexp(object) {
		pattern = object.Get("source")
		if goja.IsUndefined(with) {
			with = object.Get("flags")
		}
	}
	if pattern == nil || goja.IsUndefined(pattern) {
		pattern = x.VM.ToValue("")
	}
	if with != nil && !goja.IsUndefined(with) {
		flags = x.string(with).String()
	}
	return x.string(pattern), flags
}

func (x *regexps) isRegexp(object *goja.Object) bool {
	if match := object.GetSymbol(goja.SymMatch); match != nil && !goja.IsUndefined(match) {
		return match.ToBoolean()
	}
	return object.ClassName() == "RegExp"
}

func (x *regexps) compiled(source goja.String, flags string) *regexp {
	made, err := compiledRegexp(unitsOf(source), flags)
	if err != nil {
		object, failed := x.VM.New(x.Original.Get("SyntaxError"), x.VM.ToValue(err.Error()))
		if failed != nil {
			panic(failed)
		}
		panic(object)
	}
	return &regexp{made, x.escaped(source), strings.Contains(flags, "g"), strings.Contains(flags, "y"), strings.Contains(flags, "u")}
}

// escaped is a source as it could stand in a literal.
func (x *regexps) escaped(source goja.String) goja.Value {
	if source.Length() == 0 {
		return x.VM.ToValue("(?:)")
	}
	var out []uint16
	class, changed := false, false
	for i := 0; i < source.Length(); i++ {
		c := source.CharAt(i)
		put := ""
		switch {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			put = `\/`
		case c == '\n':
			put = `\n`
		case c == '\r':
			put = `\r`
		case c == 0x2028 || c == 0x2029:
			put = fmt.Sprintf(`\u%x`, c)
		case c == '\\' && i+1 < source.Length():
			if next := source.CharAt(i + 1); next != '\n' && next != '\r' && next != 0x2028 && next != 0x2029 {
				out = append(out, c)
				i++
				c = next
			} else { // the \ is that of what is put there
				continue
			}
		}
		if put == "" {
			out = append(out, c)
			continue
		}
		changed = true
		out = append(out, utf16.Encode([]rune(put))...)
	}
	if !changed {
		return source
	}
	return goja.StringFromUTF16(out)
}

func (x *regexps) construct(native *goja.Object, call goja.ConstructorCall) *goja.Object {
	if object, is := call.Argument(0).(*goja.Object); is && call.NewTarget == nil && goja.IsUndefined(call.Argument(1)) && x.isRegexp(object) {
		if class, is := object.Get("constructor").(*goja.Object); is && class.SameAs(x.constructor) {
			return object
		}
	}
	source, flags := x.given(call.Arguments)
	// The engine says what is wrong with the flags, before the pattern is looked at.
	object := x.Run.construct(native, call.NewTarget, []goja.Value{x.VM.ToValue("(?:)"), x.VM.ToValue(flags)})
	x.keep(object, x.compiled(source, flags))
	return object
}

// string is a value as a text.
func (x *regexps) string(value goja.Value) goja.String {
	if _, is := value.(*goja.Symbol); is {
		panic(x.VM.NewTypeError("Cannot convert a Symbol value to a string"))
	}
	text, is := value.ToString().(goja.String)
	if !is { // undefined and null stay what they are
		text, _ = x.VM.ToValue(value.String()).(goja.String)
	}
	return text
}

func (x *regexps) keep(object *goja.Object, made *regexp) {
	if _, err := x.knows(x.kept, object, x.VM.ToValue(made)); err != nil {
		panic(err)
	}
}

func (x *regexps) find(object *goja.Object) *regexp {
	value, err := x.known(x.kept, object)
	if err != nil {
		panic(err)
	}
	made, _ := value.Export().(*regexp)
	return made
}

// of is what a regular expression matches. One of a literal is compiled when it is first asked.
func (x *regexps) of(this goja.Value, method string) (*goja.Object, *regexp) {
	object, is := this.(*goja.Object)
	if !is || object.ClassName() != "RegExp" {
		panic(x.VM.NewTypeError("Method RegExp.prototype.%s called on incompatible receiver %s", method, this.String()))
	}
	if made := x.find(object); made != nil {
		return object, made
	}
	source, err := x.source(object)
	if err != nil {
		panic(err)
	}
	flags, err := x.flags(object)
	if err != nil {
		panic(err)
	}
	made := x.compiled(x.string(source), flags.String())
	made.source = nil
	x.keep(object, made)
	return object, made
}

// next looks for the next match, and moves lastIndex on.
func (x *regexps) next(object *goja.Object, of *regexp, text goja.String) []int32 {
	moves := of.global || of.sticky
	index := object.Get("lastIndex")
	at := float64(0)
	if index != nil {
		at = index.ToNumber().ToFloat()
	}
	if !moves || !(at > 0) {
		at = 0
	}
	var found []int32
	if at = math.Floor(at); at <= float64(text.Length()) {
		found = x.search(of, text, int(at), of.sticky)
	}
	if moves {
		end := int32(0)
		if found != nil {
			end = found[1]
		}
		if err := object.Set("lastIndex", end); err != nil {
			panic(err)
		}
	}
	return found
}

func (x *regexps) search(of *regexp, text goja.String, at int, sticks bool) []int32 {
	found, err := of.Find(x.read(text), at, sticks)
	if errors.Is(err, jsregexp.ErrTooDeep) {
		panic(x.RangeError(err.Error()))
	}
	return found
}

// read gives the code units of a text. Those of the last one are kept: who looks for all matches asks again and again.
func (x *regexps) read(text goja.String) []uint16 {
	value := reflect.ValueOf(text)
	switch {
	case value.Kind() == reflect.String:
		ascii := value.String()
		if x.unitsOf != nil || x.ascii != ascii {
			x.unitsOf, x.ascii, x.units = nil, ascii, x.units[:0]
			for i := range len(ascii) {
				x.units = append(x.units, uint16(ascii[i]))
			}
		}
	case x.unitsOf == nil || value.Pointer() != reflect.ValueOf(x.unitsOf).Pointer() || x.unitsOf.Length() != text.Length():
		x.unitsOf, x.units = text, x.units[:0]
		for i := range text.Length() {
			x.units = append(x.units, text.CharAt(i))
		}
	}
	return x.units
}

func unitsOf(text goja.String) []uint16 {
	units := make([]uint16, text.Length())
	for i := range units {
		units[i] = text.CharAt(i)
	}
	return units
}

// match is what exec gives of a match.
func (x *regexps) match(of *regexp, text goja.String, found []int32) goja.Value {
	parts := make([]any, len(found)/2)
	for i := range parts {
		parts[i] = part(text, found, i)
	}
	made := x.VM.NewArray(parts...)
	Define(made, "index", x.VM.ToValue(found[0]), Visible)
	Define(made, "input", text, Visible)
	groups := goja.Undefined()
	if len(of.Names()) > 0 {
		groups = x.groups(of, text, found)
	}
	Define(made, "groups", groups, Visible)
	return made
}

func (x *regexps) groups(of *regexp, text goja.String, found []int32) goja.Value {
	object := x.VM.CreateObject(nil)
	for _, name := range of.Names() {
		Define(object, name.Name, part(text, found, name.Group), Visible)
	}
	return object
}

func part(text goja.String, found []int32, group int) goja.Value {
	if found[2*group] < 0 {
		return goja.Undefined()
	}
	return text.Substring(int(found[2*group]), int(found[2*group+1]))
}

func (x *regexps) test(call goja.FunctionCall) goja.Value {
	object, is := call.This.(*goja.Object)
	if !is {
		panic(x.VM.NewTypeError("Method RegExp.prototype.test called on incompatible receiver %s", call.This.String()))
	}
	exec := object.Get("exec")
	if exec == nil || !exec.SameAs(x.exec) {
		if own, callable := goja.AssertFunction(exec); callable {
			found, err := own(object, call.Argument(0).ToString())
			if err != nil {
				panic(err)
			}
			if _, is := found.(*goja.Object); !is && !goja.IsNull(found) {
				panic(x.VM.NewTypeError("object null is not a function"))
			}
			return x.VM.ToValue(!goja.IsNull(found))
		}
	}
	_, of := x.of(object, "test")
	return x.VM.ToValue(x.next(object, of, x.string(call.Argument(0))) != nil)
}

// everything are all matches of one with the flag g, from the beginning; otherwise the next one.
func (x *regexps) everything(of *regexp, object *goja.Object, text goja.String) [][]int32 {
	if !of.global {
		if found := x.next(object, of, text); found != nil {
			return [][]int32{found}
		}
		return nil
	}
	if err := object.Set("lastIndex", 0); err != nil {
		panic(err)
	}
	var list [][]int32
	for at := 0; at <= text.Length(); {
		found := x.search(of, text, at, of.sticky)
		if found == nil {
			break
		}
		list = append(list, found)
		if at = int(found[1]); found[0] == found[1] {
			at = x.after(of, text, at)
		}
	}
	return list
}

// after is the position behind a character.
func (x *regexps) after(of *regexp, text goja.String, at int) int {
	if of.unicode && at+1 < text.Length() && text.CharAt(at)&^0x3FF == 0xD800 && text.CharAt(at+1)&^0x3FF == 0xDC00 {
		return at + 2
	}
	return at + 1
}

func (x *regexps) matches(of *regexp, object *goja.Object, text goja.String, _ goja.Value) goja.Value {
	list := x.everything(of, object, text)
	switch {
	case len(list) == 0:
		return goja.Null()
	case !of.global:
		return x.match(of, text, list[0])
	}
	texts := make([]any, len(list))
	for i, found := range list {
		texts[i] = part(text, found, 0)
	}
	return x.VM.NewArray(texts...)
}

func (x *regexps) replace(of *regexp, object *goja.Object, text goja.String, with goja.Value) goja.Value {
	call, calls := goja.AssertFunction(with)
	var template goja.String
	if !calls {
		template = x.string(with)
	}
	list := x.everything(of, object, text)
	if len(list) == 0 {
		return text
	}
	var out goja.StringBuilder
	from := 0
	for _, found := range list {
		out.WriteSubstring(text, from, int(found[0]))
		from = int(found[1])
		if !calls {
			x.fill(&out, of, text, found, template)
			continue
		}
		arguments := make([]goja.Value, 0, len(found)/2+3)
		for i := range len(found) / 2 {
			arguments = append(arguments, part(text, found, i))
		}
		arguments = append(arguments, x.VM.ToValue(found[0]), text)
		if len(of.Names()) > 0 {
			arguments = append(arguments, x.groups(of, text, found))
		}
		value, err := call(goja.Undefined(), arguments...)
		if err != nil {
			panic(err)
		}
		out.WriteString(x.string(value))
	}
	out.WriteSubstring(text, from, text.Length())
	return out.String()
}

// fill writes what is put in the place of a match: a text in which $1, $<name>, $& and their kin stand for parts of it.
func (x *regexps) fill(out *goja.StringBuilder, of *regexp, text goja.String, found []int32, template goja.String) {
	put := func(group int) {
		if found[2*group] >= 0 {
			out.WriteSubstring(text, int(found[2*group]), int(found[2*group+1]))
		}
	}
	length := template.Length()
	digit := func(at int) int {
		if at < length && template.CharAt(at) >= '0' && template.CharAt(at) <= '9' {
			return int(template.CharAt(at) - '0')
		}
		return -1
	}
	from := 0
	for at := 0; at+1 < length; at++ {
		if template.CharAt(at) != '$' {
			continue
		}
		took := 2
		var act func()
		switch c := template.CharAt(at + 1); {
		case c == '$':
			act = func() { out.WriteRune('$') }
		case c == '&':
			act = func() { put(0) }
		case c == '`':
			act = func() { out.WriteSubstring(text, 0, int(found[0])) }
		case c == '\'':
			act = func() { out.WriteSubstring(text, int(found[1]), text.Length()) }
		case digit(at+1) >= 0:
			number := digit(at + 1)
			if second := digit(at + 2); second >= 0 && number*10+second > 0 && number*10+second <= of.Groups() {
				number, took = number*10+second, 3
			}
			if number == 0 || number > of.Groups() {
				continue
			}
			act = func() { put(number) }
		case c == '<' && len(of.Names()) > 0:
			end := at + 2
			for end < length && template.CharAt(end) != '>' {
				end++
			}
			if end == length {
				continue
			}
			name := template.Substring(at+2, end).String()
			took = end + 1 - at
			act = func() {
				for _, one := range of.Names() {
					if one.Name == name {
						put(one.Group)
					}
				}
			}
		default:
			continue
		}
		out.WriteSubstring(template, from, at)
		act()
		from = at + took
		at = from - 1
	}
	out.WriteSubstring(template, from, length)
}

// split is that of the standard without its splitter, of whom nobody but a class of the script's own is told.
func (x *regexps) split(of *regexp, _ *goja.Object, text goja.String, bound goja.Value) goja.Value {
	limit := uint32(math.MaxUint32)
	if !goja.IsUndefined(bound) {
		limit = uint32(bound.ToNumber().ToInteger()) //nolint:gosec // as the standard has it
	}
	list := []any{}
	length := text.Length()
	if limit == 0 {
		return x.VM.NewArray()
	}
	if length == 0 {
		if x.search(of, text, 0, true) == nil {
			list = append(list, text)
		}
		return x.VM.NewArray(list...)
	}
	from := 0
	for at := 0; at < length; {
		found := x.search(of, text, at, false)
		if found == nil || int(found[0]) >= length {
			break
		}
		if end := int(found[1]); end != from {
			list = append(list, text.Substring(from, int(found[0])))
			from = end
			for i := 1; i < len(found)/2 && uint32(len(list)) < limit; i++ { //nolint:gosec // no list is as long
				list = append(list, part(text, found, i))
			}
			if uint32(len(list)) >= limit { //nolint:gosec // no list is as long
				return x.VM.NewArray(list[:limit]...)
			}
			at = from
			continue
		}
		at = x.after(of, text, int(found[0]))
	}
	return x.VM.NewArray(append(list, text.Substring(from, length))...)
}
