package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Object.groupBy and Map.groupBy are ES2024, and models write them.
var _ = engine.Polyfill("groupBy", func(r *engine.Run) {
	made := r.Prelude(prelude, "group.js", nil)
	for class, method := range map[string]string{"Object": "groupObject", "Map": "groupMap"} {
		engine.Define(r.Original.Get(class).ToObject(r.VM), "groupBy", made.Get(method).(*goja.Object), engine.Hidden)
	}
})
