package webapi

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Some functions of the engine differ from the standard without a word. testdata/language/probe.js found it; what is left
// is listed in docs/scripts.md.

// wrap puts a function in the place of a method, and hands it that.
func wrap(r *engine.Run, object *goja.Object, name string, takes int, with func(native goja.Callable, call goja.FunctionCall) (goja.Value, error)) {
	native, _ := goja.AssertFunction(object.Get(name))
	engine.Define(object, name, r.FunctionOf(name, takes, func(call goja.FunctionCall) goja.Value {
		value, err := with(native, call)
		if err != nil {
			panic(err)
		}
		return value
	}), engine.Hidden)
}

func prototypeOf(r *engine.Run, class string) *goja.Object {
	return r.Original.Get(class).ToObject(r.VM).Get("prototype").ToObject(r.VM)
}

// JSON.stringify with an indent goes one step deeper for good after each empty array.
var _ = engine.Polyfill("stringify", func(r *engine.Run) {
	wrap(r, r.Original.Get("JSON").ToObject(r.VM), "stringify", 3, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		value, err := native(call.This, call.Argument(0), call.Argument(1))
		indent := indentOf(call.Argument(2))
		if err != nil || indent == "" || !goja.IsString(value) {
			return value, err
		}
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(value.String()), "", indent); err != nil {
			panic(err) // what the engine wrote is JSON
		}
		return r.VM.ToValue(text.String()), nil
	})
})

// indentOf is what the third argument of JSON.stringify asks for.
func indentOf(space goja.Value) string {
	const most = 10
	if object, ok := space.(*goja.Object); ok {
		switch object.ClassName() {
		case "Number":
			space = object.ToNumber()
		case "String":
			space = object.ToString()
		}
	}
	switch {
	case goja.IsNumber(space):
		return strings.Repeat(" ", int(min(max(space.ToInteger(), 0), most)))
	case goja.IsString(space):
		letters := []rune(space.String())
		return string(letters[:min(len(letters), most)])
	}
	return ""
}

// A comparison that gives -0, as -(a - b) and direction * (a - b) do of what is equal, puts the second before
// the first; of one that gives NaN it depends on the processor.
var _, _ = engine.Polyfill(".sort", func(r *engine.Run) { amendSort(r, "sort") }), engine.Polyfill("toSorted", func(r *engine.Run) { amendSort(r, "toSorted") })

func amendSort(r *engine.Run, name string) {
	wrap(r, prototypeOf(r, "Array"), name, 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		compare, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			return native(call.This, call.Arguments...)
		}
		return native(call.This, r.VM.ToValue(func(pair goja.FunctionCall) goja.Value {
			value, err := compare(goja.Undefined(), pair.Arguments...)
			if err != nil {
				panic(err)
			}
			if order := value.ToNumber().ToFloat(); order > 0 {
				return r.VM.ToValue(1)
			} else if order < 0 {
				return r.VM.ToValue(-1)
			}
			return r.VM.ToValue(0)
		}))
	})
}

// An empty text is looked for again and again at the end of a text that is not ASCII, until no memory is left.
var _ = engine.Polyfill("replaceAll", func(r *engine.Run) {
	prototype := prototypeOf(r, "String")
	replace, _ := goja.AssertFunction(prototype.Get("replace"))
	wrap(r, prototype, "replaceAll", 2, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		search := call.Argument(0)
		if object, is := search.(*goja.Object); is {
			if with := object.GetSymbol(goja.SymReplace); with == nil || goja.IsUndefined(with) {
				search = search.ToString()
			}
		}
		if found, ok := engine.TextOf(search); !ok || found != "" || goja.IsUndefined(call.This) || goja.IsNull(call.This) {
			return native(call.This, search, call.Argument(1))
		}
		everywhere, err := r.VM.New(r.Original.Get("RegExp"), r.VM.ToValue("(?:)"), r.VM.ToValue("g"))
		if err != nil {
			return nil, err
		}
		return replace(call.This.ToString(), everywhere, call.Argument(1))
	})
})

// Math.log10(1000) is a little less than 3.
var _ = engine.Polyfill("log10", func(r *engine.Run) {
	wrap(r, r.Original.Get("Math").ToObject(r.VM), "log10", 1, func(_ goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		return r.VM.ToValue(log10(call.Argument(0).ToNumber().ToFloat())), nil
	})
})

