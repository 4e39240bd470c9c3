package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// scriptName is the file name in stack traces of scripts.
const scriptName = "script.js"

// typedName is what people are told of a script in TypeScript.
const typedName = "script.ts"

// Check says whether a script can be run: it parses, and defines a main. The error is a
// *SyntaxError. Nothing of the script is executed.
func Check(code string) error {
	s, err := load(code)
	if err != nil {
		return err
	}
	if !s.main {
		return &sandbox.SyntaxError{Message: noMain}
	}
	if s.refused != nil {
		return s.refused
	}
	return nil
}

// script is a script that compiled.
type script struct {
	code    string
	tree    *ast.Program // what it says
	program *goja.Program
	main    bool                // something at the top level is called main, or the top level is it
	async   bool                // there is an async function in it
	yields  bool                // there is a generator in it
	waits   bool                // its top level awaits: the program's value is a promise of main
	typed   bool                // it is TypeScript
	timed   bool                // it may wait for several things at once
	imports map[string]imported // what it takes from libraries, by its own names
	globals globalUses
	lock    *packages.Lock       // of the packages that it takes; nil if there are none
	refused *sandbox.SyntaxError // why it can be saved no more: scripts that are there run on, with a regular expression that throws where it is used

	exports   bool // it hands over what runs as module.exports
	callsMain bool // its top level is what runs, and calls a main of its own

	promiseFree *promiseFree // nil if it is not
	statements  sync.Map     // by their places, those that a fingerprint was made of

	polyfills []polyfill // that it needs
}

// scripts holds what was compiled last. Compiled programs are immutable and shared by
// all runtimes of the process.
var scripts = lru.New[string, *script](64)

// load parses and compiles a script, or finds it in the cache. The error is a *SyntaxError.
func load(code string) (*script, error) {
	if s, ok := scripts.Get(code); ok {
		return s, nil
	}
	s, err := compile(code)
	if err != nil {
		return nil, err
	}
	scripts.Put(code, s)
	return s, nil
}

// parse has the engine's parser read a script. It panics on some texts, also on some that are right.
func parse(code string) (*ast.Program, error) { return parseNamed(scriptName, code) }

func parseNamed(name, code string) (tree *ast.Program, err error) {
	defer gaveUp(&err)
	// Source maps are off because a comment in the script would make the parser open
	// files of this machine.
	return parser.ParseFile(nil, name, code, 0, parser.WithDisableSourceMaps)
}

func gaveUp(err *error) {
	if fault := recover(); fault != nil {
		*err = &sandbox.SyntaxError{Message: fmt.Sprintf("the engine cannot read it (%v): a name with letters beyond ASCII behind ... in a list does that; write what is unusual in a simpler way", fault)}
	}
}

func compile(code string) (s *script, err error) {
	defer gaveUp(&err)
	if err := refuse(code); err != nil {
		return nil, err
	}
	s = &script{code: code, timed: namesTimers(code), polyfills: polyfillsFor(code), globals: newGlobalUses(), lock: packages.LockOf(code)}
	tree, err := parse(code)
	runs, strict := tree, false
	if err == nil {
		s.tree, s.main = tree, definesMain(tree)
	}
	s.callsMain = transpile.CallsMain(code)
	s.main = s.main && !s.callsMain
	s.exports = !s.main && !s.callsMain && transpile.Exports(code)
	s.main = s.main || s.exports
	if err != nil || s.callsMain || len(packages.Split(code)) > 1 || transpile.Lowers(code) || !s.main && transpile.Does(tree.Body) && !namesMain.MatchString(code) {
		read, failed := transpile.Read(code)
		if failed != nil {
			return nil, worse(code, err, failed)
		}
		s.tree, runs, s.main, s.waits, s.typed, strict = read.Tree, read.Run, read.Main, read.Waits, read.Typed, read.Module
		if s.imports, err = s.resolveImports(code, read.Imports); err != nil {
			return nil, err
		}
	}
	// The code of a library may have such functions, and so the roads to their constructors.
	s.async = len(s.imports) > 0 || strings.Contains(code, "require") || strings.Contains(code, "//# file ")
	s.yields = s.async
	fixSyntax(code, runs)
	deepest, literals := 0, false
	var unknown *sandbox.SyntaxError
	unless := func(err error, at file.Idx) {
		if err != nil && unknown == nil {
			unknown = &sandbox.SyntaxError{Message: err.Error()}
			unknown.Line, unknown.Column = position(code, int(at)-1)
		}
	}
	walk(runs, func(node ast.Node, depth int) bool {
		s.globals.see(node)
		switch node := node.(type) {
		case *ast.RegExpLiteral:
			literals = true
			if err := checkPattern(node.Pattern, node.Flags); err != nil && s.refused == nil {
				s.refused = &sandbox.SyntaxError{Message: err.Error()}
				s.refused.Line, s.refused.Column = position(code, int(node.Idx)-1)
			}
		case *ast.DotExpression:
			unless(noLastMatch(node.Left, string(node.Identifier.Name)), node.Idx0())
		case *ast.BracketExpression:
			if name, is := node.Member.(*ast.StringLiteral); is {
				unless(noLastMatch(node.Left, string(name.Value)), node.Idx0())
			}
		case *ast.FunctionLiteral:
			s.async = s.async || node.Async
			s.yields = s.yields || node.Generator
		case *ast.ArrowFunctionLiteral:
			s.async = s.async || node.Async
		}
		deepest = max(deepest, depth)
		return depth <= maxDepth
	})
	if deepest > maxDepth {
		return nil, &sandbox.SyntaxError{Message: fmt.Sprintf("expressions or blocks are nested more than %d deep", maxDepth)}
	}
	if unknown != nil {
		return nil, unknown
	}
	if literals {
		s.polyfills = forLiterals(s.polyfills)
	}
	s.program, err = goja.CompileAST(runs, strict)
	if err != nil {
		return nil, syntaxError(code, err)
	}
	if s.lock != nil { // nobody has looked what they do
		s.globals.all, s.timed, s.async, s.yields = true, true, true, true
	}
	s.promiseFree = compilePromiseFree(s, runs, strict)
	return s, nil
}

