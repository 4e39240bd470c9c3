package engine

import (
	"slices"

	"github.com/dop251/goja"
)

// ecmascript are the standard globals that scripts get. Left out are eval and Function
// (code that was never checked), everything on ArrayBuffer (goja's typed arrays use
// unsafe memory and had an out-of-bounds write; those there are, are our own), and goja's own GoError.
var ecmascript = SetOf(
	"Object", "Array", "String", "Number", "BigInt", "RegExp", "Date", "Boolean", "Proxy", "Reflect",
	"Error", "AggregateError", "TypeError", "ReferenceError", "SyntaxError", "RangeError", "EvalError", "URIError",
	"Math", "JSON", "Symbol", "WeakSet", "WeakMap", "Map", "Set", "Promise",
	"isNaN", "parseInt", "parseFloat", "isFinite",
	"decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape",
)

type constant struct {
	name  string
	value goja.Value
}

// constants are globals that no assignment changes.
var constants = []constant{{"undefined", goja.Undefined()}, {"NaN", goja.NaN()}, {"Infinity", goja.PositiveInf()}}

// makeGlobal replaces the global object by an empty one that finds what a script may use
// in its prototype. This makes all that is left out unreachable, and a global that a script does not use costs nothing.
func (r *Run) makeGlobal() error {
	vm := r.VM
	r.Original = vm.GlobalObject()
	if err := r.closeConstructors(); err != nil {
		return err
	}
	for _, one := range r.script.polyfills {
		one.make(r)
	}
	r.polyfilled = slices.Clip(r.script.polyfills)
	r.global = vm.NewObject()
	if err := r.global.SetPrototype(vm.NewDynamicObject((*globals)(r))); err != nil {
		return err
	}
	vm.SetGlobalObject(r.global)
	Define(r.global, "globalThis", r.global, Hidden)
	for _, c := range constants { // in order: scripts can see it
		if err := r.global.DefineDataProperty(c.name, c.value, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	return nil
}

var (
	plainFunction = mustCompile("function.js", "(() => {})")
	asyncFunction = mustCompile("async.js", "(async function () {})")
	generator     = mustCompile("generator.js", "(function* () {})")
)

// closeConstructors closes the roads from a function to the constructors that compile
// text: (() => {}).constructor('…') and its async and generator kin. Those two exist
// only in scripts that have such functions.
func (r *Run) closeConstructors() error {
	kinds := make([]*goja.Program, 0, 2)
	if r.script.async && !r.promiseFree {
		kinds = append(kinds, asyncFunction())
	}
	if r.script.yields {
		kinds = append(kinds, generator())
	}
	if len(kinds) == 0 {
		kinds = append(kinds, plainFunction())
	}
	for _, kind := range kinds {
		v, err := r.VM.RunProgram(kind)
		if err != nil {
			return err
		}
		// Up to Object.prototype, above which there is none.
		for prototype := v.ToObject(r.VM).Prototype(); prototype.Prototype() != nil; prototype = prototype.Prototype() {
			if err := closeConstructor(prototype); err != nil {
				return err
			}
		}
	}
	return nil
}

func closeConstructor(prototype *goja.Object) error {
	return prototype.DefineDataProperty("constructor", goja.Undefined(), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// globals is the prototype of the script's global object.
type globals Run

// Get implements goja.DynamicObject.
func (g *globals) Get(name string) goja.Value {
	r := (*Run)(g)
	var value goja.Value
	begins := r.script.lock != nil && State[ofPackages](r).begins
	if begins && name == "Function" { // as lodash has it
		return r.packageFunction()
	}
	if one, is := r.script.imports[name]; is && !(one.library.ofPackages && begins) {
		value = r.imported(one)
	} else if value = r.Standard(name); value == nil {
		return nil
	}
	if begins {
		return value // the script may have imported something else by this name
	}
	// From now on it is found without coming here.
	Define(r.global, name, value, Hidden)
	return value
}

// Standard is the global of a name as it is without imports, the same each time; nil if there is none. A library asks
// for it: a script may import that library under this very name.
func (r *Run) Standard(name string) goja.Value {
	if made := r.standards[name]; made != nil {
		return made
	}
	var value goja.Value
	if ecmascript[name] {
		if name == "Array" {
			r.WatchIsArray()
		}
		value = r.Original.Get(name)
	} else if value = r.Builtin(name); value == nil {
		return nil
	}
	if r.script.imports != nil { // only a library asks twice
		if r.standards == nil {
			r.standards = map[string]goja.Value{}
		}
		r.standards[name] = value
	}
	return value
}

// Has implements goja.DynamicObject.
func (g *globals) Has(name string) bool { return g.Get(name) != nil }

// Set implements goja.DynamicObject: nothing can be set.
func (g *globals) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject: nothing can be deleted.
func (g *globals) Delete(string) bool { return false }

// Keys implements goja.DynamicObject: built-ins are not enumerable.
func (g *globals) Keys() []string { return nil }

// Function makes a native function with a name that scripts may see.
func (r *Run) Function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	object := r.VM.ToValue(f).ToObject(r.VM)
	if err := object.DefineDataProperty("name", r.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return object
}

// FunctionOf makes one of the standard functions, which say how many arguments they take.
func (r *Run) FunctionOf(name string, takes int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	object := r.Function(name, f)
	if err := object.DefineDataProperty("length", r.VM.ToValue(takes), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return object
}
