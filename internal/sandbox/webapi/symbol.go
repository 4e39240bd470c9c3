package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// The engine has no async iteration, so for await and async generators are written otherwise when a
// script is compiled; what that is made of looks for this symbol.
var _ = engine.Polyfill("asyncIterator", func(r *engine.Run) {
	class := r.Original.Get("Symbol").ToObject(r.VM)
	if err := class.DefineDataProperty("asyncIterator", goja.NewSymbol("Symbol.asyncIterator"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
})
