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
