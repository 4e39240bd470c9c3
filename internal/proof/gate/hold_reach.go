package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// unprovenReach holds a fix that can reach further than the replays have shown: a host that it spells out, a request
// that no replay made, an address whose host is put together or that data gives, a call where no replay came, and the
// host reached in a way that cannot be followed. A fix may reach everything that the old code could: somebody wanted
// that, or a gate let it through.
func unprovenReach(q *inquiry) []string {
	if q.gate.old == nil {
		return []string{"reach unknown: the code that failed cannot be read, so nothing says what the fix reaches beyond it"}
	}
	found := slices.Concat(q.newHosts(), q.newHandles(), q.changesBuiltIns(), q.packageCalls())
	old, now := q.gate.oldSites(), sites(q.candidate)
	could := map[string]bool{}
	for _, s := range old {
		for _, w := range s.ways {
			could[w.key()], could[w.method+"\n"+w.value] = true, true
		}
	}
	for _, s := range now {
		for _, w := range s.ways {
			if asksWeb(s.tool) && !could[w.key()] {
				found = append(found, q.unprovenWay(s, w, could[w.method+"\n"+w.value])...)
			}
		}
	}
	return append(found, q.newSites(old, now)...)
}

// newHosts are in addresses that the candidate spells out.
func (q *inquiry) newHosts() []string {
	known := map[string]bool{}
	for _, node := range q.gate.old.Nodes {
		if t, ok := spelledTarget(node); ok {
			known[t.host] = true
		}
	}
	var found []string
	for _, node := range q.candidate.Nodes {
		if t, ok := spelledTarget(node); ok && !known[t.host] && !q.gate.envelope.hosts[t.host] {
			found = append(found, fmt.Sprintf("new host: line %d spells out %s, where no recorded run has been", q.candidate.Line(node), t.host))
		}
	}
	return found
}

// newHandles are uses of the host's objects other than calling their tools: nobody sees the calls that are made
// through them.
func (q *inquiry) newHandles() []string {
	before, uses := handles(q.gate.old), handles(q.candidate)
	for name, at := range uses {
		if len(at) > len(before[name]) {
			return []string{fmt.Sprintf("%s handed on: line %d uses it other than to call a tool of it, so that its calls cannot be followed", name, at[0])}
		}
	}
	for name := range uses {
		if name != "fetch" && name != "Request" && !hostcall.AsksWeb(name) {
			continue
		}
		for _, call := range script.Added[*ast.CallExpression](q.gate.old, q.candidate) {
			return []string{fmt.Sprintf("%s handed on: the script uses it other than to call a tool of it, so that nobody sees what the call in line %d does", name, q.candidate.Line(call))}
		}
	}
	return nil
}

// changesBuiltIns are places that can make something else of what is built in, more than the old code has: then
// the text of a call does not say what it does.
func (q *inquiry) changesBuiltIns() []string {
	left := len(builtInChanges(q.gate.old))
	for _, at := range builtInChanges(q.candidate) {
		if left--; left < 0 {
			return []string{fmt.Sprintf("built-in changed: line %d can make something else of what is built in, so that nobody sees what calls do", q.candidate.Line(at))}
		}
	}
	return nil
}

func builtInChanges(s *script.Source) []ast.Node {
	unbound := func(expression ast.Node) bool {
		name, ok := expression.(*ast.Identifier)
		return ok && s.Scopes.Bindings[name] == nil
	}
	var found []ast.Node
	for _, node := range s.Nodes {
		switch n := node.(type) {
		case *ast.AssignExpression:
			left := script.Bare(n.Left)
			if unbound(left) {
				found = append(found, n)
			} else if of := script.MemberLeft(left); of != nil && unbound(of) {
				found = append(found, n)
			}
		case *ast.DotExpression, *ast.BracketExpression:
			key, spelled := script.MemberKey(n)
			of, builtIn := script.Bare(script.MemberLeft(n).(ast.Expression)).(*ast.Identifier)
			if spelled && roadsToBuiltIns[key] || !spelled && builtIn && unbound(of) {
				found = append(found, n)
			}
		}
	}
	return found
}

var roadsToBuiltIns = map[string]bool{
	"prototype": true, "__proto__": true, "constructor": true, "getPrototypeOf": true, "setPrototypeOf": true,
	"defineProperty": true, "defineProperties": true,
}

