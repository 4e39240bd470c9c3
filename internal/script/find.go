package script

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// Names says that the script reads a property of this name somewhere.
func (s *Source) Names(key string) bool {
	for _, node := range s.Nodes {
		if found, ok := MemberKey(node); ok && found == key && !s.Assigned(node) {
			return true
		}
		if found, ok := patternKey(s, node); ok && found == key {
			return true
		}
	}
	return false
}

// ParameterFor is the parameter of the script's own function that an argument becomes.
func (s *Source) ParameterFor(call *ast.CallExpression, argument ast.Node) *Binding {
	called := s.Scopes.Bindings[call.Callee]
	index := slices.IndexFunc(call.ArgumentList, func(a ast.Expression) bool { return a == argument })
	if called == nil || index < 0 {
		return nil
	}
	var list *ast.ParameterList
	switch function := called.Declaration.(type) {
	case *ast.FunctionLiteral:
		list = function.ParameterList
	default:
		switch init := called.Init.(type) {
		case *ast.FunctionLiteral:
			list = init.ParameterList
		case *ast.ArrowFunctionLiteral:
			list = init.ParameterList
		}
	}
	if list == nil || index >= len(list.List) {
		return nil
	}
	return s.Scopes.Bindings[list.List[index].Target]
}

// SiteOf finds the expression or pattern that reads a key at a place.
func (s *Source) SiteOf(at Position, key string) ast.Node {
	place := s.OffsetOf(at.Line, at.Column)
	if place < 0 {
		return nil
	}
	var pattern ast.Node
	smallest := len(s.Code) + 1
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.DotExpression:
			if Offset(n.Identifier.Idx) == place && n.Identifier.Name.String() == key && !s.Assigned(n) {
				return n
			}
		case *ast.BracketExpression:
			if Offset(n.LeftBracket) == place && !s.Assigned(n) {
				return n
			}
		case *ast.PropertyShort, *ast.PropertyKeyed:
			if name, ok := patternKey(s, node); ok && name == key {
				start, end := s.readingSpan(s.declarationOf(node))
				if start <= place && place < end && end-start < smallest {
					pattern, smallest = node, end-start
				}
			}
		}
	}
	return pattern
}

// patternKey is the key that a property of a destructuring pattern reads.
func patternKey(s *Source, node ast.Node) (string, bool) {
	if _, ok := s.Parents[node].(*ast.ObjectPattern); !ok {
		return "", false
	}
	switch property := node.(type) {
	case *ast.PropertyShort:
		return property.Name.Name.String(), true
	case *ast.PropertyKeyed:
		if literal, ok := property.Key.(*ast.StringLiteral); ok && !property.Computed {
			return literal.Value.String(), true
		}
	}
	return "", false
}

// declarationOf is what a pattern belongs to: its declaration, its parameter list, its assignment.
func (s *Source) declarationOf(node ast.Node) ast.Node {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		switch at.(type) {
		case *ast.ObjectPattern, *ast.ArrayPattern, *ast.PropertyKeyed, *ast.PropertyShort:
		default:
			return at
		}
	}
	return node
}

// readingSpan is where the engine may place the reads of a pattern: for a loop also at what
// it loops over, for a parameter also at the start of the function.
func (s *Source) readingSpan(declaration ast.Node) (start, end int) {
	start, end = s.Span(declaration)
	switch parent := s.Parents[declaration].(type) {
	case *ast.ForOfStatement:
		_, end = s.Span(parent.Source)
	case *ast.ParameterList:
		start, _ = s.Span(s.Parents[parent])
	}
	return start, end
}

// CallFrom is the call whose parenthesis stands at an offset, the smallest around it if none does.
func (s *Source) CallFrom(at int) *ast.CallExpression {
	var around *ast.CallExpression
	for _, node := range s.Nodes {
		call, ok := node.(*ast.CallExpression)
		if !ok {
			continue
		}
		if Offset(call.LeftParenthesis) == at {
			return call
		}
		if start, end := s.Span(call); start <= at && at < end {
			around = call
		}
	}
	return around
}

