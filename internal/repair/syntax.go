package repair

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// source is a parsed script. Offsets are bytes from 0.
type source struct {
	code     string
	program  *ast.Program
	parents  map[ast.Node]ast.Node
	nodes    []ast.Node // in source order of their parents: a parent comes before its children
	skeleton string     // code with literals and comments blanked out, same length
	lines    []int      // offset of the start of each line
	scopes   *scopes
}

// parseSource parses as the engine does: source maps stay off, they would open files.
func parseSource(code string) (*source, error) {
	program, err := parse(code)
	if err != nil {
		return nil, fmt.Errorf("repair: parse script: %w", err)
	}
	s := &source{code: code, program: program, parents: map[ast.Node]ast.Node{}, lines: lineStarts(code)}
	s.index(program, nil)
	s.skeleton = blank(code, s.nodes)
	s.scopes = resolve(s)
	return s, nil
}

// parse guards against goja's parser, which panics on some texts: const[...0(
func parse(code string) (program *ast.Program, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			program, err = nil, fmt.Errorf("the parser gave up: %v", fault)
		}
	}()
	return parser.ParseFile(nil, "script.js", code, 0, parser.WithDisableSourceMaps)
}

var nodeType = reflect.TypeFor[ast.Node]()

func (s *source) index(node, parent ast.Node) {
	if parent != nil {
		s.parents[node] = parent
	}
	s.nodes = append(s.nodes, node)
	for _, child := range children(node) {
		s.index(child, node)
	}
}

