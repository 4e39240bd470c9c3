package script

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
)

// ShapeOf writes a node's structure without its place: equal for code that differs in
// layout and comments only.
func ShapeOf(node ast.Node) string {
	var b strings.Builder
	writeShape(&b, reflect.ValueOf(node))
	return b.String()
}

func writeShape(b *strings.Builder, value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if value.IsNil() {
			b.WriteByte('_')
			return
		}
		writeShape(b, value.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range value.Len() {
			writeShape(b, value.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	case reflect.Struct:
		b.WriteByte('(')
		b.WriteString(value.Type().Name())
		for i := range value.NumField() {
			field := value.Type().Field(i)
			switch {
			case field.Type.Name() == "Idx", field.Name == "Source", field.Name == "DeclarationList", field.Name == "Literal", !field.IsExported():
				continue
			}
			b.WriteByte(' ')
			writeShape(b, value.Field(i))
		}
		b.WriteByte(')')
	default:
		if value.CanInterface() {
			fmt.Fprintf(b, "%v", value.Interface())
		}
	}
}

// shapes counts the structures of all nodes of one kind.
func shapes[N ast.Node](s *Source) map[string]int {
	found := map[string]int{}
	for _, node := range s.Nodes {
		if n, ok := node.(N); ok {
			found[ShapeOf(n)]++
		}
	}
	return found
}

// Added are the nodes of one kind in the candidate whose structure the old code does not
// have, or has less often.
func Added[N ast.Node](old, candidate *Source) []N {
	known := shapes[N](old)
	var found []N
	for _, node := range candidate.Nodes {
		n, ok := node.(N)
		if !ok {
			continue
		}
		shape := ShapeOf(n)
		if known[shape] > 0 {
			known[shape]--
			continue
		}
		found = append(found, n)
	}
	return found
}
