package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/script"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// packageCalls holds a fix that calls what packages of npm give otherwise than the old code does, if a package may call the host:
// nobody sees in the text of such a call where it goes, and whether it writes. A fix that reads an answer of it otherwise changes no call.
func (q *inquiry) packageCalls() []string {
	lock := packages.LockOf(q.code)
	if lock == nil || !reachesHost(lock.Digest) {
		return nil
	}
	left := map[string]int{}
	for _, call := range callsOfPackages(q.gate.old, lock) {
		left[call.shape]++
	}
	for _, call := range callsOfPackages(q.candidate, lock) {
		if left[call.shape]--; left[call.shape] < 0 {
			return []string{fmt.Sprintf("call of a package: line %d calls what a package gives otherwise than before, and packages of this script may call the host: nobody sees in the text what this one asks for", q.candidate.Line(call.at))}
		}
	}
	return nil
}

// packageCall is a call of something that a package gave, or may have given.
type packageCall struct {
	at    ast.Node
	shape string
}

// dataMethods are what arrays, texts, numbers and dates have: a call of one on what was awaited of a package is no call of the package.
var dataMethods = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range strings.Fields(`map filter forEach reduce reduceRight find findIndex findLast some every slice splice sort toSorted reverse join split trim
		includes push pop shift unshift concat flat flatMap at indexOf lastIndexOf entries toFixed toISOString getTime padStart padEnd replace replaceAll match
		matchAll startsWith endsWith toLowerCase toUpperCase toString charAt substring json text`) {
		known[name] = true
	}
	return known
}()

// callsOfPackages are the calls of what packages gave, or of what was made of it. Names are not told apart by scope.
func callsOfPackages(s *script.Source, lock *packages.Lock) []packageCall {
	g := &givenByPackages{s: s, lock: lock, names: map[string]bool{}}
	for local, one := range s.Imported {
		if lock.Module(one.Module) != nil {
			g.names[local] = true
		}
	}
	for before := -1; before < len(g.names); {
		before = len(g.names)
		for _, node := range s.Nodes {
			g.spread(node)
		}
	}
	var calls []packageCall
	for _, node := range s.Nodes {
		var parts []ast.Expression
		switch n := node.(type) {
		case *ast.CallExpression:
			parts = append([]ast.Expression{n.Callee}, n.ArgumentList...)
		case *ast.NewExpression:
			parts = append([]ast.Expression{n.Callee}, n.ArgumentList...)
		case *ast.TemplateLiteral:
			if n.Tag != nil {
				parts = append([]ast.Expression{n.Tag}, n.Expressions...)
			}
		}
		if !slices.ContainsFunc(parts, func(part ast.Expression) bool { return g.in(part, false) }) {
			continue
		}
		callee := script.Bare(parts[0])
		if key, spelled := script.MemberKey(callee); spelled && dataMethods[key] {
			if root, is := script.Bare(script.MemberLeft(callee).(ast.Expression)).(*ast.Identifier); !is || s.Imported[root.Name.String()].Module == "" {
				continue
			}
		}
		shape := ""
		for _, part := range parts {
			if isFunction(part) {
				shape += "\n=>" // what stands in it is looked at by itself
			} else {
				shape += "\n" + script.ShapeOf(part)
			}
		}
		calls = append(calls, packageCall{node, shape})
	}
	return calls
}

// givenByPackages are the names of what packages gave.
type givenByPackages struct {
	s     *script.Source
	lock  *packages.Lock
	names map[string]bool
}

// in says that something of packages stands in a node; in a function only if that is asked for.
func (g *givenByPackages) in(node ast.Node, functions bool) bool {
	if node == nil || isFunction(node) && !functions {
		return false
	}
	switch n := node.(type) {
	case *ast.Identifier:
		return !g.s.IsMember(n) && g.names[n.Name.String()]
	case *ast.CallExpression:
		if module, is := g.s.Required(n); is && g.lock.Module(module) != nil {
			return true
		}
	}
	return slices.ContainsFunc(script.Children(node), func(child ast.Node) bool { return g.in(child, functions) })
}

// spread adds the names of what is made of such, in one place of the script.
func (g *givenByPackages) spread(node ast.Node) {
	switch n := node.(type) {
	case *ast.Binding:
		if n.Initializer != nil && g.in(n.Initializer, isFunction(n.Initializer)) {
			g.add(n.Target)
		}
	case *ast.AssignExpression:
		if g.in(n.Right, isFunction(n.Right)) {
			g.add(n.Left)
		}
	case *ast.FunctionLiteral:
		if n.Name != nil && g.in(n.Body, true) {
			g.add(n.Name)
		}
	case *ast.ClassLiteral:
		if n.Name != nil && g.in(n, true) {
			g.add(n.Name)
		}
	case *ast.CallExpression: // what is handed on may be called by the name of any parameter
		if slices.ContainsFunc(n.ArgumentList, func(argument ast.Expression) bool {
			_, called := script.Bare(argument).(*ast.CallExpression)
			return !called && g.in(argument, false)
		}) {
			for _, other := range g.s.Nodes {
				if list, is := other.(*ast.ParameterList); is {
					for _, parameter := range list.List {
						g.add(parameter.Target)
					}
				}
			}
		}
	}
}

// add takes the names that stand in a pattern, or where something is assigned to.
func (g *givenByPackages) add(target ast.Node) {
	if name, is := target.(*ast.Identifier); is && !g.s.IsMember(name) {
		g.names[name.Name.String()] = true
	}
	for _, child := range script.Children(target) {
		g.add(child)
	}
}

func isFunction(node ast.Node) bool {
	switch node.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

// mostLooked is the length of a text of packages that is looked into; a longer one is taken to call the host.
const mostLooked = 1 << 20

// looked are the answers of reachesHost, by digest.
var looked = lru.New[string, bool](64)

// reachesHost says that packages may call the host: they name something of it, or the object of all globals beside the name of what asks
// the web. A text that is not at hand, or cannot be read, may.
func reachesHost(digest string) bool {
	if known, is := looked.Get(digest); is {
		return known
	}
	kept := packages.Known(digest)
	if kept == "" {
		return true
	}
	reaches := true
	if text, err := packages.Decode(kept); err == nil && len(text.Code) <= mostLooked {
		if s, err := script.Parse(text.Code); err == nil {
			reaches = slices.ContainsFunc(s.Scopes.Unresolved, func(node ast.Node) bool { return namesHost(script.NameOf(node), text.Code) }) ||
				slices.ContainsFunc(s.Nodes, requiresHost)
		}
	}
	looked.Put(digest, reaches)
	return reaches
}

func namesHost(name, code string) bool {
	switch name {
	case "fetch", "Request", "process", "secret":
		return name != "process" || strings.Contains(code, "env")
	case "globalThis", "window", "self", "global", "Function":
		return strings.Contains(code, "fetch") || strings.Contains(code, "XMLHttpRequest")
	}
	return script.HostObjects[name]
}

// requiresHost says that a call has the name of a module that calls the host as its only argument, as require has.
func requiresHost(node ast.Node) bool {
	call, is := node.(*ast.CallExpression)
	if !is || len(call.ArgumentList) != 1 {
		return false
	}
	name, is := call.ArgumentList[0].(*ast.StringLiteral)
	return is && len(script.Libraries[name.Value.String()].Calls) > 0
}
