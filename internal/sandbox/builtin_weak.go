package sandbox

import "github.com/dop251/goja"

var _ = declare(Builtin{
	Names: []string{"WeakRef"},
	Use:   "WeakRef",
	Doc:   "Holds its object to the end of the run, so that deref() always gives it.",
	Types: "// It is declared with the language (lib es2023).",
	make: func(r *run, name string) goja.Value {
		made := r.vm.ToValue(func(call goja.ConstructorCall) *goja.Object {
			held, is := call.Argument(0).(*goja.Object)
			if !is {
				panic(r.vm.NewTypeError("WeakRef: target must be an object"))
			}
			define(call.This, "deref", r.function("deref", func(goja.FunctionCall) goja.Value { return held }), hidden)
			return nil
		}).ToObject(r.vm)
		define(made, "name", r.vm.ToValue(name), hidden)
		return made
	},
})

var _ = declare(Builtin{
	Names: []string{"performance"},
	Use:   "performance.now(), performance.timeOrigin",
	Doc:   "Milliseconds since the run began, on its clock: computing takes none of it.",
	Types: "declare const performance: { now(): number; readonly timeOrigin: number };",
	make: func(r *run, _ string) goja.Value {
		made := r.vm.NewObject()
		define(made, "now", r.function("now", func(goja.FunctionCall) goja.Value {
			return r.vm.ToValue(r.now().Sub(r.execution.Clock).Milliseconds())
		}), visible)
		define(made, "timeOrigin", r.vm.ToValue(r.execution.Clock.UnixMilli()), visible)
		return made
	},
})
