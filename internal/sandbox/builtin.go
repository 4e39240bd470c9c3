package sandbox

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// Builtin is something that scripts have beside ECMAScript and the calls of the host: it changes
// nothing outside, and is the same in each execution of a run.
//
// A new one is one file, builtin_<name>.go, with a [declare] and, if it is simplest to say in
// JavaScript, a file of prelude/; nothing else knows its name. What needs the run's clock, log or
// calls is a method of *run and begins with r.alive(). What is on the prototype of a standard
// class (Object.groupBy, Date.prototype.toLocaleString) is an [amendment].
type Builtin struct {
	Names []string // the globals that it makes; none if it only tells more of another one
	Use   string   // as a script writes it: localTime(date?, zone?)
	Doc   string   // what it gives, for who writes scripts: a person or a model
	Types string   // its declarations in TypeScript, for kintsugi.d.ts

	// make is called when a script first uses one of the names: what is not used costs nothing.
	make func(r *run, name string) goja.Value
}

var (
	declaredBuiltins []Builtin
	builtinByName    = map[string]Builtin{}
)

// declare makes something known to scripts, the reference, the declarations of types and the check of names.
func declare(b Builtin) struct{} { //nolint:unparam // a variable of the package takes it, so that each file declares its own
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
type amendment struct {
	needs func(code string) bool
	make  func(r *run) // finds the standard classes in r.original
}

var amendments []amendment

// amend declares an amendment for scripts that have a word.
func amend(word string, with func(r *run)) struct{} { //nolint:unparam // as declare
	return amendIf(func(code string) bool { return strings.Contains(code, word) }, with)
}

// amendIf declares an amendment for scripts that may need it by more than a word.
func amendIf(needs func(code string) bool, with func(r *run)) struct{} {
	amendments = append(amendments, amendment{needs, with})
	return struct{}{}
}

// amendmentsFor are those that a script needs.
func amendmentsFor(code string) []amendment {
	var needed []amendment
	for _, one := range amendments {
		if one.needs(code) {
			needed = append(needed, one)
		}
	}
	return needed
}

// builtin makes what the engine does not have; nil if there is no such thing.
func (r *run) builtin(name string) goja.Value {
	if found, ok := builtinByName[name]; ok {
		return found.make(r, name)
	}
	if binding := r.bindings.plain[name]; binding != nil {
		return r.tool(binding)
	}
	methods := r.bindings.spaces[name]
	if methods == nil {
		return nil
	}
	members := make([]string, len(methods))
	for i, binding := range methods {
		members[i] = strings.TrimPrefix(binding.Name, name+".")
	}
	return r.namespace(name, members, func(i int) *goja.Object { return r.tool(methods[i]) })
}
