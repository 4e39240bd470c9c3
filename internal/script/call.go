package script

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// HostObjects are the globals that are calls, or whose methods are. internal/sandbox/hostcall, which declares the
// calls, names them; nothing is added later.
var HostObjects = map[string]bool{}

// Fetch is the call of the host that the standard's fetch makes, named as HostObjects are.
var Fetch string

// CallsHost says that a node holds a host call.
func (s *Source) CallsHost(node ast.Node) bool {
	if call, ok := node.(*ast.CallExpression); ok {
		if HostObjects[strings.SplitN(s.Tool(call), ".", 2)[0]] {
			return true
		}
	}
	return slices.ContainsFunc(Children(node), s.CallsHost)
}

// Tool is the call of the host that a call makes, like web.getJSON, or the name of what else is called: the
// standard's fetch is [Fetch], unless the script has one of its own, and writeFile of Node's fs is files.write.
func (s *Source) Tool(call *ast.CallExpression) string {
	if reach, ok := s.Reach(call); ok {
		return reach.Tool
	}
	if name, ok := Bare(call.Callee).(*ast.Identifier); ok && s.IsFetch(name) {
		return Fetch
	}
	return Callee(call)
}

// IsFetch says that a name stands for the standard's fetch where it is.
func (s *Source) IsFetch(name *ast.Identifier) bool {
	return name.Name.String() == "fetch" && s.Scopes.Bindings[name] == nil && !s.IsMember(name)
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
