package replay

import (
	"fmt"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/script"
)

// newAccessErrors holds a fix that is the first to throw an AuthError or PermissionError:
// such an error makes a person responsible, and a script that may throw one could make
// every failure somebody else's.
func newAccessErrors(q *inquiry) []string {
	var found []string
	for _, node := range q.candidate.Nodes {
		name, ok := node.(*ast.Identifier)
		if !ok {
			continue
		}
		switch word := name.Name.String(); word {
		case "AuthError", "PermissionError":
			if q.words[word] && !isTest(q.candidate, node) {
				found = append(found, fmt.Sprintf("access error: the fix is the first to use %s (line %d)", word, q.candidate.Line(node)))
			}
		}
	}
	return found
}

// isTest says that a name stands right of an instanceof.
func isTest(s *script.Source, node ast.Node) bool {
	parent, ok := s.Parents[node].(*ast.BinaryExpression)
	return ok && parent.Operator == token.INSTANCEOF && parent.Right == node
}
