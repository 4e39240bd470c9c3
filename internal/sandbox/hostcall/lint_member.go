package hostcall

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// probe is what a script is asked with: of each place, whether it is there, and what stands beside it.
const probe = `function main() {
	const get = (f) => { try { return f(); } catch { return undefined; } };
	const names = (of) => {
		const found = new Set();
		for (; of && of !== Object.prototype && of !== Object.getPrototypeOf(get); of = Object.getPrototypeOf(of)) Object.getOwnPropertyNames(of).forEach((name) => found.add(name));
		['length', 'name', 'prototype', 'constructor', 'arguments', 'caller'].forEach((name) => found.delete(name));
		return [...found].sort();
	};
	return [%s].map(([of, member]) => (get(of) == null || get(member) !== undefined ? null : names(get(of))));
}`

// missingMember finds what must fail: a call of what a global or a module does not have, as in web.get(…), or a look
// into it, as in process.argv[2]. A member that the script tests for before it uses it, or sets, is left alone. The
// engine is asked for the members that exist.
func missingMember(s *script.Source, guarded map[string]bool) error {
	var (
		found   []*ast.DotExpression
		paths   []string
		asked   = map[string]bool{}
		imports = map[string]string{}
	)
	for _, node := range s.Nodes {
		dot, is := node.(*ast.DotExpression)
		if !is {
			continue
		}
		root, path := pathOf(dot)
		if root == nil || guarded[root.Name.String()] {
			continue
		}
		module, is := moduleOf(s, root)
		if !is && (s.Scopes.Bindings[root] != nil || !isGlobal(root.Name.String())) {
			continue
		}
		if !mustBeThere(s, dot) {
			asked[path] = true
			continue
		}
		if module != "" {
			imports[root.Name.String()] = module
		}
		if !slices.Contains(paths, path) {
			found, paths = append(found, dot), append(paths, path)
		}
	}
	if len(found) == 0 {
		return nil
	}
	var code, list strings.Builder
	for name, module := range imports {
		fmt.Fprintf(&code, "const %s = require(%s);\n", name, script.Quote(module))
	}
	for _, path := range paths {
		fmt.Fprintf(&list, "[() => %s, () => %s],", path[:strings.LastIndexByte(path, '.')], path)
	}
	fmt.Fprintf(&code, probe, list.String())
	beside := probed(code.String())
	if len(beside) != len(paths) {
		return nil // a run says what is wrong with it
	}
	for i, path := range paths {
		if beside[i] != nil && !asked[path] {
			return lintError(s, found[i], "%s is not there: %s", path, adviceForMember(path, beside[i]))
		}
	}
	return nil
}

// probed is what a probe found; nothing if it failed.
func probed(code string) (beside [][]string) {
	outcome, err := process.InProcess{Bindings: Bindings()}.Run(context.Background(), sandbox.Execution{Code: code, Clock: time.UnixMilli(0)}, nil)
	if err != nil || outcome.Error != nil || json.Unmarshal(outcome.Output, &beside) != nil {
		return nil
	}
	return beside
}

// pathOf is where a chain of members begins, and its text; nil if it begins with no name, or looks whether something is there.
func pathOf(dot *ast.DotExpression) (*ast.Identifier, string) {
	switch left := dot.Left.(type) {
	case *ast.Identifier:
		return left, left.Name.String() + "." + dot.Identifier.Name.String()
	case *ast.DotExpression:
		root, path := pathOf(left)
		return root, path + "." + dot.Identifier.Name.String()
	}
	return nil, ""
}

// moduleOf is the module of ours that a name stands for as a whole. Those of others take long to begin, and the compiler knows
// their types.
func moduleOf(s *script.Source, name *ast.Identifier) (string, bool) {
	module := ""
	if one, is := s.Imported[name.Name.String()]; is && (one.Name == "*" || one.Name == "default") {
		module = one.Module
	} else if binding := s.Scopes.Bindings[name]; binding != nil && binding.Kind == "const" {
		if call, is := binding.Init.(*ast.CallExpression); is {
			module, _ = s.Required(call)
		}
	}
	return module, slices.ContainsFunc(engine.Libraries(), func(l engine.Library) bool {
		return l.Origin == "" && slices.Contains(l.Names(), module)
	})
}

// mustBeThere says that what a member is used for fails if it is undefined.
func mustBeThere(s *script.Source, dot *ast.DotExpression) bool {
	switch parent := s.Parents[dot].(type) {
	case *ast.CallExpression:
		return parent.Callee == ast.Expression(dot)
	case *ast.NewExpression:
		return parent.Callee == ast.Expression(dot)
	case *ast.DotExpression:
		return parent.Left == ast.Expression(dot)
	case *ast.BracketExpression:
		return parent.Left == ast.Expression(dot)
	}
	return false
}

// mostNames is how many names one is told that a thing has.
const mostNames = 14

func adviceForMember(path string, beside []string) string {
	dot := strings.LastIndexByte(path, '.')
	of, name := path[:dot], path[dot+1:]
	if use, known := insteadOfMember[path]; known {
		return use
	}
	for _, one := range beside {
		if near(strings.ToLower(name), strings.ToLower(one)) {
			return "is it " + of + "." + one + "?"
		}
	}
	if len(beside) > mostNames || len(beside) == 0 {
		return "docs/scripts.md lists what there is"
	}
	return fmt.Sprintf("%s has %s", of, strings.Join(beside, ", "))
}

// insteadOfMember is advice about members that other places have.
var insteadOfMember = map[string]string{
	"process.stdin": "what a script is given is input",
	"web.get":       "use web.getJSON, or web.fetch for what is no JSON", "web.post": "use web.postJSON, or web.fetch with method: 'POST'",
	"web.put": "use web.postJSON with {method: 'PUT'}", "web.patch": "use web.postJSON with {method: 'PATCH'}", "web.delete": "use web.fetch with {method: 'DELETE'}",
	"files.exists": "files.stat throws LogicError if a file is not there", "files.readJSON": "use JSON.parse(await files.read(path))", "files.writeJSON": "use files.write(path, JSON.stringify(value))",
}

// ofResponse are members that a Response of fetch has, or an answer of axios, and what web.fetch gives does not.
var ofResponse = map[string]string{
	"json": "JSON.parse(%s.body)", "text": "%s.body", "data": "JSON.parse(%s.body)", "ok": "%s.status < 400", "statusCode": "%s.status", "statusText": "%s.status",
	"arrayBuffer": "%s.body", "blob": "%s.body",
}

// noResponse finds who takes what web.fetch gives for a Response.
func noResponse(s *script.Source, dot *ast.DotExpression) error {
	name, is := dot.Left.(*ast.Identifier)
	if !is {
		return nil
	}
	binding, member := s.Scopes.Bindings[name], dot.Identifier.Name.String()
	use, known := ofResponse[member]
	if binding == nil || binding.Kind != "const" || !known || s.Assigned(dot) {
		return nil
	}
	await, is := binding.Init.(*ast.AwaitExpression)
	if !is {
		return nil
	}
	call, is := await.Argument.(*ast.CallExpression)
	if !is || script.Callee(call) != webapi.Fetch || slices.ContainsFunc(binding.Uses, func(use ast.Node) bool { return s.Assigned(s.Parents[use]) }) {
		return nil
	}
	return lintError(s, dot, "web.fetch gives {status, headers, body}, without %s: write "+use+", or use fetch, which gives a Response", member, name.Name)
}
