package webapi

import (
	"slices"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"AbortController", "AbortSignal"},
	Use:   "AbortController, AbortSignal",
	Doc:   "As in browsers, for fetch, on the script's clock. What was aborted throws a NetworkError whose name is AbortError or TimeoutError; the request is not cut, and the run ends when it is over.",
	Types: `declare class AbortSignal {
  static timeout(ms: number): AbortSignal;
  static abort(reason?: unknown): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean; readonly reason: unknown;
  onabort: ((event: { type: 'abort'; target: AbortSignal }) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown): void;
}
declare class AbortController { readonly signal: AbortSignal; abort(reason?: unknown): void }`,
	Make: func(r *engine.Run, name string) goja.Value { return r.Constructor(name) },
})

// abortSignal is what Go knows of an AbortSignal.
type abortSignal struct {
	object    *goja.Object
	aborted   bool
	reason    goja.Value
	listeners []listener
	handler   goja.Value // onabort; nil if there is none
	handled   bool       // it has its place among the listeners
}

// listener is what hears of an abort: a value of the script, or Go.
type listener struct {
	value goja.Value
	hear  func()
}

func newSignal(r *engine.Run) *abortSignal {
	it := &abortSignal{reason: goja.Undefined()}
	it.object = r.Instantiate("AbortSignal", it)
	return it
}

// abort aborts what waits for a signal. An undefined reason is the usual one.
func abort(r *engine.Run, it *abortSignal, reason goja.Value) {
	if it.aborted {
		return
	}
	if it.aborted = true; goja.IsUndefined(reason) {
		reason = abortError(r, sandbox.Error{Name: "AbortError", Message: "This operation was aborted"})
	}
	it.reason = reason
	listeners := it.listeners
	if it.listeners = nil; len(listeners) == 0 {
		return
	}
	event := r.VM.NewObject()
	engine.Define(event, "type", r.VM.ToValue("abort"), engine.Visible)
	engine.Define(event, "target", it.object, engine.Visible)
	engine.Define(event, "currentTarget", it.object, engine.Visible)
	for _, one := range listeners {
		if one.hear != nil {
			one.hear()
			continue
		}
		this, f := it.object, one.value
		if _, ok := goja.AssertFunction(f); !ok {
			this = f.ToObject(r.VM)
			f = this.Get("handleEvent")
		}
		r.CalledOn(this, f, event)
	}
}

// abortError is the reason of an abort: a trouble that may pass, for mostly it is a time-out.
func abortError(r *engine.Run, failure sandbox.Error) goja.Value {
	failure.Class, failure.Tool = sandbox.ClassNetwork, Fetch
	return r.ErrorInAdvance(failure) // nothing has failed yet
}

// listen adds a listener to a signal that may still be aborted.
func (it *abortSignal) listen(one listener) {
	if !it.aborted {
		it.listeners = append(it.listeners, one)
	}
}

func (it *abortSignal) listens(value goja.Value) func(listener) bool {
	return func(one listener) bool { return one.value != nil && one.value.SameAs(value) }
}

var _ = engine.DeclareClass(&engine.Class{
	Name: "AbortController",
	Construct: func(r *engine.Run, _ []goja.Value) any {
		return &abortController{newSignal(r)}
	},
	Members: []engine.Member{
		engine.Getter("signal", func(_ *engine.Run, it *abortController) goja.Value { return it.signal.object }),
		engine.Method("abort", 0, func(r *engine.Run, it *abortController, args []goja.Value) goja.Value {
			abort(r, it.signal, argument(args, 0))
			return goja.Undefined()
		}),
		engine.Tagged("AbortController"),
	},
})

type abortController struct{ signal *abortSignal }

var _ = engine.DeclareClass(&engine.Class{
	Name: "AbortSignal",
	Statics: []engine.Member{
		{Name: "abort", Call: func(r *engine.Run, _ goja.Value, args []goja.Value) goja.Value {
			it := newSignal(r)
			abort(r, it, argument(args, 0))
			return it.object
		}},
		{Name: "timeout", Takes: 1, Call: func(r *engine.Run, _ goja.Value, args []goja.Value) goja.Value {
			it := newSignal(r)
			r.StartTimer(func(goja.Value, ...goja.Value) (goja.Value, error) {
				abort(r, it, abortError(r, sandbox.Error{Name: "TimeoutError", Code: "timeout", Message: "The operation was aborted due to timeout"}))
				return goja.Undefined(), nil
			}, argument(args, 0).ToNumber()).Unref()
			return it.object
		}},
		{Name: "any", Takes: 1, Call: func(r *engine.Run, _ goja.Value, args []goja.Value) goja.Value {
			it := newSignal(r)
			r.VM.ForOf(argument(args, 0), func(value goja.Value) bool {
				signal := engine.InstanceOf[abortSignal](r, value)
				if signal.aborted {
					abort(r, it, signal.reason)
				}
				signal.listen(listener{hear: func() { abort(r, it, signal.reason) }})
				return !it.aborted
			})
			return it.object
		}},
	},
	Members: []engine.Member{
		{Name: "onabort", Get: func(r *engine.Run, this goja.Value, _ []goja.Value) goja.Value {
			if it := engine.InstanceOf[abortSignal](r, this); it.handler != nil {
				return it.handler
			}
			return goja.Null()
		}, Set: func(r *engine.Run, this goja.Value, args []goja.Value) goja.Value {
			it := engine.InstanceOf[abortSignal](r, this)
			it.handler = nil
			if _, ok := goja.AssertFunction(argument(args, 0)); ok {
				it.handler = args[0]
			}
			if it.handler != nil && !it.handled { // it is called where it was first set
				it.handled = true
				it.listen(listener{value: r.Function("", func(call goja.FunctionCall) goja.Value {
					if it.handler != nil {
						r.CalledOn(call.This, it.handler, call.Arguments...)
					}
					return goja.Undefined()
				})})
			}
			return goja.Undefined()
		}},
		engine.Getter("aborted", func(r *engine.Run, it *abortSignal) goja.Value { return r.VM.ToValue(it.aborted) }),
		engine.Getter("reason", func(_ *engine.Run, it *abortSignal) goja.Value { return it.reason }),
		engine.Method("throwIfAborted", 0, func(_ *engine.Run, it *abortSignal, _ []goja.Value) goja.Value {
			if it.aborted {
				panic(it.reason)
			}
			return goja.Undefined()
		}),
		engine.Method("addEventListener", 2, func(_ *engine.Run, it *abortSignal, args []goja.Value) goja.Value {
			if value := argument(args, 1); argument(args, 0).String() == "abort" && !slices.ContainsFunc(it.listeners, it.listens(value)) {
				it.listen(listener{value: value})
			}
			return goja.Undefined()
		}),
		engine.Method("removeEventListener", 2, func(_ *engine.Run, it *abortSignal, args []goja.Value) goja.Value {
			if argument(args, 0).String() == "abort" {
				it.listeners = slices.DeleteFunc(slices.Clone(it.listeners), it.listens(argument(args, 1)))
			}
			return goja.Undefined()
		}),
		engine.Tagged("AbortSignal"),
	},
})
