package hostcall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/script"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// Lint says what of a script that somebody saves could not go well, although it can be run: names that
// are nowhere, and a main that is called twice. A script that is there already is not asked: a run shows
// what is wrong with it, and that is mended. The error is a *sandbox.SyntaxError. The script must have
// passed [engine.Check].
func Lint(code string) error {
	if strings.HasPrefix(strings.TrimSpace(code), "```") {
		return &sandbox.SyntaxError{Line: 1, Column: 1, Message: "``` is how Markdown marks code: leave out the lines with it"}
	}
	s, err := script.Parse(code)
	if parses := err == nil; !parses {
		return nil // running it reports the syntax error
	}
	if call := callOfMain(s); call != nil && !transpile.CallsMain(code) {
		return lintError(s, call, "main is called here and then once more by the host, with the run's input, so that everything is done twice: leave this call out, or have main take nothing")
	}
	for _, node := range s.Nodes {
		if dot, is := node.(*ast.DotExpression); is {
			if err := noResponse(s, dot); err != nil {
				return err
			}
		}
		call, ok := node.(*ast.CallExpression)
		if !ok {
			continue
		}
		if module, spelled := s.Required(call); spelled {
			if err := engine.CheckModule(code, module); err != nil {
				return lintError(s, call, "%s", err)
			}
		}
	}
	guarded := guardedNames(s)
	for _, node := range s.Scopes.Unresolved {
		name := script.NameOf(node)
		if _, imported := s.Imported[name]; imported || guarded[name] || isGlobal(name) || inWith(s, node) {
			continue
		}
		return lintError(s, node, "%s is not defined: %s", name, adviceFor(s, node, name))
	}
	return missingMember(s, guarded)
}

func lintError(s *script.Source, node ast.Node, format string, values ...any) error {
	at := s.PositionOf(max(s.Start(node), 0))
	return &sandbox.SyntaxError{Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, values...)}
}

func isGlobal(name string) bool {
	if engine.IsGlobal(name) {
		return true
	}
	for _, t := range declared() {
		if root, _, _ := strings.Cut(t.Name, "."); root == name {
			return true
		}
	}
	return false
}

// Globals are the names that every script finds, those of tools among them.
func Globals() []string {
	names := engine.Globals()
	for _, t := range declared() {
		root, _, _ := strings.Cut(t.Name, ".")
		names = append(names, root)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ofEveryObject are the members of all objects, and so of the global one, too.
var ofEveryObject = []string{"hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"}

// knownNames is how a script says of names that it knows they may not be there, as linters have it: /* global window */.
var (
	knownNames = lazyregexp.New(`/\*\s*globals?\s([^*]*)\*/`)
	nameInList = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
)

// guardedNames are those that a script does not expect to be there, or makes itself: it asks for their
// type, assigns to them, or sets them on the global object.
func guardedNames(s *script.Source) map[string]bool {
	names := map[string]bool{"arguments": true}
	for _, name := range ofEveryObject {
		names[name] = true
	}
	for _, said := range knownNames.FindAllStringSubmatch(s.Code, -1) {
		for _, name := range nameInList.FindAllString(said[1], -1) {
			names[name] = true
		}
	}
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.UnaryExpression:
			if n.Operator.String() == "typeof" {
				names[script.NameOf(n.Operand)] = true
			}
		case *ast.AssignExpression:
			names[script.NameOf(n.Left)] = true
			if key, ok := script.MemberKey(n.Left); ok && onGlobal(n.Left) {
				names[key] = true
			}
			if _, pattern := n.Left.(ast.Pattern); pattern {
				for _, inside := range s.Nodes {
					if _, is := inside.(*ast.Identifier); is && s.Within(inside, n.Left) {
						names[script.NameOf(inside)] = true
					}
				}
			}
		case *ast.ForIntoExpression:
			names[script.NameOf(n.Expression)] = true
		case *ast.StringLiteral:
			// Object.defineProperty(globalThis, 'x', …), 'x' in globalThis
			if s.Words["globalThis"] > 0 {
				names[n.Value.String()] = true
			}
		}
	}
	return names
}

