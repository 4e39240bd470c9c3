package transpile

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/evanw/esbuild/pkg/api"
)

// Version names what is made of scripts: esbuild's, and the rules of this package. The result of another
// one may differ.
const Version = "esbuild 0.28.2, kintsugi 2"

const mainName = "main"

// Script is a script that was read.
type Script struct {
	Code string
	// Plain is as long as Code, with blanks in the place of types, imports and exports.
	Plain string
	// Text is what the engine runs, Lowered that it is written otherwise than the script.
	Text    string
	Lowered bool

	// Tree is what the script says, Run what the engine runs. Async generators and for await, which the
	// engine's tree has no nodes for, look in Tree like what is not async.
	Tree, Run *ast.Program

	Main    bool // it has a main, or its top level is one
	Module  bool // it imports or exports, and so is in strict mode
	Typed   bool // it is TypeScript, and not JavaScript
	Waits   bool // there is await at its top level: the value of the program is a promise of main
	Imports []Import
}

// what is put around the code at the top level, so that it may await and return.
const (
	mainBegins, mainEnds   = "async function main(input) {{", "\n}}"
	aloneBegins, aloneEnds = "(async function () {", "\n; return main; })()"
)

// Read reads a script that the engine's parser does not, or that has no main. The error is an *Error.
func Read(code string) (*Script, error) {
	s := &Script{Code: code}
	list := tokens(code)
	t := textOf(code)
	if strings.HasPrefix(code, "#!") {
		end := nextLine(code, 0)
		if end < 0 {
			end = len(code)
		}
		t = t.apply([]edit{{0, end, ""}})
		list = tokens(t.s)
	}
	l, err := link(t.s, list)
	if err != nil {
		return nil, err
	}
	all := list
	if first := l.files[""]; first != nil {
		list = first.list
	}
	m, err := readModule(t.s, list)
	if err != nil {
		return nil, err
	}
	if err := m.linked(l); err != nil {
		return nil, err
	}
	if err := m.readAtRun(all); err != nil {
		return nil, err
	}
	s.Module = m.is
	calls := callsMain(list)
	hasMain := m.main || !calls && (definesMain(list) || assignsExports(list))
	if !hasMain && !calls {
		for _, name := range m.names {
			if slices.Contains(entries, name.text) {
				hasMain = true
				m.edits = append(m.edits, edit{len(t.s), len(t.s), "\n; var main = " + name.text + ";"})
				break
			}
		}
	}
	if !hasMain {
		m.edits = append(m.edits, lastCatch(list)...)
	}
	t = t.apply(m.edits)
	wrap := func(t text) text {
		begins, ends := mainBegins, mainEnds
		if hasMain {
			begins, ends = aloneBegins, aloneEnds
		}
		return t.apply([]edit{{0, 0, begins}, {len(t.s), len(t.s), ends}})
	}
	if !hasMain {
		if err := noNamespace(list); err != nil {
			return nil, err
		}
		t = wrap(t)
	}
	// JavaScript first: what is both means the same in both, but for <T>x.
	typed := false
	check := func() error {
		_, err := build(t, api.LoaderJS, false)
		if err == nil {
			return nil
		}
		if _, asTypes := build(t, api.LoaderTS, false); asTypes == nil {
			typed = true
			return nil
		} else if later(asTypes, err) {
			return asTypes
		}
		return err
	}
	err = check()
	var failed *Error
	if err != nil && hasMain && errors.As(err, &failed) && (strings.HasPrefix(failed.Message, "Top-level") || strings.Contains(failed.Message, "await")) {
		s.Waits = true
		if err := noNamespace(list); err != nil {
			return nil, err
		}
		t = wrap(t)
		err = check()
	}
	if err != nil {
		return nil, err
	}
	s.Typed = typed
	if typed {
		if t, err = erase(t); err != nil {
			return nil, err
		}
		m.unused(tokens(t.s))
	}
	s.Imports = m.imports
	s.Plain = t.plain(len(code))
	if err := s.parse(t); err != nil {
		return nil, err
	}
	s.Main = hasMain || Does(body(s.Tree))
	return s, nil
}

// noNamespace refuses what may stand at the top level of a file only, where that is put into a function.
func noNamespace(list []token) error {
	for i, t := range list {
		if t.depth > 0 || !t.line || i+2 >= len(list) {
			continue
		}
		j := i
		for j+2 < len(list) && (list[j].text == "export" || list[j].text == "declare") {
			j++
		}
		switch t := list[j]; {
		case t.text == "namespace" && list[j+1].kind == word && (list[j+2].text == "{" || list[j+2].text == "."):
			return at(t, "namespace is not supported beside code that runs at the top level: put that code into main, or write const %s = { … }", list[j+1].text)
		case j > i && t.text == "global" && list[j+1].text == "{":
			return at(t, "declare global is not supported beside code that runs at the top level: put that code into main")
		}
	}
	return nil
}

// body are the statements of a top level that was made main.
func body(tree *ast.Program) []ast.Statement {
	for _, statement := range tree.Body {
		if f, ok := statement.(*ast.FunctionDeclaration); ok && len(f.Function.Body.List) == 1 {
			if block, ok := f.Function.Body.List[0].(*ast.BlockStatement); ok {
				return block.List
			}
		}
	}
	return nil
}

// Does says that a list of statements does something besides declaring what others may use: a script
// without main that does something is main itself.
func Does(list []ast.Statement) bool {
	for _, statement := range list {
		switch s := statement.(type) {
		case *ast.FunctionDeclaration, *ast.ClassDeclaration, *ast.EmptyStatement:
		case *ast.VariableStatement:
			if awaits(s.List) {
				return true
			}
		case *ast.LexicalDeclaration:
			if awaits(s.List) {
				return true
			}
		case *ast.ExpressionStatement:
			if _, directive := s.Expression.(*ast.StringLiteral); !directive {
				return true
			}
		default:
			return true
		}
	}
	return false
}

