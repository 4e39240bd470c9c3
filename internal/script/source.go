package script

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// Source is a parsed script. Offsets are bytes from 0.
type Source struct {
	Code     string
	Plain    string // the code with blanks in place of types, which name what the script never reads
	Program  *ast.Program
	Parents  map[ast.Node]ast.Node
	Nodes    []ast.Node     // a parent comes before its children, otherwise in source order
	Words    map[string]int // how often each name, key, string and number is in the code
	Skeleton string         // code with literals and comments blanked out, same length
	Lines    []int          // offset of the start of each line
	Scopes   *Scopes
	Imported map[string]transpile.Import // what it takes from modules, by its own names, which are declared nowhere
	modules  bool                        // it may have something of a library
	parts    map[ast.Node]*part
}

// Position is a 1-based line and byte column.
type Position struct{ Line, Column int }

// Parse parses as the engine does: source maps stay off, they would open files. If the engine's parser
// does not read a script, because it has types or exports, its nodes stand where they were written, and what the
// parser has no node for is left out ([transpile.Script]).
func Parse(code string) (*Source, error) {
	plain, imported := code, map[string]transpile.Import{}
	program, err := parseProgram(code)
	if err != nil || len(packages.Split(code)) > 1 {
		read, failed := transpile.Read(code)
		if failed != nil {
			return nil, fmt.Errorf("script: %w", cmp.Or(err, failed))
		}
		program, plain = read.Tree, read.Plain
		for _, one := range read.Imports {
			imported[one.Local] = one
		}
	}
	s := &Source{Code: code, Plain: plain, Program: program, Parents: map[ast.Node]ast.Node{}, Words: map[string]int{}, Lines: lineStarts(code), Imported: imported, parts: map[ast.Node]*part{}}
	s.modules = len(imported) > 0 || strings.Contains(code, "require")
	s.index(program, nil)
	s.Skeleton = blank(plain, s.Nodes)
	s.Scopes = resolve(s)
	return s, nil
}

// parse guards against goja's parser, which panics on some texts: const[...0(
func parseProgram(code string) (program *ast.Program, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			program, err = nil, fmt.Errorf("the parser gave up: %v", fault)
		}
	}()
	return parser.ParseFile(nil, "script.js", code, 0, parser.WithDisableSourceMaps)
}

var nodeType = reflect.TypeFor[ast.Node]()

func (s *Source) index(node, parent ast.Node) {
	if parent != nil {
		s.Parents[node] = parent
	}
	s.Nodes = append(s.Nodes, node)
	if word, ok := WordOf(node); ok {
		s.Words[word]++
	}
	for _, child := range Children(node) {
		if statement, is := child.(ast.Statement); is && parent == nil && s.Start(statement) < 0 {
			continue // the compiler added it: its code is nobody's to judge
		}
		s.index(child, node)
	}
}

// Children lists the nodes directly below one, by reflection: the parser ships no walker.
func Children(node ast.Node) []ast.Node {
	value := reflect.ValueOf(node)
	if value.Kind() != reflect.Pointer || value.IsNil() || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	var found []ast.Node
	structure := value.Elem()
	for i := range structure.NumField() {
		// DeclarationList repeats, for hoisting, bindings that the body holds too.
		if field := structure.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" {
			found = collect(structure.Field(i), found)
		}
	}
	return found
}

func collect(field reflect.Value, found []ast.Node) []ast.Node {
	switch field.Kind() {
	case reflect.Interface, reflect.Pointer:
		if field.IsNil() {
			return found
		}
		if node, ok := field.Interface().(ast.Node); ok && reflect.ValueOf(node).Kind() == reflect.Pointer {
			return append(found, node)
		}
	case reflect.Slice:
		for i := range field.Len() {
			found = collect(field.Index(i), found)
		}
	case reflect.Struct:
		if field.CanAddr() && field.Addr().Type().Implements(nodeType) {
			return append(found, field.Addr().Interface().(ast.Node))
		}
	}
	return found
}