func onGlobal(member ast.Expression) bool {
	switch object := script.MemberObject(member).(type) {
	case *ast.Identifier:
		return object.Name == "globalThis" || object.Name == "global" || object.Name == "window" || object.Name == "self"
	case *ast.ThisExpression:
		return true
	}
	return false
}

func inWith(s *script.Source, node ast.Node) bool {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		if _, is := at.(*ast.WithStatement); is {
			return true
		}
	}
	return false
}

// topLevel are the statements of the top level, also of one that awaits and so was put into a function.
func topLevel(s *script.Source) []ast.Statement {
	if len(s.Program.Body) == 1 {
		if statement, ok := s.Program.Body[0].(*ast.ExpressionStatement); ok {
			if call, ok := statement.Expression.(*ast.CallExpression); ok {
				if function, ok := call.Callee.(*ast.FunctionLiteral); ok && function.Async {
					return function.Body.List
				}
			}
		}
	}
	return s.Program.Body
}

// callOfMain is a call of main at the top level of a script that has one.
func callOfMain(s *script.Source) ast.Node {
	for _, statement := range topLevel(s) {
		expression, ok := statement.(*ast.ExpressionStatement)
		if !ok {
			continue
		}
		found := expression.Expression
		for {
			switch e := found.(type) {
			case *ast.AwaitExpression:
				found = e.Argument
				continue
			case *ast.UnaryExpression: // void main()
				found = e.Operand
				continue
			case *ast.CallExpression:
				if name, is := e.Callee.(*ast.Identifier); is && name.Name == "main" && s.Scopes.Bindings[name] != nil {
					return e
				}
				if member, is := script.Bare(e.Callee).(*ast.DotExpression); is { // main().catch(…)
					found = member.Left
					continue
				}
			}
			break
		}
	}
	return nil
}

// adviceFor says what a script has in the place of a name that is not there.
func adviceFor(s *script.Source, node ast.Node, name string) string {
	if use, ok := instead[name]; ok {
		return use
	}
	for _, one := range append(s.Scopes.Visible(node), Globals()...) {
		if len(name) > 2 && near(strings.ToLower(name), strings.ToLower(one)) {
			return "is it " + one + "?"
		}
	}
	return "declare it, write it as it is called, or say /* global " + name + " */ where it may be missing"
}

// near says that one letter, or two neighbours exchanged, make one word of the other.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i == len(a) || a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// instead is advice about names that other places have.
var instead = map[string]string{
	"axios": "use web.fetch, web.getJSON or web.postJSON", "XMLHttpRequest": "use web.fetch",
	"$": "there is no DOM and no jQuery", "jQuery": "there is no DOM", "document": "there is no DOM", "window": "there is no DOM; the global object is globalThis",
	"self": "the global object is globalThis", "global": "the global object is globalThis", "localStorage": "keep values with kv.set and kv.get", "sessionStorage": "keep values with kv.set and kv.get",
	"alert": "use notify", "confirm": "use ask", "prompt": "use ask",
	"WebSocket": "a run asks and ends: use fetch", "EventSource": "a run asks and ends: use fetch", "Worker": "a run is one thread", "Temporal": "use kintsugi:dates, which is luxon, or localTime",
	"module": "define main, or export default a function; the host calls it", "exports": "define main, or export default a function",
	"Deno": "it is not Deno; docs/scripts.md lists what there is", "Bun": "it is not Bun; docs/scripts.md lists what there is",
	"eval": "code is not made of texts here", "Function": "code is not made of texts here", "fs": "use files.read and files.write",
	"$input": "this is n8n's; use input", "$json": "this is n8n's; use input", "items": "this is n8n's; use input", "UrlFetchApp": "this is Apps Script's; use web.fetch",
	"Logger": "use console.log", "PropertiesService": "use kv.get and kv.set", "MailApp": "use notify", "GmailApp": "use notify",
}