// children lists the nodes directly below one, by reflection: the parser ships no walker.
func children(node ast.Node) []ast.Node {
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
		for i := start; i < end && i < len(text); i++ {
			literal[i] = true
		}
	}
	for _, node := range nodes {
		switch n := node.(type) {
		case *ast.StringLiteral, *ast.RegExpLiteral:
			mark(offset(node.Idx0()), offset(node.Idx1()))
		case *ast.TemplateLiteral:
			// The parser counts the elements of a template from another base than the rest.
			by := int(n.Elements[0].Idx) - int(n.OpenQuote) - 1
			for _, element := range n.Elements {
				start := offset(element.Idx) - by
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

// offsetOf turns a 1-based line and byte column into an offset, -1 if it is not in the script.
func (s *source) offsetOf(line, column int) int {
	if line < 1 || line > len(s.lines) || column < 1 {
		return -1
	}
	if at := s.lines[line-1] + column - 1; at < len(s.code) {
		return at
	}
	return -1
}

// positionOf turns an offset into a 1-based line and byte column.
func (s *source) positionOf(at int) position {
	line := s.lineOf(at)
	return position{line, at - s.lines[line-1] + 1}
}

// lineOf is the 1-based line of an offset.
func (s *source) lineOf(at int) int {
	index, found := slices.BinarySearch(s.lines, at)
	if !found {
		index--
	}
	return index + 1
}

// lineText is a line without its surrounding space.
func (s *source) lineText(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	end := len(s.code)
	if line < len(s.lines) {
		end = s.lines[line]
	}
	return strings.TrimSpace(s.code[s.lines[line-1]:end])
}

func offset[I ~int](idx I) int { return int(idx) - 1 }

// span is the text range of a node, with the parentheses that the tree leaves out.
func (s *source) span(node ast.Node) (start, end int) {
	// Some nodes, such as the parameter list of x => y, have no place of their own.
	start = min(max(offset(node.Idx0()), 0), len(s.code))
	end = max(start, min(offset(node.Idx1()), len(s.code)))
	depth, unopened := 0, 0
	for i := start; i < end; i++ {
		switch s.skeleton[i] {
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
		start = strings.LastIndexByte(s.skeleton[:start], '(')
	}
	for ; depth > 0; depth-- {
		next := strings.IndexByte(s.skeleton[end:], ')')
		if next < 0 {
			break
		}
		end += next + 1
	}
	return max(start, 0), end
}

// text is the source text of a node.
func (s *source) text(node ast.Node) string {
	start, end := s.span(node)
	return s.code[start:end]
}

// statement is the smallest statement around a node.
func (s *source) statement(node ast.Node) ast.Node {
	for at := node; at != nil; at = s.parents[at] {
		if _, ok := at.(ast.Statement); ok {
			return at
		}
	}
	return s.program
}

// function is the body of the function around a node, the program if there is none.
func (s *source) function(node ast.Node) ast.Node {
	for at := s.parents[node]; at != nil; at = s.parents[at] {
		switch at.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			return at
		}
	}
	return s.program
}

// memberKey is the constant key of a member expression: a.b, a['b'], a[0].
func memberKey(node ast.Node) (key string, ok bool) {
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

// memberObject is what a member expression reads from, without the mark of a `?.`.
func memberObject(node ast.Node) ast.Expression {
	var left ast.Expression
	switch member := node.(type) {
	case *ast.DotExpression:
		left = member.Left
	case *ast.BracketExpression:
		left = member.Left
	}
	return bare(left)
}

// bare takes off the marks that optional chaining puts around an expression.
func bare(expression ast.Expression) ast.Expression {
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

// repeatable says that an expression can be written twice without doing anything twice.
func repeatable(expression ast.Expression) bool {
	switch e := bare(expression).(type) {
	case *ast.Identifier, *ast.ThisExpression, *ast.StringLiteral, *ast.NumberLiteral:
		return true
	case *ast.DotExpression:
		return repeatable(e.Left)
	case *ast.BracketExpression:
		return repeatable(e.Left) && repeatable(e.Member)
	case *ast.BinaryExpression:
		return (e.Operator == token.COALESCE || e.Operator == token.LOGICAL_OR) && repeatable(e.Left) && repeatable(e.Right)
	}
	return false
}

// objectSpan is the text range of what a member expression reads from, parentheses included.
func (s *source) objectSpan(member ast.Node) (start, end int) {
	start, _ = s.span(member)
	switch n := member.(type) {
	case *ast.DotExpression:
		end = strings.LastIndexByte(s.skeleton[:offset(n.Identifier.Idx)], '.')
	case *ast.BracketExpression:
		end = offset(n.LeftBracket)
		if isOptional(n.Left) {
			end = strings.LastIndexByte(s.skeleton[:end], '.')
		}
	}
	if isOptional(memberLeft(member)) {
		end--
	}
	return start, start + len(strings.TrimRight(s.code[start:max(start, end)], " \t\r\n"))
}

// assigned says that a member expression is written to (or deleted) where it stands.
func (s *source) assigned(node ast.Node) bool {
	switch parent := s.parents[node].(type) {
	case *ast.AssignExpression:
		return parent.Left == node
	case *ast.UnaryExpression:
		return parent.Operator == token.INCREMENT || parent.Operator == token.DECREMENT || parent.Operator == token.DELETE
	case *ast.ForIntoExpression:
		return true
	case *ast.ArrayPattern:
		return true
	case *ast.PropertyKeyed:
		_, pattern := s.parents[parent].(*ast.ObjectPattern)
		return pattern && parent.Value == node
	}
	return false
}

// edit replaces code[start:end] by text.
type edit struct {
	start, end int
	text       string
}

func replace(start, end int, text string) edit { return edit{start, end, text} }

func insert(at int, text string) edit { return edit{at, at, text} }

// applyEdits applies edits that do not overlap; insertions at one place keep their order.
func applyEdits(code string, edits []edit) (string, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var text strings.Builder
	at := 0
	for _, e := range sorted {
		if e.start < at {
			return "", fmt.Errorf("repair: edits overlap at offset %d", e.start)
		}
		text.WriteString(code[at:e.start])
		text.WriteString(e.text)
		at = e.end
	}
	text.WriteString(code[at:])
	return text.String(), nil
}

// moved says where an offset is after edits were made one set after the other; not ok if
// one of them replaced it.
func moved(steps [][]edit, at int) (int, bool) {
	for _, step := range steps {
		by := 0
		for _, e := range step {
			switch {
			case e.end <= at:
				by += len(e.text) - (e.end - e.start)
			case e.start <= at:
				return 0, false
			}
		}
		at += by
	}
	return at, true
}