// blank replaces what parentheses may not be counted in.
func blank(code string, nodes []ast.Node) string {
	text := []byte(code)
	literal := make([]bool, len(text))
	mark := func(start, end int) {
		for i := max(start, 0); i < end && i < len(text); i++ { // what was added has no place
			literal[i] = true
		}
	}
	for _, node := range nodes {
		switch n := node.(type) {
		case *ast.StringLiteral, *ast.RegExpLiteral:
			mark(Offset(node.Idx0()), Offset(node.Idx1()))
		case *ast.TemplateLiteral:
			// The parser counts the elements of a template from another base than the rest.
			by := int(n.Elements[0].Idx) - int(n.OpenQuote) - 1
			for _, element := range n.Elements {
				start := Offset(element.Idx) - by
				mark(start, start+len(element.Literal))
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch {
		case literal[i]:
			text[i] = ' '
		case strings.HasPrefix(code[i:], "//"):
			for ; i < len(text) && !lineEnd(code, i); i++ {
				text[i] = ' '
			}
		case strings.HasPrefix(code[i:], "/*"):
			end := strings.Index(code[i+2:], "*/")
			for stop := min(len(text), i+2+end+2); i < stop; i++ {
				text[i] = ' '
			}
			i--
		}
	}
	return string(text)
}

func lineEnd(code string, i int) bool {
	return code[i] == '\n' || code[i] == '\r' || strings.HasPrefix(code[i:], "\u2028") || strings.HasPrefix(code[i:], "\u2029")
}

func lineStarts(code string) []int {
	starts := []int{0}
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] == '\r' && i+1 < len(code) && code[i+1] == '\n':
			i++
			starts = append(starts, i+1)
		case code[i] == '\n' || code[i] == '\r':
			starts = append(starts, i+1)
		case strings.HasPrefix(code[i:], "\u2028") || strings.HasPrefix(code[i:], "\u2029"):
			i += 2
			starts = append(starts, i+1)
		}
	}
	return starts
}

// OffsetOf turns a 1-based line and byte column into an offset, -1 if it is not in the script.
func (s *Source) OffsetOf(line, column int) int {
	if line < 1 || line > len(s.Lines) || column < 1 {
		return -1
	}
	if at := s.Lines[line-1] + column - 1; at < len(s.Code) {
		return at
	}
	return -1
}

// PositionOf turns an offset into a 1-based line and byte column.
func (s *Source) PositionOf(at int) Position {
	line := s.LineOf(at)
	return Position{line, at - s.Lines[line-1] + 1}
}

// LineOf is the 1-based line of an offset.
func (s *Source) LineOf(at int) int {
	index, found := slices.BinarySearch(s.Lines, at)
	if !found {
		index--
	}
	return index + 1
}

// LineText is a line without its surrounding space.
func (s *Source) LineText(line int) string {
	if line < 1 || line > len(s.Lines) {
		return ""
	}
	end := len(s.Code)
	if line < len(s.Lines) {
		end = s.Lines[line]
	}
	return strings.TrimSpace(s.Code[s.Lines[line-1]:end])
}

// Offset turns the engine's index of a character, which counts from 1, into an offset.
func Offset[I ~int](idx I) int { return int(idx) - 1 }

// Start and End of a node without the parentheses around it, which the tree leaves out.
func (s *Source) Start(node ast.Node) int { return Offset(node.Idx0()) }

// End is where a node ends.
func (s *Source) End(node ast.Node) int { return min(Offset(node.Idx1()), len(s.Code)) }

// Line is the 1-based line of a node.
func (s *Source) Line(node ast.Node) int { return s.LineOf(s.Start(node)) }

// Span is the text range of a node, with the parentheses that the tree leaves out.
func (s *Source) Span(node ast.Node) (start, end int) {
	// Some nodes, such as the parameter list of x => y, have no place of their own.
	start = min(max(Offset(node.Idx0()), 0), len(s.Code))
	end = max(start, min(Offset(node.Idx1()), len(s.Code)))
	depth, unopened := 0, 0
	for i := start; i < end; i++ {
		switch s.Skeleton[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				unopened++
			} else {
				depth--
			}
		}
	}
	for ; unopened > 0 && start > 0; unopened-- {
		start = strings.LastIndexByte(s.Skeleton[:start], '(')
	}
	for ; depth > 0; depth-- {
		next := strings.IndexByte(s.Skeleton[end:], ')')
		if next < 0 {
			break
		}
		end += next + 1
	}
	return max(start, 0), end
}