// lastMatch are the properties of RegExp that tell of the last match in old engines and in Node. Here they would be
// undefined without a word.
var lastMatch = lazyregexp.New(`^(\$[1-9&+_'` + "`" + `]|input|lastMatch|lastParen|leftContext|rightContext)$`)

func noLastMatch(object ast.Expression, name string) error {
	if class, is := object.(*ast.Identifier); !is || class.Name != "RegExp" || !lastMatch.MatchString(name) {
		return nil
	}
	return fmt.Errorf("there is no RegExp.%s: take it from what exec or match gives, as in const [, first] = /(a)/.exec(text)", name)
}

// namesMain finds scripts that may define main by its name, which only a run can tell.
var namesMain = lazyregexp.New("['\"`]main['\"`]")

// worse is what to say of a script that neither the engine's parser nor the one that knows TypeScript
// understands: whoever came further knows better what is meant.
func worse(code string, err, failed error) error {
	var transpiled *transpile.Error
	if !errors.As(failed, &transpiled) {
		return &sandbox.SyntaxError{Message: failed.Error()}
	}
	found := &sandbox.SyntaxError{Message: transpiled.Message}
	if transpiled.Offset >= 0 {
		found.Line, found.Column = position(code, transpiled.Offset)
	}
	if err == nil || transpiled.Offset < 0 || transpiled.Known {
		return found
	}
	first := syntaxError(code, err)
	if first.Message == "Unexpected reserved word" || first.Message == "Unexpected identifier" || // import, export
		found.Line > first.Line || found.Line == first.Line && found.Column > first.Column {
		return found
	}
	return first
}

func syntaxError(code string, err error) *sandbox.SyntaxError {
	var (
		found    *sandbox.SyntaxError
		list     parser.ErrorList
		compiler *goja.CompilerSyntaxError
		refers   *goja.CompilerReferenceError
	)
	at := func(f *file.File, offset int, message string) *sandbox.SyntaxError {
		if f == nil {
			return &sandbox.SyntaxError{Message: message}
		}
		p := f.Position(offset)
		return &sandbox.SyntaxError{Line: p.Line, Column: p.Column, Message: message}
	}
	switch {
	case errors.As(err, &list) && len(list) > 0:
		first := list[0]
		found = &sandbox.SyntaxError{Line: first.Position.Line, Column: first.Position.Column, Message: first.Message}
	case errors.As(err, &compiler):
		found = at(compiler.File, compiler.Offset, compiler.Message)
	case errors.As(err, &refers):
		found = at(refers.File, refers.Offset, refers.Message)
	default:
		found = &sandbox.SyntaxError{Message: err.Error()}
	}
	if strings.HasPrefix(found.Message, "Compiler bug") {
		found.Message += ": the engine cannot compile what is here, though it is right: write it as smaller functions"
	}
	if hint := hintAt(code, found.Message, found.Line, found.Column); hint != "" {
		found.Message += ": " + hint
	}
	return found
}

// hintAt explains what people and models often write and this engine does not run.
func hintAt(code, message string, line, column int) string {
	at := offset(code, line, column)
	if strings.HasSuffix(strings.TrimSpace(code[:at]), "await") {
		return "await needs an async function around it"
	}
	if strings.HasPrefix(message, "Invalid flags") {
		return "there are g, i, m, s, u and y"
	}
	return ""
}