// handles are the lines in which a script uses an object of the host, or all of them, other than to call it.
// Names that the script gives to something else are left out, except those of what asks the web.
func handles(s *script.Source) map[string][]int {
	own := map[string]bool{}
	for _, node := range s.Nodes {
		if binding, ok := node.(*ast.Binding); ok {
			if name, ok := binding.Target.(*ast.Identifier); ok {
				own[name.Name.String()] = true
			}
		}
	}
	found := map[string][]int{}
	for _, node := range s.Nodes {
		if library := s.HandsOn(node); library != "" {
			found[library] = append(found[library], s.Line(node))
			continue
		}
		name := ""
		switch n := node.(type) {
		case *ast.ThisExpression:
			if !inClass(s, n) {
				name = "this"
			}
		case *ast.Identifier:
			name = n.Name.String()
			if name == "Request" && s.Scopes.Bindings[n] == nil && !s.IsMember(n) {
				switch parent := s.Through(n).(type) {
				case *ast.NewExpression:
					if script.Bare(parent.Callee) == ast.Expression(n) {
						continue
					}
				case *ast.BinaryExpression:
					continue
				}
				break
			}
			if s.IsFetch(n) {
				if call, ok := s.Through(n).(*ast.CallExpression); ok && script.Bare(call.Callee) == ast.Expression(n) {
					continue
				}
				break
			}
			if s.IsMember(n) || !script.HostObjects[name] && name != "globalThis" || own[name] && !hostcall.AsksWeb(name) || callsTool(s, n) {
				continue
			}
		}
		if name != "" {
			found[name] = append(found[name], s.Line(node))
		}
	}
	return found
}

func inClass(s *script.Source, node ast.Node) bool {
	for at := s.Parents[node]; at != nil; at = s.Parents[at] {
		if _, is := at.(*ast.ClassLiteral); is {
			return true
		}
	}
	return false
}

// callsTool says that a name is there to call a tool: web in web.fetch(…), notify in notify(…).
func callsTool(s *script.Source, name *ast.Identifier) bool {
	var at ast.Node = name
	if dot, ok := s.Through(at).(*ast.DotExpression); ok {
		at = dot
	}
	call, ok := s.Through(at).(*ast.CallExpression)
	return ok && script.Callee(call) != "" && strings.SplitN(script.Callee(call), ".", 2)[0] == name.Name.String() &&
		!slices.ContainsFunc(call.ArgumentList, func(argument ast.Expression) bool { return script.Bare(argument) == ast.Expression(name) })
}

// unprovenWay says what is not shown about a request that the old code cannot make. Alike says that the old
// code makes one that spells out as much, and has something else in its holes.
func (q *inquiry) unprovenWay(s site, w way, alike bool) []string {
	line := q.candidate.Line(s.at)
	made := slices.ContainsFunc(q.made, w.made)
	to, spelled := w.origin()
	if !spelled {
		// A link of an answer, followed by a read, or asked in the words of the old code: where that may lead the run is told by its host.
		if made && (alike || w.method == "GET" || w.method == "HEAD") {
			return nil
		}
		return []string{fmt.Sprintf("address not spelled out: where %s in line %d goes is up to data or put together", s.tool, line)}
	}
	if to.host == "" {
		return nil // no address: no request is made
	}
	if strings.HasPrefix(w.method, unknownWay) && !(made && alike) {
		return []string{fmt.Sprintf("method not spelled out: how %s in line %d asks is up to data or put together", s.tool, line)}
	}
	if !made && !(w.method == "GET" && q.cameTo(s)) { // which page of a known host a read asks for is up to data
		return []string{fmt.Sprintf("unproven call: no replay made the %s of %s in line %d", w.method, cut(strings.ReplaceAll(w.value, hole, "*")), line)}
	}
	return nil
}

// cameTo says that a replay made a call of a site.
func (q *inquiry) cameTo(s site) bool {
	return slices.ContainsFunc(q.made, func(call sandbox.Call) bool { return call.Line == s.line && call.Column == s.column })
}

// made says that a call is such a request.
func (w way) made(call sandbox.Call) bool {
	args, _ := decode(call.Args).([]any)
	t, ok := webTarget(call.Tool, args)
	if !ok {
		return false
	}
	method := t.method
	if call.Effect == sandbox.Read && method != "GET" && method != "HEAD" {
		method += " read"
	}
	address, _ := args[0].(string)
	return (method == w.method || strings.HasPrefix(w.method, unknownWay)) && w.matches(address)
}

// newSites are calls where no replay came, more of their kind than the old code has where none came.
func (q *inquiry) newSites(old, now []site) []string {
	left := map[string]int{}
	for _, s := range old {
		left[s.kind()]++
	}
	var never []site
	for _, s := range now {
		if !q.cameTo(s) {
			never = append(never, s)
			continue
		}
		left[s.kind()]--
	}
	var found []string
	for _, s := range never {
		if hostcall.Of(s.tool).Harmless() {
			continue
		}
		if left[s.kind()]--; left[s.kind()] < 0 {
			found = append(found, fmt.Sprintf("unproven call: no replay came to %s in line %d", s.tool, q.candidate.Line(s.at)))
		}
	}
	return found
}

// kind identifies a site: its request, and for a write also its guards.
func (s site) kind() string {
	var b strings.Builder
	b.WriteString(s.tool)
	reads := asksWeb(s.tool)
	for _, w := range s.ways {
		b.WriteString("\n" + w.method)
		if hostcall.Of(s.tool).Told == "" {
			b.WriteString(" " + w.value)
		}
		reads = reads && (w.method == "GET" || w.method == "HEAD")
	}
	if reads {
		return b.String()
	}
	return b.String() + "\n" + s.guards
}
