package script

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/stretchr/testify/require"
)

// corpus is every script of the recorded cases, good and bad ones too, and of the scenarios.
func corpus(t *testing.T) []string {
	t.Helper()
	var scripts []string
	for _, pattern := range []string{"cases/*/good/*.js", "cases/*/bad/*.js", "automations/*/automation.js", "automations/*/good/*.js", "automations/*/bad/*.js"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			scripts = append(scripts, string(text))
		}
	}
	return scripts
}

// TestSpanIsTheWholeExpression: the text at the span of an expression parses again as that
// expression; the tree leaves parentheses out, the span must not.
func TestSpanIsTheWholeExpression(t *testing.T) {
	t.Parallel()
	expressions := 0
	for _, code := range append(corpus(t), "x = ((a || b)).c + (/* ( */ (d)) - ')'.length / (/[)(]/.test(e) ? `(${(f)}` : 1);") {
		s, err := Parse(code)
		require.NoError(t, err, code)
		for _, node := range s.Nodes {
			expression, ok := node.(ast.Expression)
			if !ok || !standsAlone(s, expression) {
				continue
			}
			start, end := s.Span(expression)
			again, err := parser.ParseFile(nil, "", "(async function* () { ("+code[start:end]+"\n) })", 0, parser.WithDisableSourceMaps)
			require.NoError(t, err, "%T %q", node, code[start:end])
			require.Equal(t, reflect.TypeOf(Bare(expression)), reflect.TypeOf(Bare(inner(again))), "%q", code[start:end])
			expressions++
		}
	}
	require.Greater(t, expressions, 10000)
}

// inner is the expression that the test has put into a function and parentheses.
func inner(program *ast.Program) ast.Expression {
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	function, ok := statement.Expression.(*ast.FunctionLiteral)
	if !ok {
		return nil
	}
	inside, ok := function.Body.List[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	return inside.Expression
}

// standsAlone leaves out what is no expression by itself: names of properties, patterns,
// parts of literals.
func standsAlone(s *Source, node ast.Expression) bool {
	switch node.(type) {
	case *ast.Identifier, *ast.CallExpression, *ast.DotExpression, *ast.BracketExpression, *ast.BinaryExpression, *ast.ConditionalExpression,
		*ast.ArrayLiteral, *ast.ObjectLiteral, *ast.ArrowFunctionLiteral, *ast.TemplateLiteral, *ast.AwaitExpression, *ast.AssignExpression, *ast.UnaryExpression, *ast.NewExpression:
	default:
		return false
	}
	if _, name := node.(*ast.Identifier); name && !s.Scopes.uses(node) {
		return false
	}
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		switch at.(type) {
		case *ast.OptionalChain, *ast.Optional, *ast.ObjectPattern, *ast.ArrayPattern, *ast.ParameterList, *ast.ClassLiteral, *ast.PropertyShort:
			return false
		}
	}
	return true
}

// uses says that a node is the use of a name.
func (n *Scopes) uses(node ast.Node) bool {
	found := n.Bindings[node]
	return found != nil && found.Node != node || slices.Contains(n.Unresolved, node)
}

// TestPositions: places are lines and byte columns from 1, whatever ends the lines.
func TestPositions(t *testing.T) {
	t.Parallel()
	code := "a;\r\nb;\rç; d;\n\u2028e;"
	s, err := Parse(code)
	require.NoError(t, err)
	for text, want := range map[string]Position{"a": {1, 1}, "b": {2, 1}, "d": {3, 5}, "e": {5, 1}} {
		at := strings.Index(code, text)
		require.Equal(t, want, s.PositionOf(at), text)
		require.Equal(t, at, s.OffsetOf(want.Line, want.Column), text)
	}
	require.Equal(t, -1, s.OffsetOf(9, 1))
}

// TestScopes: each use of a name means the declaration that the language says.
func TestScopes(t *testing.T) {
	t.Parallel()
	s, err := Parse(`const a = 1;
function f(a, { b: c = a, d }) { var e = a; { let a = e; g(a, c, d); } return { a, e: e.a, [d]: 1 }; }
for (const a of f) label: for (let i = 0; i < a; i++) { if (i) continue label; }
try { x } catch (a) { a.b }
class K { m(a) { return a + K.n; } }`)
	require.NoError(t, err)
	kinds := map[int]string{}
	for node, found := range s.Scopes.Bindings {
		if NameOf(node) == "a" {
			kinds[s.LineOf(Offset(node.Idx0()))] += found.Kind + " "
		}
	}
	for line, want := range map[int][]string{1: {"const"}, 2: {"param", "let"}, 3: {"const"}, 4: {"catch"}, 5: {"param"}} {
		for _, kind := range want {
			require.Contains(t, kinds[line], kind, "line %d", line)
		}
	}
	require.NotContains(t, kinds[2], "const")
	var unresolved []string
	for _, node := range s.Scopes.Unresolved {
		unresolved = append(unresolved, NameOf(node))
	}
	require.ElementsMatch(t, []string{"g", "x"}, unresolved)
	require.True(t, s.Scopes.Taken("e"))
	require.False(t, s.Scopes.Taken("n"), "a property is no name")
}

// TestEditsMoveOffsets: an offset follows the text it stood at, and is lost if that is replaced.
func TestEditsMoveOffsets(t *testing.T) {
	t.Parallel()
	code := "abc.def(ghi)"
	edits := []Edit{Insert(0, "("), Insert(3, " ?? x)"), Replace(8, 11, "long name")}
	after, err := Apply(code, edits)
	require.NoError(t, err)
	require.Equal(t, "(abc ?? x).def(long name)", after)
	for _, text := range []string{"abc", ".def", ")"} {
		at, ok := Moved([][]Edit{edits}, strings.LastIndex(code, text))
		require.True(t, ok)
		require.Equal(t, strings.LastIndex(after, text), at, text)
	}
	_, ok := Moved([][]Edit{edits}, strings.Index(code, "hi"))
	require.False(t, ok)
	_, err = Apply(code, []Edit{Replace(0, 5, ""), Replace(3, 6, "")})
	require.ErrorContains(t, err, "overlap")
}
