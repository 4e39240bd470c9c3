package script

import "github.com/dop251/goja/ast"

// MemberLeft is what a member expression or a call stands on, with the mark of a `?.`.
func MemberLeft(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.DotExpression:
		return n.Left
	case *ast.BracketExpression:
		return n.Left
	case *ast.CallExpression:
		return n.Callee
	}
	return nil
}

// IsOptional says that an expression is followed by `?.`.
func IsOptional(node ast.Node) bool {
	_, ok := node.(*ast.Optional)
	return ok
}

// IsMember says that a name is a member's (x.name), not a variable's.
func (s *Source) IsMember(node ast.Node) bool {
	dot, ok := s.Parents[node].(*ast.DotExpression)
	return ok && ast.Node(&dot.Identifier) == node
}
