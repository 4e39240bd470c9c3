package gate

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// Account describes a script without running it, for a person who switches it on. It claims no more than the code
// spells out; places that only a run can tell are in Unclear.
type Account struct {
	Hosts   []string `json:"hosts"`             // in URLs, as they have them
	Writes  []string `json:"writes"`            // with * for what data decides
	Secrets []string `json:"secrets"`           // by name
	Unclear []string `json:"unclear,omitempty"` // line and what it does
}

// NewAccount reads a script.
func NewAccount(code string) (Account, error) {
	s, err := parseScript(code)
	if err != nil {
		return Account{}, err
	}
	reader := accountant{Source: s, constants: constantsOf(s), account: Account{Hosts: []string{}, Writes: []string{}, Secrets: []string{}}}
	requests := map[ast.Node]site{}
	for _, found := range sites(s) {
		if asksWeb(found.tool) {
			requests[found.at] = found
		}
	}
	for _, node := range s.Nodes {
		if t, ok := spelledTarget(node); ok {
			reader.account.Hosts = append(reader.account.Hosts, t.host)
		}
		if library := s.HandsOn(node); library != "" {
			reader.unclear(node, "%s is used otherwise than by a call of its own, so that what becomes of it cannot be told", library)
		}
		if found, ok := requests[node]; ok {
			reader.web(found)
			continue
		}
		switch n := node.(type) {
		case *ast.CallExpression:
			reader.call(n)
		case *ast.Identifier:
			reader.handedOn(n)
		case *ast.DotExpression, *ast.BracketExpression:
			if name, ok := s.Environment(n); ok {
				reader.account.Secrets = append(reader.account.Secrets, name)
			}
		}
	}
	for _, list := range []*[]string{&reader.account.Hosts, &reader.account.Writes, &reader.account.Secrets} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	reader.account.Unclear = slices.Compact(reader.account.Unclear)
	return reader.account, nil
}

type accountant struct {
	*script.Source
	constants map[string]ast.Expression
	account   Account
}

// constantsOf are the names that a script gives a value once and for all, in the whole of it.
func constantsOf(s *script.Source) map[string]ast.Expression {
	values, times := map[string]ast.Expression{}, map[string]int{}
	for _, node := range s.Nodes {
		binding, ok := node.(*ast.Binding)
		if !ok {
			continue
		}
		name, ok := binding.Target.(*ast.Identifier)
		if !ok {
			continue
		}
		times[name.Name.String()]++
		if declared, ok := s.Parents[node].(*ast.LexicalDeclaration); ok && declared.Token == token.CONST {
			values[name.Name.String()] = binding.Initializer
		}
	}
	for name, count := range times {
		if count > 1 {
			delete(values, name)
		}
	}
	return values
}

// pattern is a text as far as the code spells it, with * for what data decides.
func (r *accountant) pattern(expression ast.Expression, depth int) string {
	const deepest = 20
	switch e := expression.(type) {
	case *ast.StringLiteral:
		return e.Value.String()
	case *ast.TemplateLiteral:
		var text strings.Builder
		for i, element := range e.Elements {
			text.WriteString(element.Parsed.String())
			if i < len(e.Expressions) {
				text.WriteString(r.pattern(e.Expressions[i], depth+1))
			}
		}
		return text.String()
	case *ast.BinaryExpression:
		if e.Operator == token.PLUS {
			return r.pattern(e.Left, depth+1) + r.pattern(e.Right, depth+1)
		}
	case *ast.Identifier:
		if value := r.constants[e.Name.String()]; value != nil && depth < deepest {
			return r.pattern(value, depth+1)
		}
	}
	return "*"
}

// first is what the first argument of a call can be.
func (r *accountant) first(call *ast.CallExpression) string {
	if len(call.ArgumentList) == 0 {
		return "*"
	}
	return r.pattern(call.ArgumentList[0], 0)
}

func (r *accountant) unclear(node ast.Node, format string, values ...any) {
	r.account.Unclear = append(r.account.Unclear, fmt.Sprintf("line %d: ", r.Line(node))+fmt.Sprintf(format, values...))
}

