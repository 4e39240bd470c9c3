package sandbox

import (
	"slices"

	"github.com/dop251/goja"
)

var _ = declare(Builtin{
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
	make: func(r *run, name string) goja.Value { return r.constructor(name) },
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

func (r *run) newSignal() *abortSignal {
	it := &abortSignal{reason: goja.Undefined()}
	it.object = r.instantiate("AbortSignal", it)
	return it
}

// abort aborts what waits for a signal. An undefined reason is the usual one.
func (r *run) abort(it *abortSignal, reason goja.Value) {
	if it.aborted {
		return
	}
	if it.aborted = true; goja.IsUndefined(reason) {
		reason = r.abortError(Error{Name: "AbortError", Message: "This operation was aborted"})
	}
	it.reason = reason
	listeners := it.listeners
	if it.listeners = nil; len(listeners) == 0 {
		return
	}
	event := r.vm.NewObject()
	define(event, "type", r.vm.ToValue("abort"), visible)
	define(event, "target", it.object, visible)
	define(event, "currentTarget", it.object, visible)
	for _, one := range listeners {
		if one.hear != nil {
			one.hear()
			continue
		}
		this, f := it.object, one.value
		if _, ok := goja.AssertFunction(f); !ok {
			this = f.ToObject(r.vm)
			f = this.Get("handleEvent")
		}
		r.calledOn(this, f, event)
	}
}

// abortError is the reason of an abort: a trouble that may pass, for mostly it is a time-out.
func (r *run) abortError(failure Error) goja.Value {
	failure.Class, failure.Tool = ClassNetwork, Fetch
	return r.errorInAdvance(failure) // nothing has failed yet
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

var _ = declareClass(&class{
	name: "AbortController",
	construct: func(r *run, _ []goja.Value) any {
		return &abortController{r.newSignal()}
	},
	members: []member{
		getter("signal", func(_ *run, it *abortController) goja.Value { return it.signal.object }),
		method("abort", 0, func(r *run, it *abortController, args []goja.Value) goja.Value {
			r.abort(it.signal, argument(args, 0))
			return goja.Undefined()
		}),
		tagged("AbortController"),
	},
})

type abortController struct{ signal *abortSignal }

var _ = declareClass(&class{
	name: "AbortSignal",
	statics: []member{
		{name: "abort", call: func(r *run, _ goja.Value, args []goja.Value) goja.Value {
			it := r.newSignal()
			r.abort(it, argument(args, 0))
			return it.object
		}},
		{name: "timeout", takes: 1, call: func(r *run, _ goja.Value, args []goja.Value) goja.Value {
			it := r.newSignal()
			r.startTimer(func(goja.Value, ...goja.Value) (goja.Value, error) {
				r.abort(it, r.abortError(Error{Name: "TimeoutError", Code: "timeout", Message: "The operation was aborted due to timeout"}))
				return goja.Undefined(), nil
			}, argument(args, 0).ToNumber()).unref()
			return it.object
		}},
		{name: "any", takes: 1, call: func(r *run, _ goja.Value, args []goja.Value) goja.Value {
			it := r.newSignal()
			r.vm.ForOf(argument(args, 0), func(value goja.Value) bool {
				signal := instanceOf[abortSignal](r, value)
				if signal.aborted {
					r.abort(it, signal.reason)
				}
				signal.listen(listener{hear: func() { r.abort(it, signal.reason) }})
				return !it.aborted
			})
			return it.object
		}},
	},
	members: []member{
		{name: "onabort", get: func(r *run, this goja.Value, _ []goja.Value) goja.Value {
			if it := instanceOf[abortSignal](r, this); it.handler != nil {
				return it.handler
			}
			return goja.Null()
		}, set: func(r *run, this goja.Value, args []goja.Value) goja.Value {
			it := instanceOf[abortSignal](r, this)
			it.handler = nil
			if _, ok := goja.AssertFunction(argument(args, 0)); ok {
				it.handler = args[0]
			}
			if it.handler != nil && !it.handled { // it is called where it was first set
				it.handled = true
				it.listen(listener{value: r.function("", func(call goja.FunctionCall) goja.Value {
					if it.handler != nil {
						r.calledOn(call.This, it.handler, call.Arguments...)
					}
					return goja.Undefined()
				})})
			}
			return goja.Undefined()
		}},
		getter("aborted", func(r *run, it *abortSignal) goja.Value { return r.vm.ToValue(it.aborted) }),
		getter("reason", func(_ *run, it *abortSignal) goja.Value { return it.reason }),
		method("throwIfAborted", 0, func(_ *run, it *abortSignal, _ []goja.Value) goja.Value {
			if it.aborted {
				panic(it.reason)
			}
			return goja.Undefined()
		}),
		method("addEventListener", 2, func(_ *run, it *abortSignal, args []goja.Value) goja.Value {
			if value := argument(args, 1); argument(args, 0).String() == "abort" && !slices.ContainsFunc(it.listeners, it.listens(value)) {
				it.listen(listener{value: value})
			}
			return goja.Undefined()
		}),
		method("removeEventListener", 2, func(_ *run, it *abortSignal, args []goja.Value) goja.Value {
			if argument(args, 0).String() == "abort" {
				it.listeners = slices.DeleteFunc(slices.Clone(it.listeners), it.listens(argument(args, 1)))
			}
			return goja.Undefined()
		}),
		tagged("AbortSignal"),
	},
})
