package engine

import (
	"slices"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// BlockingCalls are the tools as functions that give the answer itself and no promise, for scripts that come from
// where calls are waited for. A call is made before its function returns anyhow.
func (r *Run) BlockingCalls() *goja.Object {
	tools := r.VM.NewObject()
	add := func(binding *sandbox.Binding) {
		Define(tools, binding.Name, r.Function(binding.Name, func(call goja.FunctionCall) goja.Value {
			r.Alive()
			return r.wait(binding, r.Arguments(call.Arguments))
		}), Visible)
	}
	for _, binding := range r.Bindings.Plain {
		add(binding)
	}
	for _, list := range r.Bindings.Spaces {
		for _, binding := range list {
			add(binding)
		}
	}
	return tools
}

// wait makes a call, and throws what its promise was rejected with.
func (r *Run) wait(binding *sandbox.Binding, args []byte) goja.Value {
	before := r.waits
	r.waits = true
	defer func() { r.waits = before }()
	made := r.Call(binding, args)
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
