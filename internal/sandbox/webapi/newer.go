package webapi

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Methods that newer editions of the language have on its classes, and that models write.
var _, _, _, _ = newer("Set", true, "sets", "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"),
	newer("String", true, "texts", "isWellFormed", "toWellFormed"),
	newer("Promise", false, "promises", "withResolvers", "try"),
	newer("Array", false, "arrays", "fromAsync")

// newer adds methods of newer.js to a class, or to its prototype, for scripts that name them.
func newer(class string, prototype bool, part string, methods ...string) struct{} { //nolint:unparam // as declare
	for _, method := range methods {
		named := lazyregexp.New(`\.` + method + `\b`)
		engine.PolyfillIf(func(code string) bool { return strings.Contains(code, "."+method) && named.MatchString(code) }, func(r *engine.Run) {
			made := r.Prelude(prelude, "newer.js", nil).Get(part).(*goja.Object).Get(method).(*goja.Object)
			on := r.Original.Get(class).ToObject(r.VM)
			if prototype {
				on = prototypeOf(r, class)
			}
			engine.Define(on, method, made, engine.Hidden)
		})
	}
	return struct{}{}
}