func (r *accountant) call(call *ast.CallExpression) {
	name := r.Tool(call)
	declared, ok := hostcall.Lookup(name)
	reach, library := r.Reach(call)
	switch {
	case library && reach.Own && name != "secret":
		r.own(call, name, declared)
	case ok && declared.Effect(nil) != sandbox.Write:
	case ok && declared.Told != "":
		r.account.Writes = append(r.account.Writes, name+": "+declared.Told)
	case ok:
		r.account.Writes = append(r.account.Writes, name+" "+r.first(call))
	case name == "secret":
		if secret := r.first(call); !strings.Contains(secret, "*") {
			if reach.Own {
				secret = strings.ReplaceAll(secret, "/", ".")
			}
			r.account.Secrets = append(r.account.Secrets, secret)
			return
		}
		r.unclear(call, "a secret whose name the code puts together")
	}
}

// own tells of a library's function whose arguments are not those of what it calls.
func (r *accountant) own(call *ast.CallExpression, name string, declared *hostcall.Tool) {
	switch {
	case declared.Effect(nil) != sandbox.Write:
	case declared.Told != "":
		r.account.Writes = append(r.account.Writes, name+": "+declared.Told)
	default:
		by, _ := script.MemberKey(script.Bare(call.Callee))
		if by == "" {
			by = script.Callee(call)
		}
		r.account.Writes = append(r.account.Writes, name+" by "+by+" "+r.first(call))
	}
}

// web tells where a call of the web leads, and what it may do there.
func (r *accountant) web(found site) {
	const open = "an address that the code puts together"
	for _, w := range found.ways {
		place, ok := placeOf(strings.ReplaceAll(w.value, hole, "*"))
		if !ok {
			place = open
			r.unclear(found.at, "%s goes to %s", found.tool, open)
		}
		method := w.method
		if strings.HasPrefix(method, unknownWay) {
			method = "*"
		}
		if method != "GET" && method != "HEAD" && !strings.HasSuffix(method, " read") {
			r.account.Writes = append(r.account.Writes, method+" "+place)
		}
	}
}

// placeOf is host and path of an address whose host the code spells out in whole.
func placeOf(pattern string) (string, bool) {
	_, rest, ok := strings.Cut(pattern, "://")
	if !ok || !strings.HasPrefix(pattern, "http://") && !strings.HasPrefix(pattern, "https://") {
		return "", false
	}
	end := strings.IndexAny(rest+"/", "/?#")
	host, path := rest[:end], rest[end:]
	if u, err := url.Parse("https://" + host); err != nil || u.Host == "" || strings.ContainsAny(host, `*\`) {
		return "", false
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.ToLower(host) + path, true
}

// environment notes the secrets that a use of process names: process.env.NAME, const { NAME } = process.env. It
// says whether these are all that it can be.
func (r *accountant) environment(of *ast.DotExpression) bool {
	if of.Identifier.Name.String() != "env" {
		return true // nextTick
	}
	switch at := r.Through(of).(type) {
	case *ast.DotExpression:
		r.account.Secrets = append(r.account.Secrets, at.Identifier.Name.String())
		return true
	case *ast.Binding:
		pattern, ok := at.Target.(*ast.ObjectPattern)
		if !ok || pattern.Rest != nil {
			return false
		}
		for _, property := range pattern.Properties {
			switch p := property.(type) {
			case *ast.PropertyShort:
				r.account.Secrets = append(r.account.Secrets, p.Name.Name.String())
			case *ast.PropertyKeyed:
				r.account.Secrets = append(r.account.Secrets, r.pattern(p.Key, 0))
			}
		}
		return true
	}
	return false
}

// handedOn notes what is used otherwise than by calling it: then its calls cannot be told.
func (r *accountant) handedOn(name *ast.Identifier) {
	of := name.Name.String()
	if !hostcall.AsksWeb(of) && of != "secret" && of != "globalThis" && of != "process" && !r.IsFetch(name) {
		return
	}
	parent := r.Parents[name]
	for optional := true; optional; { // web?.getJSON
		switch parent.(type) {
		case *ast.Optional, *ast.OptionalChain:
			parent = r.Parents[parent]
		default:
			optional = false
		}
	}
	switch p := parent.(type) {
	case *ast.DotExpression:
		if script.Bare(p.Left) != ast.Expression(name) {
			return // a member of this name
		}
		if of == "process" && (r.Scopes.Bindings[name] != nil || r.environment(p)) {
			return
		}
		if _, called := r.Parents[p].(*ast.CallExpression); called && hostcall.AsksWeb(of) {
			return
		}
	case *ast.CallExpression:
		if script.Bare(p.Callee) == ast.Expression(name) {
			return
		}
	}
	r.unclear(name, "%s is used otherwise than by a call of its own, so that what becomes of it cannot be told", of)
}
