package sandbox

import "github.com/dop251/goja"

// maxText is the longest text in V8; the engine asks Go for as much as it is told to, which panics.
const maxText = 1<<29 - 24

var _ = amend("pad", func(r *run) {
	prototype := r.original.Get("String").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	for _, name := range []string{"padStart", "padEnd"} {
		pad, _ := goja.AssertFunction(prototype.Get(name))
		define(prototype, name, r.functionOf(name, 1, func(call goja.FunctionCall) goja.Value {
			length := call.Argument(0).ToNumber()
			if length.ToFloat() > maxText {
				panic(r.rangeError("Invalid string length"))
			}
			padded, err := pad(call.This, length, call.Argument(1))
			if err != nil {
				panic(err)
			}
			return padded
		}), hidden)
	}
})
