package drift

import "github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"

// visit calls change for every value at a path, "[]" being any element.
func visit(value any, path []string, change func(any)) {
	if len(path) == 0 {
		change(value)
		return
	}
	if path[0] == "[]" {
		list, _ := value.([]any)
		for _, element := range list {
			visit(element, path[1:], change)
		}
		return
	}
	if o, ok := value.(*orderedjson.Object); ok {
		if inner, ok := o.Fields[path[0]]; ok {
			visit(inner, path[1:], change)
		}
	}
}
