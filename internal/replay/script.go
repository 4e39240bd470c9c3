package replay

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// script is a parsed script. Offsets are bytes from 0.
type script struct {
	code    string
	program *ast.Program
	nodes   []ast.Node // a parent comes before its children, otherwise in source order
	parents map[ast.Node]ast.Node
	words   map[string]int // how often each name, key, string and number is in the code
}

// parseScript parses as the sandbox does, and refuses what the sandbox would refuse:
// some texts make the parser panic or run for ever. Source maps stay off, they would
// open files.
func parseScript(code string) (*script, error) {
	if err := sandbox.Check(code); err != nil {
		return nil, err
	}
	program, err := parser.ParseFile(nil, "script.js", code, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, fmt.Errorf("replay: parse script: %w", err)
	}
	s := &script{code: code, program: program, parents: map[ast.Node]ast.Node{}, words: map[string]int{}}
	for _, statement := range program.Body {
		s.index(statement, nil)
	}
	for _, node := range s.nodes {
		if word, ok := wordOf(node); ok {
			s.words[word]++
		}
	}
	return s, nil
}

// runnable says that the sandbox would run a code.
func runnable(code string) bool { return sandbox.Check(code) == nil }

func (s *script) index(node, parent ast.Node) {
	s.nodes = append(s.nodes, node)
	s.parents[node] = parent
	for _, child := range childNodes(node) {
		s.index(child, node)
	}
}

var nodeType = reflect.TypeFor[ast.Node]()

// childNodes are the nodes directly below one, found by reflection: the parser ships no walker.
func childNodes(node ast.Node) []ast.Node {
	value := reflect.Indirect(reflect.ValueOf(node))
	if value.Kind() != reflect.Struct {
		return nil
	}
	var found []ast.Node
	for i := range value.NumField() {
		// DeclarationList repeats, for hoisting, bindings that the body holds too.
		if field := value.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" {
			found = collectNodes(value.Field(i), found)
		}
	}
	return found
}

func collectNodes(value reflect.Value, found []ast.Node) []ast.Node {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if value.IsNil() {
			return found
		}
		if node, ok := value.Interface().(ast.Node); ok && reflect.ValueOf(node).Kind() == reflect.Pointer {
			return append(found, node)
		}
	case reflect.Slice:
		for i := range value.Len() {
			found = collectNodes(value.Index(i), found)
		}
	case reflect.Struct:
		if value.CanAddr() && value.Addr().Type().Implements(nodeType) {
			if node, ok := value.Addr().Interface().(ast.Node); ok {
				return append(found, node)
			}
		}
	}
	return found
}

// wordOf is the name or constant that a node spells.
func wordOf(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.Identifier:
		return n.Name.String(), true
	case *ast.StringLiteral:
		return n.Value.String(), true
	case *ast.NumberLiteral:
		return numberText(n), true
	case *ast.TemplateElement:
		return n.Parsed.String(), n.Parsed.String() != ""
	}
	return "", false
}

func numberText(n *ast.NumberLiteral) string {
	switch v := n.Value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return n.Literal
}

// newWords are the words that a candidate uses more often than the old code.
func newWords(old, candidate *script) map[string]bool {
	words := map[string]bool{}
	if old == nil {
		return words // nothing can be told apart
	}
	for word, count := range candidate.words {
		if count > old.words[word] {
			words[word] = true
		}
	}
	return words
}

// start and end of a node in the code. The parser leaves parentheses out of the tree, so
// they are not part of a node's text.
func (s *script) start(node ast.Node) int { return int(node.Idx0()) - 1 }
func (s *script) end(node ast.Node) int   { return min(int(node.Idx1())-1, len(s.code)) }

// line is the 1-based line of a node.
func (s *script) line(node ast.Node) int {
	return 1 + strings.Count(s.code[:s.start(node)], "\n")
}

// shapeOf writes a node's structure without its place: equal for code that differs in
// layout and comments only.
func shapeOf(node ast.Node) string {
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
func shapes[N ast.Node](s *script) map[string]int {
	found := map[string]int{}
	for _, node := range s.nodes {
		if n, ok := node.(N); ok {
			found[shapeOf(n)]++
		}
	}
	return found
}

// added are the nodes of one kind in the candidate whose structure the old code does not
// have, or has less often.
func added[N ast.Node](old, candidate *script) []N {
	known := shapes[N](old)
	var found []N
	for _, node := range candidate.nodes {
		n, ok := node.(N)
		if !ok {
			continue
		}
		shape := shapeOf(n)
		if known[shape] > 0 {
			known[shape]--
			continue
		}
		found = append(found, n)
	}
	return found
}

// constantOf evaluates an expression of literals only.
func constantOf(expression ast.Expression) (any, bool) {
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
		if v, ok := constantOf(e.Operand); ok && e.Operator == token.MINUS {
			if number, ok := v.(float64); ok {
				return -number, true
			}
		}
	case *ast.ArrayLiteral:
		list := []any{}
		for _, item := range e.Value {
			v, ok := constantOf(item)
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
			if object[key.Value.String()], ok = constantOf(keyed.Value); !ok {
				return nil, false
			}
		}
		return object, true
	}
	return nil, false
}
