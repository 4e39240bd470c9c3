package engine

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

// walk calls visit for a node and everything below it, outermost first, with the depth
// in the tree. Where visit returns false it does not go deeper.
func walk(node ast.Node, visit func(node ast.Node, depth int) bool) {
	walkValue(reflect.ValueOf(node), 0, visit)
}

var (
	nodeType = reflect.TypeFor[ast.Node]()
	treePath = reflect.TypeFor[ast.Program]().PkgPath()
)

func walkValue(v reflect.Value, depth int, visit func(ast.Node, int) bool) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walkValue(v.Elem(), depth, visit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				walkValue(v.Index(i), depth, visit)
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != treePath {
			return
		}
		if v.Type().Implements(nodeType) {
			if !visit(v.Interface().(ast.Node), depth) {
				return
			}
			depth++
		}
		walkValue(v.Elem(), depth, visit)
	case reflect.Struct:
		if v.Type().PkgPath() != treePath {
			return
		}
		for i := range v.NumField() {
			// DeclarationList repeats what Body holds.
			if v.Type().Field(i).Name != "DeclarationList" {
				walkValue(v.Field(i), depth, visit)
			}
		}
	}
}
