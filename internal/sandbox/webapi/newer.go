package webapi

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Methods that newer editions of the language have on its classes, and that models write.
var _, _, _, _ = newer("Set", true, "sets", "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"),
	newer("String", true, "texts", "isWellFormed", "toWellFormed"),
	newer("Promise", false, "promises", "withResolvers", "try"),
	newer("Array", false, "arrays", "fromAsync")

// newer adds methods of newer.js to a class, or to its prototype, for scripts that name them.
func newer(class string, prototype bool, part string, methods ...string) struct{} { //nolint:unparam // as declare
	for _, method := range methods {
		named := lazyregexp.New(`\.` + method + `\b`)
		engine.PolyfillIf(func(code string) bool { return strings.Contains(code, "."+method) && named.MatchString(code) }, func(r *engine.Run) {
			made := r.Prelude(prelude, "newer.js", nil).Get(part).(*goja.Object).Get(method).(*goja.Object)
			on := r.Original.Get(class).ToObject(r.VM)
			if prototype {
				on = prototypeOf(r, class)
			}
			engine.Define(on, method, made, engine.Hidden)
		})
	}
	return struct{}{}
}

// iteratorMethods are those of ES2025 that all iterators have. They are written in newer.js, which is read at the first call.
var iteratorMethods = []string{"map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"}

var (
	iteratorMade = lazyregexp.New(`\.(values|entries|keys)\(\)|\bmatchAll\b|\bIterator\b|Symbol\.iterator|\*\s*[\w$\[(]`)
	iteratorUsed = lazyregexp.New(`\.(` + strings.Join(iteratorMethods, "|") + `)\(`)
)

var _ = engine.PolyfillIf(func(code string) bool { return iteratorUsed.MatchString(code) && iteratorMade.MatchString(code) }, func(r *engine.Run) {
	on := iteratorPrototype(r)
	for _, name := range iteratorMethods {
		takes := 1
		if name == "toArray" {
			takes = 0
		}
		engine.Define(on, name, r.FunctionOf(name, takes, func(call goja.FunctionCall) goja.Value {
			this, is := call.This.(*goja.Object)
			if !is {
				panic(r.VM.NewTypeError("Iterator.prototype.%s called on non-object", name))
			}
			return r.CalledOn(this, iterators(r).Get(name), call.Arguments...)
		}), engine.Hidden)
	}
})

var _ = engine.Declare(engine.Builtin{
	Names: []string{"Iterator"},
	Use:   "Iterator",
	Doc:   "Iterator.from(value), and of all iterators, as of a generator or values(), map, filter, take, drop, flatMap, reduce, toArray, forEach, some, every and find, as in Node 22.",
	Types: "// It is declared with the language (lib esnext).",
	Make: func(r *engine.Run, name string) goja.Value {
		made := r.VM.ToValue(func(goja.ConstructorCall) *goja.Object { return nil }).ToObject(r.VM)
		engine.Define(made, "name", r.VM.ToValue(name), engine.Hidden)
		if err := made.Set("prototype", iteratorPrototype(r)); err != nil {
			panic(err)
		}
		engine.Define(made, "from", iterators(r).Get("from").(*goja.Object), engine.Hidden)
		return made
	},
})

func iterators(r *engine.Run) *goja.Object {
	made, _ := r.Prelude(prelude, "newer.js", nil).Get("iterators").(*goja.Object)
	return made
}

// iteratorPrototype is what all iterators have.
func iteratorPrototype(r *engine.Run) *goja.Object {
	list := r.VM.NewArray()
	iterator, _ := r.CalledOn(list, list.GetSymbol(goja.SymIterator)).(*goja.Object)
	return iterator.Prototype().Prototype()
}
