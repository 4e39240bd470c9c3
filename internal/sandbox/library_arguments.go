package sandbox

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// functions is a library of functions of the host.
func (r *run) functions(list map[string]func(goja.FunctionCall) goja.Value) *goja.Object {
	module := r.vm.NewObject()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		define(module, name, r.function(name, list[name]), visible)
	}
	return module
}

// textArgument is the argument of a parser, which must be a text: who forgot an await is told so.
func (r *run) textArgument(call goja.FunctionCall, who string) string {
	value := call.Argument(0)
	given, ok := text(value)
	if !ok {
		what := "got " + cut(value.ExportType().String(), 40)
		if object, is := value.(*goja.Object); is {
			what = "got an object"
			if object.ExportType() == promiseType {
				what = "got a promise: await it"
			} else if object.ClassName() == "Array" {
				what = "got an array"
			}
		} else if goja.IsUndefined(value) || goja.IsNull(value) {
			what = "got " + value.String()
		}
		panic(r.vm.NewTypeError("%s takes a text, %s", who, what))
	}
	return given
}

// fault is the exception of a library about a text that it cannot read, as JSON.parse has it.
func (r *run) fault(library, format string, values ...any) *goja.Object {
	object, err := r.vm.New(r.original.Get("SyntaxError"), r.vm.ToValue(prefix+library+": "+cut(fmt.Sprintf(format, values...), maxMessageBytes)))
	if err != nil {
		panic(err)
	}
	return object
}
