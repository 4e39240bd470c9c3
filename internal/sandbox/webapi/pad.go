package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// maxText is the longest text in V8; the engine asks Go for as much as it is told to, which panics.
const maxText = 1<<29 - 24

var _ = engine.Polyfill("pad", func(r *engine.Run) {
	prototype := r.Original.Get("String").ToObject(r.VM).Get("prototype").ToObject(r.VM)
	for _, name := range []string{"padStart", "padEnd"} {
		pad, _ := goja.AssertFunction(prototype.Get(name))
		engine.Define(prototype, name, r.FunctionOf(name, 1, func(call goja.FunctionCall) goja.Value {
			length := call.Argument(0).ToNumber()
			if length.ToFloat() > maxText {
				panic(r.RangeError("Invalid string length"))
			}
			padded, err := pad(call.This, length, call.Argument(1))
			if err != nil {
				panic(err)
			}
			return padded
		}), engine.Hidden)
	}
})
