package script

import (
	"strconv"

	"github.com/dop251/goja/ast"
)

// WordOf is the name or constant that a node spells.
func WordOf(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.Identifier:
		return n.Name.String(), true
	case *ast.StringLiteral:
		return n.Value.String(), true
	case *ast.NumberLiteral:
		return NumberText(n), true
	case *ast.TemplateElement:
		return n.Parsed.String(), n.Parsed.String() != ""
	}
	return "", false
}

// NumberText is a number as a script would print it.
func NumberText(n *ast.NumberLiteral) string {
	switch v := n.Value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return n.Literal
}

// NewWords are the words that a candidate uses more often than the old code.
func NewWords(old, candidate *Source) map[string]bool {
	words := map[string]bool{}
	if old == nil {
		return words // nothing can be told apart
	}
	for word, count := range candidate.Words {
		if count > old.Words[word] {
			words[word] = true
		}
	}
	return words
}
