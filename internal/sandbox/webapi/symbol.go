package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// The engine has no async iteration, so for await and async generators are written otherwise when a
// script is compiled; what that is made of looks for this symbol.
var _ = engine.Polyfill("asyncIterator", AsyncIterator)

// AsyncIterator gives the script's Symbol that symbol. It is the one that those find who have none: what a library makes of async
// iterators is so to scripts that do not name it, too.
func AsyncIterator(r *engine.Run) {
	class := r.Original.Get("Symbol").ToObject(r.VM)
	if class.Get("asyncIterator") != nil {
		return
	}
	symbol := r.CalledOn(class, class.Get("for"), r.VM.ToValue("Symbol.asyncIterator"))
	if err := class.DefineDataProperty("asyncIterator", symbol, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}
