package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// Library is a module that scripts import by name, kintsugi:<name>. It is a part of this program: there are no
// packages at run time. Its results depend on its arguments alone, and a run that uses no library makes none.
//
// A new one is one file of package library, with a [DeclareLibrary]. Those whose code is an npm package are made by
// `make libraries` from a lock file, and named by it. A name stands for one edition: what a library gives for
// the same arguments does not change under it, so that a recorded version keeps running as it was recorded
// (docs/decisions/sandbox.md#0048).
type Library struct {
	Name     string   // of kintsugi:<name>
	Packages []string // of npm whose code it is, or whose place it takes: scripts may import it by these, too
	Exports  []string // what it has, sorted
	Default  string   // of these, what `import name from` gives; all of it if empty
	Doc      string   // for who writes scripts
	Types    string   // what stands in its declare module
	Origin   string   // whose code it is, and on what terms; empty for our own
	// Calls are the names in it that make calls of the host, or through which such are reached: whoever reads a
	// script takes them for what they do. A test holds it to what it does.
	Calls map[string]Reach

	// Make is called when a script first uses something of it.
	Make func(r *Run) *goja.Object

	ofPackages bool // it is a module of the script's own packages, and nothing of the above
}

// Reach is what something in a library does that a script calls by its name.
type Reach struct {
	Tool  string // of the host that it calls, secret for a secret; empty if it only holds, or gives, what calls some
	Own   bool   // its arguments are not the tool's
	Hands bool   // it hands such things to the functions that it is given
	Gives bool   // it gives such things, besides what it calls
	Asks  string // how its arguments say what request it makes, where they are not the tool's; see the constants of internal/script
}

// Prefix is what stands before the name of a library where it is imported.
const Prefix = "kintsugi:"

var libraries = map[string]*Library{}

// DeclareLibrary makes a library known to scripts, the reference and the declarations of types.
func DeclareLibrary(l Library) struct{} {
	slices.Sort(l.Exports)
	for _, name := range l.Names() {
		libraries[name] = &l
	}
	return struct{}{}
}

// Libraries are all, by name.
func Libraries() []Library {
	var all []Library
	for name, l := range libraries {
		if name == Prefix+l.Name {
			all = append(all, *l)
		}
	}
	slices.SortFunc(all, func(a, b Library) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Names are all by which scripts may import it.
func (l Library) Names() []string { return append([]string{Prefix + l.Name}, l.Packages...) }

// Use is how a script imports it.
func (l Library) Use() string {
	names := l.Exports
	if len(names) > 6 {
		names = []string{cmp.Or(l.Default, names[0])}
	}
	return "import { " + strings.Join(names, ", ") + " } from '" + Prefix + l.Name + "'"
}

// imported is a name that a script takes from a library.
type imported struct {
	library *Library
	name    string // default, * for all, or one of its exports
}

// value is what the name stands for; the library is made now if it was not.
func (r *Run) imported(one imported) goja.Value {
	if one.library.ofPackages {
		return r.packageValue(one.library.Name, one.name)
	}
	module := r.library(one.library)
	switch {
	case one.name == "default" && one.library.Default != "":
		return module.Get(one.library.Default)
	case one.name == "default", one.name == "*":
		return module
	}
	return module.Get(one.name)
}

// LibraryNamed is one of our own.
func (r *Run) LibraryNamed(name string) *goja.Object { return r.library(libraries[Prefix+name]) }

func (r *Run) library(l *Library) *goja.Object {
	r.Alive()
	if made := r.libraries[l.Name]; made != nil {
		return made
	}
	made := l.Make(r)
	if made.Get("default") == nil { // await import(name) and import * as name have it
		value := goja.Value(made)
		if l.Default != "" {
			value = made.Get(l.Default)
		}
		Define(made, "default", value, Hidden)
	}
	if r.libraries == nil {
		r.libraries = map[string]*goja.Object{}
	}
	r.libraries[l.Name] = made
	return made
}
