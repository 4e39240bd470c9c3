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
