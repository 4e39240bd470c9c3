package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// Packages of npm that a script takes are a text that is kept by its digest ([packages.Text]). It is compiled once in a process, and
// runs in the script's world when the script first takes something of it: it reaches what the script reaches. Nothing of it has a
// place in the script, so that no frame of it is in a stack trace.

// compiledPackages are texts as they run.
type compiledPackages struct {
	modules   map[string]map[string]string
	program   *goja.Program
	polyfills []polyfill
}

// packagesCompiled are those that were used last, by digest.
var packagesCompiled = lru.New[string, *compiledPackages](8)

// ofPackages is what a run has of its packages.
type ofPackages struct {
	compiled *compiledPackages
	module   *goja.Object
	begins   bool // their text runs for the first time, and finds none of them by the script's names
}

// locked is a module of the script's packages, as a library. Node's own names mean Node's modules, as in Node.
func (s *script) locked(module string) *Library {
	if s.lock.Module(module) == nil || strings.HasPrefix(module, Prefix) || strings.HasPrefix(module, "node:") {
		return nil
	}
	if library := libraries[module]; library != nil && strings.HasPrefix(library.Name, "node/") {
		return nil
	}
	return &Library{Name: module, ofPackages: true}
}

// module is what a script imports by a name. The error says what there is in its place.
func (s *script) module(name string) (*Library, error) {
	if library := s.locked(name); library != nil {
		return library, nil
	}
	return findLibrary(name)
}

// packageValue is a name that the script takes of a package: default, * for all, or one of its exports; empty for what require
// gives.
func (r *Run) packageValue(module, name string) goja.Value {
	r.Alive()
	of := State[ofPackages](r)
	if of.module == nil {
		r.beginPackages(of)
	}
	names := of.compiled.modules[module]
	key, is := names[name]
	switch {
	case is:
	case name == "*" && names[""] != "", name == "" && names["*"] != "":
		name = map[string]string{"*": "", "": "*"}[name]
		key = names[name]
	default:
		panic(r.VM.NewTypeError("%s of %s is not among what the script took of it when it was saved: save it again from its folder", Cut(name, 60), Cut(module, 60)))
	}
	exports, _ := of.module.Get("exports").(*goja.Object)
	value := exports.Get(key)
	if value == nil {
		return goja.Undefined()
	}
	if name != "" {
		return value
	}
	require, _ := goja.AssertFunction(value)
	value, err := require(goja.Undefined())
	if err != nil {
		panic(err)
	}
	return value
}

// beginPackages runs the text of the packages.
func (r *Run) beginPackages(of *ofPackages) {
	compiled, err := compilePackages(r.script.lock.Digest)
	if err != nil {
		r.Fail(&scriptError{sandbox.Error{Class: sandbox.ClassInternal, Name: "InternalError", Message: err.Error()}})
	}
	for _, one := range compiled.polyfills {
		if !slices.ContainsFunc(r.polyfilled, func(done polyfill) bool { return done.number == one.number }) {
			r.polyfilled = append(r.polyfilled, one)
			one.make(r)
		}
	}
	made, err := r.VM.RunProgram(compiled.program)
	if err != nil {
		panic(err)
	}
	function, _ := goja.AssertFunction(made)
	module, exports := r.VM.NewObject(), r.VM.NewObject()
	Define(module, "exports", exports, Visible)
	require := r.Function("require", func(call goja.FunctionCall) goja.Value { return r.required(call.Argument(0).String()) })
	of.begins = true
	defer func() { of.begins = false }()
	if _, err := function(exports, require, module, exports, r.packageFunction()); err != nil {
		panic(err)
	}
	of.compiled, of.module = compiled, module
}

// required is a module of Node's, as packages require it.
func (r *Run) required(name string) goja.Value {
	r.Alive()
	library := libraries[name]
	if library == nil || !strings.HasPrefix(library.Name, "node/") {
		return r.VM.NewDynamicObject(&absent{r, strings.TrimPrefix(name, "node:")})
	}
	return r.imported(imported{library, "*"})
}

// absent stands for a module of Node's that is not here. Packages require some that they seldom use.
type absent struct {
	r    *Run
	name string
}

// Get implements goja.DynamicObject.
func (a *absent) Get(key string) goja.Value {
	switch key {
	case "__esModule", "default", "then", "toJSON", "constructor":
		return nil
	}
	panic(a.r.VM.NewTypeError("%s of Node's module %s, which a package uses, is not here", Cut(key, 60), Cut(a.name, 60)))
}

// Has implements goja.DynamicObject.
func (a *absent) Has(string) bool { return false }

// Set implements goja.DynamicObject.
func (a *absent) Set(string, goja.Value) bool { return false }

// Delete implements goja.DynamicObject.
func (a *absent) Delete(string) bool { return false }

// Keys implements goja.DynamicObject.
func (a *absent) Keys() []string { return nil }

// compilePackages compiles a text, with what is set right in scripts, too. It has none of the bounds of a script: only workers do it.
func compilePackages(digest string) (made *compiledPackages, err error) {
	if known, is := packagesCompiled.Get(digest); is {
		return known, nil
	}
	kept := packages.Known(digest)
	if kept == "" {
		return nil, fmt.Errorf("the text of this script's packages (sha256 %s) is not at hand", Cut(digest, 12))
	}
	text, err := packages.Decode(kept)
	if err != nil {
		return nil, err
	}
	defer gaveUp(&err)
	code := "(function (require, module, exports, Function) {" + text.Code + "\n})"
	tree, err := parseNamed("packages.js", code)
	if err != nil {
		return nil, fmt.Errorf("the engine cannot read the packages: %w", err)
	}
	fixSyntax(code, tree)
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return nil, fmt.Errorf("the engine cannot compile the packages: %w", err)
	}
	made = &compiledPackages{text.Modules, program, polyfillsFor(code)}
	packagesCompiled.Put(digest, made)
	return made, nil
}

// packageFunction is what packages find as Function, which scripts do not: the class of all functions. Function('return this')() is
// globalThis, as libraries ask for it; no other text becomes code.
func (r *Run) packageFunction() goja.Value {
	const name = "Function"
	made := r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
		r.Alive()
		text := ""
		if last := len(call.Arguments); last > 0 {
			text = call.Arguments[last-1].String()
		}
		if strings.Trim(text, "; \n\t") != "return this" {
			panic(r.VM.NewTypeError("no code is made of text here, which a package asks for: it cannot be used so"))
		}
		return r.Function("anonymous", func(goja.FunctionCall) goja.Value { return r.global })
	}).ToObject(r.VM)
	Define(made, "name", r.VM.ToValue(name), Hidden)
	plain, err := r.VM.RunProgram(plainFunction())
	if err != nil {
		panic(err)
	}
	if err := made.DefineDataProperty("prototype", plain.ToObject(r.VM).Prototype(), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	return made
}
