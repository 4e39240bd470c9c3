package sandbox

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// What newer editions of the language have on its classes, and models write.
var _, _, _, _ = newer("Set", true, "sets", "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"),
	newer("String", true, "texts", "isWellFormed", "toWellFormed"),
	newer("Promise", false, "promises", "withResolvers", "try"),
	newer("Array", false, "arrays", "fromAsync")

// newer adds methods of newer.js to a class, or to its prototype, for scripts that name them.
func newer(class string, prototype bool, part string, methods ...string) struct{} { //nolint:unparam // as declare
	for _, method := range methods {
		named := lazyregexp.New(`\.` + method + `\b`)
		amendIf(func(code string) bool { return strings.Contains(code, "."+method) && named.MatchString(code) }, func(r *run) {
			made := r.prelude(prelude, "newer.js", nil).Get(part).(*goja.Object).Get(method).(*goja.Object)
			on := r.original.Get(class).ToObject(r.vm)
			if prototype {
				on = r.prototype(class)
			}
			define(on, method, made, hidden)
		})
	}
	return struct{}{}
}
