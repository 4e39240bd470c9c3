package replay

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
)

// swallowedErrors holds a fix with a new handler that hides whatever happens: it neither
// looks at the error and lets others through, nor tries another way that may itself fail.
func swallowedErrors(q *inquiry) []string {
	if q.gate.old == nil {
		return nil
	}
	var found []string
	tell := func(node ast.Node, what string) {
		found = append(found, fmt.Sprintf("swallowed error: the %s on line %d hides whatever happens", what, q.candidate.line(node)))
	}
	for _, handler := range added[*ast.CatchStatement](q.gate.old, q.candidate) {
		if q.candidate.hidesAll(handler.Body, handler.Parameter) {
			tell(handler, "catch")
		}
	}
	for _, call := range added[*ast.CallExpression](q.gate.old, q.candidate) {
		callee, ok := bare(call.Callee).(*ast.DotExpression)
		if !ok {
			continue
		}
		handler := -1
		switch callee.Identifier.Name.String() {
		case "catch":
			handler = 0
		case "then":
			handler = 1
		case "allSettled":
			tell(call, "allSettled")
		}
		if handler < 0 || handler >= len(call.ArgumentList) {
			continue
		}
		switch f := call.ArgumentList[handler].(type) {
		case *ast.ArrowFunctionLiteral:
			if q.candidate.hidesAll(f.Body, firstParameter(f.ParameterList)) {
				tell(call, "catch")
			}
		case *ast.FunctionLiteral:
			if q.candidate.hidesAll(f.Body, firstParameter(f.ParameterList)) {
				tell(call, "catch")
			}
		}
	}
	for _, try := range added[*ast.TryStatement](q.gate.old, q.candidate) {
		if try.Finally != nil && q.candidate.holds(try.Finally, func(node ast.Node) bool {
			_, leaves := node.(*ast.ReturnStatement)
			return leaves
		}) {
			tell(try, "return in finally")
		}
	}
	return found
}

func firstParameter(list *ast.ParameterList) ast.BindingTarget {
	if list == nil || len(list.List) == 0 {
		return nil
	}
	return list.List[0].Target
}

// hidesAll says that a handler lets nothing through: it throws nothing again, or throws
// without having looked at the error, and does nothing that depends on data and may fail.
func (s *script) hidesAll(body ast.Node, parameter ast.Node) bool {
	name := ""
	if id, ok := parameter.(*ast.Identifier); ok && id != nil {
		name = id.Name.String()
	}
	throws := s.holds(body, func(node ast.Node) bool {
		_, ok := node.(*ast.ThrowStatement)
		return ok
	})
	if throws {
		return false // an error that is not the expected one goes on, or every one does
	}
	return !s.holds(body, func(node ast.Node) bool { return s.triesAnew(node, name) })
}

// triesAnew says that a node computes something from data: a call, other than to log or to
// tell a person, that is given something else than constants and the error itself.
func (s *script) triesAnew(node ast.Node, errorName string) bool {
	call, ok := node.(*ast.CallExpression)
	if !ok {
		return false
	}
	switch name := calleeName(call); name {
	case "notify", "String", "Number", "Boolean", "JSON.stringify", "sleep":
		return false
	default:
		if strings.HasPrefix(name, "console.") {
			return false
		}
	}
	usesData := func(e ast.Node) bool {
		return s.holds(e, func(inner ast.Node) bool {
			id, ok := inner.(*ast.Identifier)
			if !ok || s.isMember(inner) {
				return false
			}
			switch word := id.Name.String(); word {
			case errorName, "undefined", "NaN", "console", "Object", "Array", "Math", "Date", "JSON":
				return false
			}
			return true
		})
	}
	if dot, ok := bare(call.Callee).(*ast.DotExpression); ok && usesData(dot.Left) {
		return true
	}
	for _, argument := range call.ArgumentList {
		if usesData(argument) {
			return true
		}
	}
	return false
}

// isMember says that a name is a member's (x.name), not a variable's.
func (s *script) isMember(node ast.Node) bool {
	dot, ok := s.parents[node].(*ast.DotExpression)
	return ok && ast.Node(&dot.Identifier) == node
}

// holds says that a condition is met somewhere in a node.
func (s *script) holds(node ast.Node, met func(ast.Node) bool) bool {
	if met(node) {
		return true
	}
	for _, child := range childNodes(node) {
		if s.holds(child, met) {
			return true
		}
	}
	return false
}
