package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"performance"},
	Use:   "performance.now(), performance.timeOrigin",
	Doc:   "Milliseconds since the run began, on its clock: computing takes none of it.",
	Types: "declare const performance: { now(): number; readonly timeOrigin: number };",
	Make: func(r *engine.Run, _ string) goja.Value {
		made := r.VM.NewObject()
		engine.Define(made, "now", r.Function("now", func(goja.FunctionCall) goja.Value {
			return r.VM.ToValue(r.Now().Sub(r.Execution.Clock).Milliseconds())
		}), engine.Visible)
		engine.Define(made, "timeOrigin", r.VM.ToValue(r.Execution.Clock.UnixMilli()), engine.Visible)
		return made
	},
})
