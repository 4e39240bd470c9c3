package script

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// HostObjects are the globals whose methods are calls.
var HostObjects = map[string]bool{"web": true, "files": true, "kv": true, "notify": true, "ask": true}

// CallsHost says that a node holds a host call.
func (s *Source) CallsHost(node ast.Node) bool {
	if call, ok := node.(*ast.CallExpression); ok {
		if HostObjects[strings.SplitN(Callee(call), ".", 2)[0]] {
			return true
		}
	}
	return slices.ContainsFunc(Children(node), s.CallsHost)
}

// Callee is the name of what is called, like web.getJSON; empty if it has none.
func Callee(call *ast.CallExpression) string {
	switch callee := Bare(call.Callee).(type) {
	case *ast.Identifier:
		return callee.Name.String()
	case *ast.DotExpression:
		if object, ok := Bare(callee.Left).(*ast.Identifier); ok {
			return object.Name.String() + "." + callee.Identifier.Name.String()
		}
	}
	return ""
}
