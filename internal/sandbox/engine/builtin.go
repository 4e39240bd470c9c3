package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// Builtin is something that scripts have beside ECMAScript and the calls of the host: it changes
// nothing outside, and is the same in each execution of a run.
//
// A new one is one file of package webapi with a [Declare] and, if it is simplest to say in JavaScript, a file of its
// prelude; nothing else knows its name. A function that needs the run's clock, log or calls begins with r.Alive(). A method
// on a standard class (Object.groupBy, Date.prototype.toLocaleString) is a [Polyfill].
type Builtin struct {
	Names []string // the globals that it makes; none if it only tells more of another one
	Use   string   // as a script writes it: localTime(date?, zone?)
	Doc   string   // what it gives, for who writes scripts: a person or a model
	Types string   // its declarations in TypeScript, for kintsugi.d.ts

	// Make is called when a script first uses one of the names: what is not used costs nothing.
	Make func(r *Run, name string) goja.Value
}

var (
	declaredBuiltins []Builtin
	builtinByName    = map[string]Builtin{}
)

// Declare makes something known to scripts, the reference, the declarations of types and the check of names.
func Declare(b Builtin) struct{} { //nolint:unparam // a variable of the package takes it, so that each file declares its own
	declaredBuiltins = append(declaredBuiltins, b)
	for _, name := range b.Names {
		builtinByName[name] = b
	}
	return struct{}{}
}

// Builtins are all that scripts may name, by what they write.
func Builtins() []Builtin {
	all := slices.DeleteFunc(slices.Clone(declaredBuiltins), func(b Builtin) bool { return b.Use == "" })
	return slices.SortedFunc(slices.Values(all), func(a, b Builtin) int { return cmp.Compare(a.Use, b.Use) })
}

// IsGlobal says that a script finds something under a name, without the calls of the host.
func IsGlobal(name string) bool {
	_, builtin := builtinByName[name]
	return builtin || ecmascript[name] || name == "globalThis" || slices.ContainsFunc(constants, func(c constant) bool { return c.name == name })
}

// Globals are these names, sorted, for whoever looks for what was meant.
func Globals() []string {
	names := []string{"globalThis"}
	for name := range ecmascript {
		names = append(names, name)
	}
	for _, c := range constants {
		names = append(names, c.name)
	}
	for _, b := range Builtins() {
		names = append(names, b.Names...)
	}
	slices.Sort(names)
	return names
}

// An amendment sets right what the engine has and does otherwise than the standard, or adds what it
// lacks on a standard class (Object.groupBy, Number.prototype.toLocaleString): a literal reaches those
// without naming a global. So it is made before a script that has the word anywhere in its text.
type polyfill struct {
	needs  func(code string) bool
	make   func(r *Run) // finds the standard classes in r.original
	number int
}

var polyfills []polyfill

// Polyfill declares an amendment for scripts that have a word.
func Polyfill(word string, with func(r *Run)) struct{} { //nolint:unparam // as declare
	return PolyfillIf(func(code string) bool { return strings.Contains(code, word) }, with)
}

// PolyfillIf declares an amendment for scripts that may need it by more than a word.
func PolyfillIf(needs func(code string) bool, with func(r *Run)) struct{} {
	polyfills = append(polyfills, polyfill{needs, with, len(polyfills)})
	return struct{}{}
}

// polyfillsFor are those that a script needs.
func polyfillsFor(code string) []polyfill {
	var needed []polyfill
	for _, one := range polyfills {
		if one.needs(code) {
			needed = append(needed, one)
		}
	}
	return needed
}

// Builtin makes what the engine does not have; nil if there is no such thing.
func (r *Run) Builtin(name string) goja.Value {
	if found, ok := builtinByName[name]; ok {
		return found.Make(r, name)
	}
	if binding := r.Bindings.Plain[name]; binding != nil {
		return r.tool(binding)
	}
	methods := r.Bindings.Spaces[name]
	if methods == nil {
		return nil
	}
	members := make([]string, len(methods))
	for i, binding := range methods {
		members[i] = strings.TrimPrefix(binding.Name, name+".")
	}
	return r.Namespace(name, members, func(i int) *goja.Object { return r.tool(methods[i]) })
}
