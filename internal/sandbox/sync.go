package sandbox

import (
	"slices"

	"github.com/dop251/goja"
)

// waiting are the tools as functions that give the answer itself and no promise, for scripts that come from
// where calls are waited for. A call is made before its function returns anyhow.
func (r *run) waiting() *goja.Object {
	tools := r.vm.NewObject()
	add := func(binding *Binding) {
		define(tools, binding.Name, r.function(binding.Name, func(call goja.FunctionCall) goja.Value {
			r.alive()
			return r.wait(binding, r.arguments(call.Arguments))
		}), visible)
	}
	for _, binding := range r.bindings.plain {
		add(binding)
	}
	for _, list := range r.bindings.spaces {
		for _, binding := range list {
			add(binding)
		}
	}
	return tools
}

// wait makes a call, and throws what its promise was rejected with.
func (r *run) wait(binding *Binding, args []byte) goja.Value {
	before := r.waits
	r.waits = true
	defer func() { r.waits = before }()
	made := r.call(binding, args)
	promise, ok := made.Export().(*goja.Promise)
	if !ok {
		return made
	}
	if promise.State() == goja.PromiseStateRejected {
		r.rejections = slices.DeleteFunc(r.rejections, func(p *goja.Promise) bool { return p == promise })
		panic(promise.Result())
	}
	return promise.Result()
}
