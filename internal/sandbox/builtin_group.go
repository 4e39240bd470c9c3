package sandbox

import "github.com/dop251/goja"

// Object.groupBy and Map.groupBy are ES2024, and models write them.
var _ = amend("groupBy", func(r *run) {
	made := r.prelude(prelude, "group.js", nil)
	for class, method := range map[string]string{"Object": "groupObject", "Map": "groupMap"} {
		define(r.original.Get(class).ToObject(r.vm), "groupBy", made.Get(method).(*goja.Object), hidden)
	}
})
