package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"WeakRef"},
	Use:   "WeakRef",
	Doc:   "Holds its object to the end of the run, so that deref() always gives it.",
	Types: "// It is declared with the language (lib es2023).",
	Make: func(r *engine.Run, name string) goja.Value {
		made := r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
			held, is := call.Argument(0).(*goja.Object)
			if !is {
				panic(r.VM.NewTypeError("WeakRef: target must be an object"))
			}
			engine.Define(call.This, "deref", r.Function("deref", func(goja.FunctionCall) goja.Value { return held }), engine.Hidden)
			return nil
		}).ToObject(r.VM)
		engine.Define(made, "name", r.VM.ToValue(name), engine.Hidden)
		return made
	},
})

var _ = engine.Declare(engine.Builtin{
	Names: []string{"FinalizationRegistry"},
	Use:   "FinalizationRegistry",
	Doc:   "Calls nobody back: nothing that a run has made is collected before its end.",
	Types: "// It is declared with the language (lib es2023).",
	Make: func(r *engine.Run, name string) goja.Value {
		made := r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
			if _, callable := goja.AssertFunction(call.Argument(0)); !callable {
				panic(r.VM.NewTypeError("FinalizationRegistry: cleanup must be callable"))
			}
			for method, gives := range map[string]goja.Value{"register": goja.Undefined(), "unregister": r.VM.ToValue(false)} {
				engine.Define(call.This, method, r.Function(method, func(goja.FunctionCall) goja.Value { return gives }), engine.Hidden)
			}
			return nil
		}).ToObject(r.VM)
		engine.Define(made, "name", r.VM.ToValue(name), engine.Hidden)
		return made
	},
})