// offset is the place of a 1-based line and byte column in the code, clamped to it.
func offset(code string, line, column int) int {
	at := 0
	for n := 1; n < line; n++ {
		next := strings.IndexByte(code[at:], '\n')
		if next < 0 {
			return len(code)
		}
		at += next + 1
	}
	return min(at+max(column-1, 0), len(code))
}

// position is the 1-based line and byte column of an offset.
func position(code string, at int) (line, column int) {
	p := file.NewFile(scriptName, code, 1).Position(min(at, len(code)))
	return p.Line, p.Column
}

const (
	mainName = "main"
	noMain   = "there is no main: define async function main(input) { … }"
)

func definesMain(tree *ast.Program) bool {
	for _, statement := range tree.Body {
		switch s := statement.(type) {
		case *ast.FunctionDeclaration:
			if s.Function.Name != nil && s.Function.Name.Name == mainName {
				return true
			}
		case *ast.VariableStatement:
			if bindsMain(s.List) {
				return true
			}
		case *ast.LexicalDeclaration:
			if bindsMain(s.List) {
				return true
			}
		case *ast.ExpressionStatement:
			if assignsMain(s.Expression) {
				return true
			}
		}
	}
	return false
}

func bindsMain(list []*ast.Binding) bool {
	for _, binding := range list {
		if id, ok := binding.Target.(*ast.Identifier); ok && id.Name == mainName {
			return true
		}
	}
	return false
}

func assignsMain(expression ast.Expression) bool {
	assign, ok := expression.(*ast.AssignExpression)
	if !ok {
		return false
	}
	switch left := assign.Left.(type) {
	case *ast.Identifier:
		return left.Name == mainName
	case *ast.DotExpression: // globalThis.main = …
		return left.Identifier.Name == mainName && !isExports(left.Left)
	}
	return false
}

// isExports says that an expression is exports or module.exports: a main among its members is handed over, and not defined.
func isExports(expression ast.Expression) bool {
	switch of := expression.(type) {
	case *ast.Identifier:
		return of.Name == "exports"
	case *ast.DotExpression:
		module, is := of.Left.(*ast.Identifier)
		return is && module.Name == "module" && of.Identifier.Name == "exports"
	}
	return false
}

// The parser and compiler are recursive, and slow on some nestings: without these bounds
// a script of a few kilobytes would keep a process busy for ever, or end it. Real scripts
// stay far below all of them.
const (
	maxDepth    = 1000 // of the syntax tree
	maxBrackets = 400  // open at once
	maxArrows   = 4000 // arrow functions; the parser is quadratic in nested ones
	maxLabels   = 500  // of one statement
	// maxParsedAgain is how many bytes may be parsed again because they turn out to be the
	// parameters of an arrow function; each such list inside another one doubles that. Real scripts of that size have a few
	// thousand.
	maxParsedAgain = 64 << 10
)

// refuse finds, without parsing, what would make parsing itself dangerous. It looks at
// characters, not tokens: against a script written to get past it only a worker helps.
func refuse(code string) error {
	if len(code) > sandbox.MaxCodeBytes {
		return &sandbox.SyntaxError{Message: fmt.Sprintf("the script has %d bytes, more than %d", len(code), sandbox.MaxCodeBytes)}
	}
	type group struct {
		start int // its bracket
		lists int // bytes of the parentheses in it that an arrow may make parameters of
		again int // bytes that are parsed again
	}
	var (
		open   = make([]group, 1, 32) // the first is the script
		arrows int
		labels int
	)
	for i := range len(code) {
		switch b := code[i]; b {
		case '(', '[', '{':
			if open = append(open, group{start: i}); len(open) > maxBrackets+1 {
				return &sandbox.SyntaxError{Message: fmt.Sprintf("brackets are nested more than %d deep", maxBrackets)}
			}
		case ')', ']', '}':
			if len(open) == 1 {
				continue
			}
			closed := open[len(open)-1]
			open = open[:len(open)-1]
			around := &open[len(open)-1]
			around.again += closed.again
			if b == ')' {
				around.lists += i - closed.start + closed.again
			}
		case '>':
			if i == 0 || code[i-1] != '=' {
				continue
			}
			if arrows++; arrows > maxArrows {
				return &sandbox.SyntaxError{Message: fmt.Sprintf("there are more than %d arrow functions", maxArrows)}
			}
			around := &open[len(open)-1]
			around.again, around.lists = around.again+around.lists, 0
			if around.again > maxParsedAgain {
				return &sandbox.SyntaxError{Message: "parameter lists of arrow functions are nested too deep"}
			}
		}
		switch b := code[i]; {
		case b == ':':
			if labels++; labels > maxLabels {
				return &sandbox.SyntaxError{Message: fmt.Sprintf("a statement has more than %d labels", maxLabels)}
			}
		case b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '_' || b == '$' || b >= 0x80 ||
			b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9':
		default:
			labels = 0 // anything that cannot be part of a run of labels
		}
	}
	return nil
}
