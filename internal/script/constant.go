package script

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// ConstantOf evaluates an expression of literals only.
func ConstantOf(expression ast.Expression) (any, bool) {
	switch e := expression.(type) {
	case *ast.StringLiteral:
		return e.Value.String(), true
	case *ast.NumberLiteral:
		switch v := e.Value.(type) {
		case int64:
			return float64(v), true
		case float64:
			return v, true
		}
	case *ast.BooleanLiteral:
		return e.Value, true
	case *ast.NullLiteral:
		return nil, true
	case *ast.UnaryExpression:
		if v, ok := ConstantOf(e.Operand); ok && e.Operator == token.MINUS {
			if number, ok := v.(float64); ok {
				return -number, true
			}
		}
	case *ast.ArrayLiteral:
		list := []any{}
		for _, item := range e.Value {
			v, ok := ConstantOf(item)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case *ast.ObjectLiteral:
		object := map[string]any{}
		for _, property := range e.Value {
			keyed, ok := property.(*ast.PropertyKeyed)
			if !ok || keyed.Computed || keyed.Kind != ast.PropertyKindValue {
				return nil, false
			}
			key, ok := keyed.Key.(*ast.StringLiteral)
			if !ok {
				return nil, false
			}
			if object[key.Value.String()], ok = ConstantOf(keyed.Value); !ok {
				return nil, false
			}
		}
		return object, true
	}
	return nil, false
}