// The digits of a negative number that is rounded up to the next power of ten are wrong: (-9.99).toPrecision(2) is ".0.0".
var _, _ = engine.Polyfill("toPrecision", func(r *engine.Run) { amendDigits(r, "toPrecision") }), engine.Polyfill("toExponential", func(r *engine.Run) { amendDigits(r, "toExponential") })

func amendDigits(r *engine.Run, name string) {
	wrap(r, prototypeOf(r, "Number"), name, 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		if !goja.IsNumber(call.This) || !(call.This.ToFloat() < 0) {
			return native(call.This, call.Arguments...)
		}
		digits, err := native(r.VM.ToValue(-call.This.ToFloat()), call.Arguments...)
		if err != nil {
			return nil, err
		}
		return r.VM.ToValue("-" + digits.String()), nil
	})
}

// Math.sign gives what is no number back as it is.
var _ = engine.Polyfill(".sign", func(r *engine.Run) {
	wrap(r, r.Original.Get("Math").ToObject(r.VM), "sign", 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		return native(call.This, call.Argument(0).ToNumber())
	})
})

// log10 is exact for what is a power of ten.
func log10(x float64) float64 {
	found := math.Log10(x)
	if whole := math.Round(found); whole != found && math.Pow(10, whole) == x {
		return whole
	}
	return found
}

// Error.captureStackTrace is V8's, and classes of errors that come from Node call it. An error has its stack already.
var _ = engine.Polyfill("captureStackTrace", func(r *engine.Run) {
	class := r.Original.Get("Error").ToObject(r.VM)
	engine.Define(class, "captureStackTrace", r.FunctionOf("captureStackTrace", 2, func(call goja.FunctionCall) goja.Value {
		object, ok := call.Argument(0).(*goja.Object)
		if !ok {
			panic(r.VM.NewTypeError("Invalid argument"))
		}
		if stack := object.Get("stack"); stack == nil {
			made, err := r.VM.New(class)
			if err != nil {
				panic(err)
			}
			engine.Define(object, "stack", made.Get("stack"), engine.Hidden)
		}
		return goja.Undefined()
	}), engine.Hidden)
})

// The engine hands the traps apply and construct a view of its own stack: what a script keeps of it becomes other values
// later. So a handler with such a trap stands behind another one, which copies the arguments.
var _ = engine.PolyfillIf(func(code string) bool { return strings.Contains(code, "Proxy") && argumentTraps.MatchString(code) }, func(r *engine.Run) {
	native := r.Original.Get("Proxy").ToObject(r.VM)
	copying := func(handler goja.Value) goja.Value {
		object, is := handler.(*goja.Object)
		if !is {
			return handler
		}
		traps := &goja.ProxyTrapConfig{Get: func(of *goja.Object, name string, _ goja.Value) goja.Value {
			value := of.Get(name)
			trap, callable := goja.AssertFunction(value)
			at := map[string]int{"apply": 2, "construct": 1}[name]
			if !callable || at == 0 {
				return value
			}
			return r.VM.ToValue(func(call goja.FunctionCall) goja.Value {
				given := slices.Clone(call.Arguments)
				from := given[at].ToObject(r.VM)
				list := make([]any, from.Get("length").ToInteger())
				for i := range list {
					list[i] = from.Get(strconv.Itoa(i))
				}
				given[at] = r.VM.NewArray(list...)
				value, err := trap(object, given...)
				if err != nil {
					panic(err)
				}
				return value
			})
		}}
		return r.VM.ToValue(r.VM.NewProxy(object, traps))
	}
	made := r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
		proxy, err := r.VM.New(native, call.Argument(0), copying(call.Argument(1)))
		if err != nil {
			panic(err)
		}
		return proxy
	}).ToObject(r.VM)
	engine.Define(made, "name", r.VM.ToValue("Proxy"), engine.Hidden)
	engine.Define(made, "revocable", native.Get("revocable"), engine.Hidden)
	wrap(r, made, "revocable", 2, func(revocable goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		return revocable(native, call.Argument(0), copying(call.Argument(1)))
	})
	engine.Define(r.Original, "Proxy", made, engine.Hidden)
})

var argumentTraps = lazyregexp.New(`\b(apply|construct)\b`)