func awaits(list []*ast.Binding) bool {
	for _, binding := range list {
		if _, is := binding.Initializer.(*ast.AwaitExpression); is {
			return true
		}
	}
	return false
}

// later says that an error is further down in the script than another one: who wrote TypeScript is told
// of its fault, not of its types.
func later(one, other error) bool {
	var a, b *Error
	return errors.As(one, &a) && errors.As(other, &b) && a.Offset > b.Offset
}

// parse makes the trees of a text.
func (s *Script) parse(t text) error {
	list := tokens(t.s)
	like := t.apply(withoutAsync(list))
	var err error
	if s.Tree, err = parse(like.s, s.Code, like.source); err == nil && like.s == t.s && !Lowers(t.s) {
		s.Run, s.Text = s.Tree, t.s
		return nil
	}
	made, failed := lower(t)
	if failed != nil {
		return failed
	}
	if unknown := unsupported(list, t); err != nil && unknown != nil {
		return unknown
	}
	in := made.placesIn(t.s)
	s.Run, failed = parse(made.code, s.Code, func(at int) int {
		if at = in(at); at < 0 {
			return at
		}
		return t.source(at)
	})
	if failed != nil {
		if err == nil {
			err = failed
		}
		return err // of the script as it was written
	}
	s.Text, s.Lowered = made.code, true
	if s.Tree == nil {
		s.Tree = s.Run
	}
	return nil
}

// unsupported finds what neither the engine nor this package knows, in a text that the engine's parser does not read.
func unsupported(list []token, t text) error {
	for i, one := range list {
		next, after := token{line: true}, token{}
		if i+2 < len(list) {
			next, after = list[i+1], list[i+2]
		}
		one.start = t.source(one.start)
		switch {
		case one.kind == word && one.text[0] == '@' && (i == 0 || list[i-1].text != "/"):
			return at(one, "decorators are not supported: write out what %s does where it is used", one.text)
		case one.text == "using" && !next.line && next.kind == word && (after.text == "=" || after.text == "of"):
			return at(one, "using is not supported: write const %s, and end it in a finally", next.text)
		}
	}
	return nil
}

// asyncGenerator finds what the engine's parser reads and its compiler does not; it may also be in a text.
var asyncGenerator = regexp.MustCompile(`async(\s+function)?\s*\*`)

// privateIn finds #name in object, which the engine does not compile where && or || follows.
var privateIn = regexp.MustCompile(`#[\pL_$][\pL\pN_$]*\s+in\b`)

// Lowers says that a script that the engine's parser reads may have what the engine does not run.
func Lowers(code string) bool { return asyncGenerator.MatchString(code) || privateIn.MatchString(code) }

// withoutAsync makes of for await a for, and of an async generator that is a method, which the engine's
// parser does not read, an async method.
func withoutAsync(list []token) []edit {
	var edits []edit
	for i, t := range list {
		switch {
		case t.text == "await" && i > 0 && list[i-1].text == "for" && i+1 < len(list) && list[i+1].text == "(":
			edits = append(edits, edit{t.start, t.end, ""})
		case t.text == "*" && i > 0 && list[i-1].text == "async":
			edits = append(edits, edit{t.start, t.end, ""})
			edits = append(edits, withoutYields(list[i+1:], t.depth)...)
		}
	}
	return edits
}

// endsYield is what stands after a yield that has no value.
const endsYield = ")]},;:"

// withoutYields takes the yields out of a method: its body are the first braces behind parentheses.
func withoutYields(list []token, depth int) []edit {
	var edits []edit
	body := false
	for i, t := range list {
		switch {
		case !body:
			body = t.text == "{" && t.depth == depth && i > 0 && list[i-1].text == ")"
		case t.text == "}" && t.depth == depth:
			return edits
		case t.text == "yield" && list[i-1].text != "." && i+1 < len(list):
			next, with := list[i+1], ""
			if next.line || strings.Contains(endsYield, next.text) {
				with = "0"
			}
			end := t.end
			if next.text == "*" {
				end = next.end
			}
			edits = append(edits, edit{t.start, end, with})
		}
	}
	return edits
}

// Exports says that a script hands over what runs as CommonJS does: module.exports = main, exports.run = …
func Exports(code string) bool {
	return strings.Contains(code, "exports") && assignsExports(tokens(first(code)))
}

func assignsExports(list []token) bool {
	for i, t := range list {
		if t.text != "exports" || t.kind != word || t.depth > 0 || i+1 >= len(list) {
			continue
		}
		ofModule := i > 1 && list[i-1].text == "." && list[i-2].text == "module" && (i == 2 || list[i-3].text != ".")
		switch next := list[i+1].text; {
		case ofModule && (next == "=" || next == "."):
			return true
		case next == "." && (i == 0 || list[i-1].text != "." && list[i-1].text != "?.") && i+3 < len(list) && list[i+3].text == "=":
			return true
		}
	}
	return false
}

// definesMain says that something at the top level is called main.
func definesMain(list []token) bool {
	for i, t := range list {
		if t.text != mainName || t.kind != word || t.depth > 0 || i+1 >= len(list) {
			continue
		}
		switch next := list[i+1].text; {
		case i > 0 && (list[i-1].text == "function" || list[i-1].text == "*"):
			return true
		case next == "=" || next == ":":
			return true
		}
	}
	return false
}
