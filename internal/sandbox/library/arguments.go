package library

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// functions is a library of functions of the host.
func functions(r *engine.Run, list map[string]func(goja.FunctionCall) goja.Value) *goja.Object {
	module := r.VM.NewObject()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		engine.Define(module, name, r.Function(name, list[name]), engine.Visible)
	}
	return module
}

// textArgument is the argument of a parser, which must be a text: who forgot an await is told so.
func textArgument(r *engine.Run, call goja.FunctionCall, who string) string {
	value := call.Argument(0)
	given, ok := engine.TextOf(value)
	if !ok {
		what := "got " + engine.Cut(value.ExportType().String(), 40)
		if object, is := value.(*goja.Object); is {
			what = "got an object"
			if object.ExportType() == engine.PromiseType {
				what = "got a promise: await it"
			} else if object.ClassName() == "Array" {
				what = "got an array"
			}
		} else if goja.IsUndefined(value) || goja.IsNull(value) {
			what = "got " + value.String()
		}
		panic(r.VM.NewTypeError("%s takes a text, %s", who, what))
	}
	return given
}

// fault is the exception of a library about a text that it cannot read, as JSON.parse has it.
func fault(r *engine.Run, library, format string, values ...any) *goja.Object {
	object, err := r.VM.New(r.Original.Get("SyntaxError"), r.VM.ToValue(engine.Prefix+library+": "+engine.Cut(fmt.Sprintf(format, values...), engine.MaxMessageBytes)))
	if err != nil {
		panic(err)
	}
	return object
}
