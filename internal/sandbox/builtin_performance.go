package sandbox

import "github.com/dop251/goja"

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