// Text is the source text of a node.
func (s *Source) Text(node ast.Node) string {
	start, end := s.Span(node)
	return s.Code[start:end]
}

// Statement is the smallest statement around a node.
func (s *Source) Statement(node ast.Node) ast.Node {
	for at := node; at != nil; at = s.Parents[at] {
		if _, ok := at.(ast.Statement); ok {
			return at
		}
	}
	return s.Program
}

// function is the body of the function around a node, the program if there is none.
func (s *Source) function(node ast.Node) ast.Node {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		switch at.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			return at
		}
	}
	return s.Program
}

// MemberKey is the constant key of a member expression: a.b, a['b'], a[0].
func MemberKey(node ast.Node) (key string, ok bool) {
	switch member := node.(type) {
	case *ast.DotExpression:
		return member.Identifier.Name.String(), true
	case *ast.BracketExpression:
		switch literal := member.Member.(type) {
		case *ast.StringLiteral:
			return literal.Value.String(), true
		case *ast.NumberLiteral:
			return literal.Literal, true
		}
	}
	return "", false
}

// MemberObject is what a member expression reads from, without the mark of a `?.`.
func MemberObject(node ast.Node) ast.Expression {
	var left ast.Expression
	switch member := node.(type) {
	case *ast.DotExpression:
		left = member.Left
	case *ast.BracketExpression:
		left = member.Left
	}
	return Bare(left)
}

// Bare takes off the marks that optional chaining puts around an expression.
func Bare(expression ast.Expression) ast.Expression {
	for {
		switch marked := expression.(type) {
		case *ast.Optional:
			expression = marked.Expression
		case *ast.OptionalChain:
			expression = marked.Expression
		default:
			return expression
		}
	}
}

// Repeatable says that an expression can be written twice without doing anything twice.
func Repeatable(expression ast.Expression) bool {
	switch e := Bare(expression).(type) {
	case *ast.Identifier, *ast.ThisExpression, *ast.StringLiteral, *ast.NumberLiteral:
		return true
	case *ast.DotExpression:
		return Repeatable(e.Left)
	case *ast.BracketExpression:
		return Repeatable(e.Left) && Repeatable(e.Member)
	case *ast.BinaryExpression:
		return (e.Operator == token.COALESCE || e.Operator == token.LOGICAL_OR) && Repeatable(e.Left) && Repeatable(e.Right)
	}
	return false
}

// ObjectSpan is the text range of what a member expression reads from, parentheses included.
func (s *Source) ObjectSpan(member ast.Node) (start, end int) {
	start, _ = s.Span(member)
	switch n := member.(type) {
	case *ast.DotExpression:
		end = strings.LastIndexByte(s.Skeleton[:Offset(n.Identifier.Idx)], '.')
	case *ast.BracketExpression:
		end = Offset(n.LeftBracket)
		if IsOptional(n.Left) {
			end = strings.LastIndexByte(s.Skeleton[:end], '.')
		}
	}
	if IsOptional(MemberLeft(member)) {
		end--
	}
	return start, start + len(strings.TrimRight(s.Code[start:max(start, end)], " \t\r\n"))
}

// Assigned says that a member expression is written to (or deleted) where it stands.
func (s *Source) Assigned(node ast.Node) bool {
	switch parent := s.Parents[node].(type) {
	case *ast.AssignExpression:
		return parent.Left == node
	case *ast.UnaryExpression:
		return parent.Operator == token.INCREMENT || parent.Operator == token.DECREMENT || parent.Operator == token.DELETE
	case *ast.ForIntoExpression:
		return true
	case *ast.ArrayPattern:
		return true
	case *ast.PropertyKeyed:
		_, pattern := s.Parents[parent].(*ast.ObjectPattern)
		return pattern && parent.Value == node
	}
	return false
}

// Within says that a node is another one, or stands in it.
func (s *Source) Within(node, around ast.Node) bool {
	for at := node; at != nil; at = s.Parents[at] {
		if at == around {
			return true
		}
	}
	return false
}
