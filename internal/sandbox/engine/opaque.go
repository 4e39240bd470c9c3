package engine

import (
	"fmt"
	"reflect"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// opaqueValue is a value that a script may carry about, put into objects, compare by identity
// and ask the type of. Every look into it, its JSON text included, ends the run as
// unanswerable.
//
// Two looks cannot be noticed: its truth (an object is true; the answer might have been
// null), and comparison with null. "then" and "constructor" are no looks, because await
// reads them from everything.
func (r *Run) opaqueValue(call sandbox.Call) goja.Value {
	reason := sandbox.Error{
		Class: sandbox.ClassInternal, Name: sandbox.NameLookedInto, Code: sandbox.CodeUnanswerable, Tool: call.Tool,
		Message: fmt.Sprintf("the script looks into the answer of %s (call %d), which was not recorded", call.Tool, call.Seq),
	}
	look := func() { r.Alive(); r.end(reason) }
	get := func(_ *goja.Object, property string, _ goja.Value) goja.Value {
		if property != "then" && property != "constructor" {
			look()
		}
		return goja.Undefined()
	}
	proxy := r.VM.NewProxy(r.VM.NewObject(), &goja.ProxyTrapConfig{
		GetPrototypeOf:              func(*goja.Object) *goja.Object { look(); return nil },
		SetPrototypeOf:              func(*goja.Object, *goja.Object) bool { look(); return false },
		IsExtensible:                func(*goja.Object) bool { look(); return false },
		PreventExtensions:           func(*goja.Object) bool { look(); return false },
		GetOwnPropertyDescriptor:    func(*goja.Object, string) goja.PropertyDescriptor { look(); return goja.PropertyDescriptor{} },
		GetOwnPropertyDescriptorIdx: func(*goja.Object, int) goja.PropertyDescriptor { look(); return goja.PropertyDescriptor{} },
		GetOwnPropertyDescriptorSym: func(*goja.Object, *goja.Symbol) goja.PropertyDescriptor { look(); return goja.PropertyDescriptor{} },
		DefineProperty:              func(*goja.Object, string, goja.PropertyDescriptor) bool { look(); return false },
		DefinePropertyIdx:           func(*goja.Object, int, goja.PropertyDescriptor) bool { look(); return false },
		DefinePropertySym:           func(*goja.Object, *goja.Symbol, goja.PropertyDescriptor) bool { look(); return false },
		Has:                         func(*goja.Object, string) bool { look(); return false },
		HasIdx:                      func(*goja.Object, int) bool { look(); return false },
		HasSym:                      func(*goja.Object, *goja.Symbol) bool { look(); return false },
		Get:                         get,
		GetIdx:                      func(*goja.Object, int, goja.Value) goja.Value { look(); return nil },
		GetSym:                      func(*goja.Object, *goja.Symbol, goja.Value) goja.Value { look(); return nil },
		Set:                         func(*goja.Object, string, goja.Value, goja.Value) bool { look(); return false },
		SetIdx:                      func(*goja.Object, int, goja.Value, goja.Value) bool { look(); return false },
		SetSym:                      func(*goja.Object, *goja.Symbol, goja.Value, goja.Value) bool { look(); return false },
		DeleteProperty:              func(*goja.Object, string) bool { look(); return false },
		DeletePropertyIdx:           func(*goja.Object, int) bool { look(); return false },
		DeletePropertySym:           func(*goja.Object, *goja.Symbol) bool { look(); return false },
		OwnKeys:                     func(*goja.Object) *goja.Object { look(); return nil },
	})
	object := r.VM.ToValue(proxy).ToObject(r.VM)
	r.WatchIsArray()
	r.opaques[object] = look
	return object
}

// Indexed has elements as an array has, and is none to scripts: bytes are.
type Indexed interface {
	goja.DynamicArray
	IsNoArray()
}

var indexed = reflect.TypeFor[Indexed]()

// WatchIsArray makes Array.isArray of an opaque value a look: the proxy cannot notice it.
// It is done before the script gets hold of Array. Bytes are no array either.
func (r *Run) WatchIsArray() {
	if r.opaques != nil {
		return
	}
	r.opaques = map[*goja.Object]func(){}
	array := r.Original.Get("Array").ToObject(r.VM)
	isArray, ok := goja.AssertFunction(array.Get("isArray"))
	if !ok {
		return // the script took it away
	}
	watched := r.Function("isArray", func(call goja.FunctionCall) goja.Value {
		if value, ok := call.Argument(0).(*goja.Object); ok {
			if look := r.opaques[value]; look != nil {
				look()
			}
			if value.ExportType().Implements(indexed) {
				return r.VM.ToValue(false) // the engine takes everything with indexes for an array
			}
		}
		result, err := isArray(goja.Undefined(), call.Argument(0))
		if err != nil {
			panic(err)
		}
		return result
	})
	Define(array, "isArray", watched, Hidden)
}