// BaseAt is the expression that had no value, from where the engine says that reading
// failed: at the property's name, or, for a call, at the last name of what it is called on.
func (s *Source) BaseAt(at int) ast.Node {
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.DotExpression:
			if Offset(n.Identifier.Idx) == at {
				if call, ok := s.Parents[s.Parents[n]].(*ast.CallExpression); ok && call.Callee == s.Parents[n] {
					return n
				}
				return MemberObject(n)
			}
		case *ast.BracketExpression:
			if Offset(n.LeftBracket) == at {
				if dot, ok := s.Parents[n].(*ast.DotExpression); ok && dot.Left == n {
					return n
				}
				return MemberObject(n)
			}
		case *ast.Identifier:
			if Offset(n.Idx) == at {
				if _, used := s.Scopes.Bindings[n]; used {
					return n
				}
			}
		}
	}
	return nil
}

// InAsync says that a node stands in an async function.
func (s *Source) InAsync(node ast.Node) bool {
	switch function := s.function(node).(type) {
	case *ast.FunctionLiteral:
		return function.Async
	case *ast.ArrowFunctionLiteral:
		return function.Async
	}
	return false
}

// Parentheses are what an expression with ?? needs around it where a node stands.
func (s *Source) Parentheses(node ast.Node) (open, close string) {
	switch parent := s.Parents[node].(type) {
	case *ast.CallExpression:
		if parent.Callee != node {
			return "", ""
		}
	case *ast.ForOfStatement, *ast.ReturnStatement, *ast.Binding, *ast.PropertyKeyed, *ast.ArrayLiteral, *ast.TemplateLiteral, *ast.SpreadElement, *ast.ExpressionBody:
		return "", ""
	case *ast.AssignExpression:
		if parent.Right == node {
			return "", ""
		}
	}
	return "(", ")"
}

// FunctionName is the name of the function around a node: of its declaration or of the
// variable that holds it; empty for a callback.
func (s *Source) FunctionName(node ast.Node) string {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		switch f := at.(type) {
		case *ast.FunctionLiteral:
			if f.Name != nil {
				return f.Name.Name.String()
			}
			return s.VariableName(at)
		case *ast.ArrowFunctionLiteral:
			return s.VariableName(at)
		}
	}
	return ""
}

// VariableName is the variable that a function is the value of.
func (s *Source) VariableName(function ast.Node) string {
	if binding, ok := s.Parents[function].(*ast.Binding); ok {
		if name, ok := binding.Target.(*ast.Identifier); ok {
			return name.Name.String()
		}
	}
	return ""
}

// Through is the parent of a node, without the marks of optional chaining.
func (s *Source) Through(node ast.Node) ast.Node {
	for {
		node = s.Parents[node]
		switch node.(type) {
		case *ast.Optional, *ast.OptionalChain:
		default:
			return node
		}
	}
}

// Holds says that a condition is met somewhere in a node.
func (s *Source) Holds(node ast.Node, met func(ast.Node) bool) bool {
	return met(node) || slices.ContainsFunc(Children(node), func(child ast.Node) bool { return s.Holds(child, met) })
}

// Returned are the values that a function returns.
func Returned(function ast.Node) []ast.Expression {
	if arrow, ok := function.(*ast.ArrowFunctionLiteral); ok {
		if body, ok := arrow.Body.(*ast.ExpressionBody); ok {
			return []ast.Expression{body.Expression}
		}
	}
	var found []ast.Expression
	var visit func(node ast.Node)
	visit = func(node ast.Node) {
		for _, child := range Children(node) {
			switch c := child.(type) {
			case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
				continue
			case *ast.ReturnStatement:
				if c.Argument != nil {
					found = append(found, c.Argument)
				}
			}
			visit(child)
		}
	}
	visit(function)
	return found
}
