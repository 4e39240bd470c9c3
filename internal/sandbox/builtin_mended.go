package sandbox

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// What functions of the engine do otherwise than the standard, without a word. testdata/language/probe.js found
// it; what is left is listed in docs/scripts.md.

// wrap puts a function in the place of a method, and hands it that.
func (r *run) wrap(object *goja.Object, name string, takes int, with func(native goja.Callable, call goja.FunctionCall) (goja.Value, error)) {
	native, _ := goja.AssertFunction(object.Get(name))
	define(object, name, r.functionOf(name, takes, func(call goja.FunctionCall) goja.Value {
		value, err := with(native, call)
		if err != nil {
			panic(err)
		}
		return value
	}), hidden)
}

func (r *run) prototype(class string) *goja.Object {
	return r.original.Get(class).ToObject(r.vm).Get("prototype").ToObject(r.vm)
}

// JSON.stringify with an indent goes one step deeper for good after each empty array.
var _ = amend("stringify", func(r *run) {
	r.wrap(r.original.Get("JSON").ToObject(r.vm), "stringify", 3, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		value, err := native(call.This, call.Argument(0), call.Argument(1))
		indent := indentOf(call.Argument(2))
		if err != nil || indent == "" || !goja.IsString(value) {
			return value, err
		}
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(value.String()), "", indent); err != nil {
			panic(err) // what the engine wrote is JSON
		}
		return r.vm.ToValue(text.String()), nil
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
var _, _ = amend(".sort", func(r *run) { r.amendSort("sort") }), amend("toSorted", func(r *run) { r.amendSort("toSorted") })

func (r *run) amendSort(name string) {
	r.wrap(r.prototype("Array"), name, 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		compare, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			return native(call.This, call.Arguments...)
		}
		return native(call.This, r.vm.ToValue(func(pair goja.FunctionCall) goja.Value {
			value, err := compare(goja.Undefined(), pair.Arguments...)
			if err != nil {
				panic(err)
			}
			if order := value.ToNumber().ToFloat(); order > 0 {
				return r.vm.ToValue(1)
			} else if order < 0 {
				return r.vm.ToValue(-1)
			}
			return r.vm.ToValue(0)
		}))
	})
}

// An empty text is looked for again and again at the end of a text that is not ASCII, until no memory is left.
var _ = amend("replaceAll", func(r *run) {
	prototype := r.prototype("String")
	replace, _ := goja.AssertFunction(prototype.Get("replace"))
	r.wrap(prototype, "replaceAll", 2, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		search := call.Argument(0)
		if object, is := search.(*goja.Object); is {
			if with := object.GetSymbol(goja.SymReplace); with == nil || goja.IsUndefined(with) {
				search = search.ToString()
			}
		}
		if found, ok := text(search); !ok || found != "" || goja.IsUndefined(call.This) || goja.IsNull(call.This) {
			return native(call.This, search, call.Argument(1))
		}
		everywhere, err := r.vm.New(r.original.Get("RegExp"), r.vm.ToValue("(?:)"), r.vm.ToValue("g"))
		if err != nil {
			return nil, err
		}
		return replace(call.This.ToString(), everywhere, call.Argument(1))
	})
})

// Math.log10(1000) is a little less than 3.
var _ = amend("log10", func(r *run) {
	r.wrap(r.original.Get("Math").ToObject(r.vm), "log10", 1, func(_ goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		return r.vm.ToValue(log10(call.Argument(0).ToNumber().ToFloat())), nil
	})
})

// Of a negative number that is rounded up to the next power of ten the digits are wrong: (-9.99).toPrecision(2) is ".0.0".
var _, _ = amend("toPrecision", func(r *run) { r.amendDigits("toPrecision") }), amend("toExponential", func(r *run) { r.amendDigits("toExponential") })

func (r *run) amendDigits(name string) {
	r.wrap(r.prototype("Number"), name, 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		if !goja.IsNumber(call.This) || !(call.This.ToFloat() < 0) {
			return native(call.This, call.Arguments...)
		}
		digits, err := native(r.vm.ToValue(-call.This.ToFloat()), call.Arguments...)
		if err != nil {
			return nil, err
		}
		return r.vm.ToValue("-" + digits.String()), nil
	})
}

// Math.sign gives what is no number back as it is.
var _ = amend(".sign", func(r *run) {
	r.wrap(r.original.Get("Math").ToObject(r.vm), "sign", 1, func(native goja.Callable, call goja.FunctionCall) (goja.Value, error) {
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
var _ = amend("captureStackTrace", func(r *run) {
	class := r.original.Get("Error").ToObject(r.vm)
	define(class, "captureStackTrace", r.functionOf("captureStackTrace", 2, func(call goja.FunctionCall) goja.Value {
		object, ok := call.Argument(0).(*goja.Object)
		if !ok {
			panic(r.vm.NewTypeError("Invalid argument"))
		}
		if stack := object.Get("stack"); stack == nil {
			made, err := r.vm.New(class)
			if err != nil {
				panic(err)
			}
			define(object, "stack", made.Get("stack"), hidden)
		}
		return goja.Undefined()
	}), hidden)
})

// The engine hands the traps apply and construct a view of its own stack: what a script keeps of it becomes other values
// later. So a handler with such a trap stands behind another one, which copies the arguments.
var _ = amendIf(func(code string) bool { return strings.Contains(code, "Proxy") && argumentTraps.MatchString(code) }, func(r *run) {
	native := r.original.Get("Proxy").ToObject(r.vm)
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
			return r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
				given := slices.Clone(call.Arguments)
				from := given[at].ToObject(r.vm)
				list := make([]any, from.Get("length").ToInteger())
				for i := range list {
					list[i] = from.Get(strconv.Itoa(i))
				}
				given[at] = r.vm.NewArray(list...)
				value, err := trap(object, given...)
				if err != nil {
					panic(err)
				}
				return value
			})
		}}
		return r.vm.ToValue(r.vm.NewProxy(object, traps))
	}
	made := r.vm.ToValue(func(call goja.ConstructorCall) *goja.Object {
		proxy, err := r.vm.New(native, call.Argument(0), copying(call.Argument(1)))
		if err != nil {
			panic(err)
		}
		return proxy
	}).ToObject(r.vm)
	define(made, "name", r.vm.ToValue("Proxy"), hidden)
	define(made, "revocable", native.Get("revocable"), hidden)
	r.wrap(made, "revocable", 2, func(revocable goja.Callable, call goja.FunctionCall) (goja.Value, error) {
		return revocable(native, call.Argument(0), copying(call.Argument(1)))
	})
	define(r.original, "Proxy", made, hidden)
})

var argumentTraps = lazyregexp.New(`\b(apply|construct)\b`)
