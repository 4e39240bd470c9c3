package gate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/script"
)

// site is a place in a script that calls the host, or makes a Request to call it with.
type site struct {
	at   ast.Node
	tool string
	ways []way // none if another site says what is asked for here
	// guards are the comparisons that decide whether the call is made: their operators and constants, so
	// that a member with another name is no other guard.
	guards       string
	line, column int // where the sandbox says that a call was made
}

// way is one of the requests that a site can make, as far as the text of the script tells.
type way struct {
	method string // ? and what makes it, if it is not spelled out
	text
}

func (w way) key() string { return w.method + "\n" + w.value + "\n" + w.from }

// text is what an expression can come to: spelled out, with holes where data is.
type text struct {
	value string
	from  string // what fills the first hole
}

// noAddress is what null, true and false come to.
var noAddress = text{value: "null"}

const (
	hole       = "\x00"
	unknownWay = "?"
	// mostTexts is how many values of one expression are told apart.
	mostTexts = 16
	// mostSteps bounds the work on one script.
	mostSteps = 20000
)

// origin is the scheme and host that a value begins with, and whether they are all spelled out: the rest of the value
// cannot make another host of them.
func (t text) origin() (target, bool) {
	spelled, _, open := strings.Cut(t.value, hole)
	if !open {
		to, _ := urlTarget(strings.TrimSpace(spelled))
		return to, true
	}
	_, rest, found := strings.Cut(spelled, "://")
	if !found || !strings.ContainsAny(rest, "/?#") {
		return target{}, false
	}
	return urlTarget(strings.TrimSpace(spelled))
}

// matches says that a value is one that the text can come to.
func (t text) matches(value string) bool {
	parts := strings.Split(t.value, hole)
	if len(parts) == 1 {
		return value == t.value
	}
	rest, found := strings.CutPrefix(value, parts[0])
	if !found {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// reader finds out what expressions of a script can come to. Names are not told apart by scope: a value of one
// variable counts for all of the same name.
type reader struct {
	s       *script.Source
	defined map[string][]func() []text // what a name is set to
	objects map[string][]ast.Expression
	returns map[string][]ast.Expression // of the functions of a name
	opaque  map[string]bool             // names that are also something else
	passed  map[string]bool             // names that are handed on, or may be known by others, too
	used    map[string][]*ast.Identifier
	// requests says that the script makes Requests.
	requests bool
	busy     map[any]bool
	steps    int
}

func sites(s *script.Source) []site {
	r := &reader{
		s: s, defined: map[string][]func() []text{}, objects: map[string][]ast.Expression{}, returns: map[string][]ast.Expression{},
		opaque: map[string]bool{}, passed: map[string]bool{}, busy: map[any]bool{}, used: map[string][]*ast.Identifier{},
	}
	r.define()
	var sites []site
	for _, node := range s.Nodes {
		if made, ok := node.(*ast.NewExpression); ok && r.standard(made.Callee, "Request") {
			sites = append(sites, site{at: made, tool: script.Fetch, ways: r.ways(script.Fetch, made, made.ArgumentList), guards: guards(s, made), line: -1})
		}
		call, ok := node.(*ast.CallExpression)
		if !ok {
			continue
		}
		tool := s.Tool(call)
		if root, _, _ := strings.Cut(tool, "."); !script.HostObjects[root] {
			continue
		}
		found := site{at: call, tool: tool, guards: guards(s, call)}
		if reach, ok := s.Reach(call); ok && reach.Own {
			found.ways = r.asked(reach.Asks, call)
		} else if len(call.ArgumentList) != 1 || !r.isRequest(call.ArgumentList[0]) {
			found.ways = r.ways(tool, call, call.ArgumentList)
		}
		at := s.Program.File.Position(int(call.LeftParenthesis) - 1)
		found.line, found.column = at.Line, at.Column
		sites = append(sites, found)
	}
	return sites
}

// define collects what names are set to.
func (r *reader) define() {
	used, calls := r.used, map[*ast.Identifier]*ast.CallExpression{}
	for _, node := range r.s.Nodes {
		switch n := node.(type) {
		case *ast.CallExpression:
			if name, ok := script.Bare(n.Callee).(*ast.Identifier); ok {
				calls[name] = n
			}
		case *ast.Identifier:
			if !r.s.IsMember(n) {
				used[n.Name.String()] = append(used[n.Name.String()], n)
				r.requests = r.requests || n.Name == "Request" && r.s.Scopes.Bindings[n] == nil
			}
		}
	}
	for _, node := range r.s.Nodes {
		switch n := node.(type) {
		case *ast.Binding:
			switch r.s.Parents[n].(type) {
			case *ast.ParameterList:
				continue // with their function
			case *ast.ForIntoVar:
				r.setInto(n.Target, r.s.Parents[r.s.Parents[n]])
				continue
			}
			if _, named := n.Target.(*ast.Identifier); n.Initializer != nil || !named {
				r.set(n.Target, n.Initializer)
			}
		case *ast.ForDeclaration:
			r.setInto(n.Target, r.s.Parents[n])
		case *ast.ForIntoExpression:
			r.set(n.Expression, nil)
		case *ast.CatchStatement:
			if n.Parameter != nil {
				r.set(n.Parameter, nil)
			}
		case *ast.AssignExpression:
			switch n.Operator {
			case token.ASSIGN:
				r.set(n.Left, n.Right)
			case token.PLUS:
				r.add(n)
			default:
				r.set(n.Left, nil)
			}
		case *ast.FunctionLiteral:
			r.function(n, n.Name, n.ParameterList, used, calls)
		case *ast.ArrowFunctionLiteral:
			r.function(n, nil, n.ParameterList, used, calls)
		case *ast.Identifier:
			if r.escapes(n) {
				r.passed[n.Name.String()] = true
			}
		}
	}
}

func (r *reader) set(to ast.Node, value ast.Expression) {
	switch to := to.(type) {
	case *ast.Identifier:
		name := to.Name.String()
		if value == nil {
			r.opaque[name] = true
			return
		}
		r.objects[name] = append(r.objects[name], value)
		r.defined[name] = append(r.defined[name], func() []text { return r.texts(value) })
	case *ast.DotExpression:
		if object, ok := script.Bare(to.Left).(*ast.Identifier); ok {
			r.opaque[object.Name.String()+"."+to.Identifier.Name.String()] = true
		}
	case *ast.BracketExpression:
		if object, ok := script.Bare(to.Left).(*ast.Identifier); ok {
			r.opaque[object.Name.String()] = true
		}
	default: // a pattern
		r.setAll(to)
	}
}

// setAll says that every name in a pattern can be anything.
func (r *reader) setAll(pattern ast.Node) {
	for _, child := range append([]ast.Node{pattern}, script.Children(pattern)...) {
		switch c := child.(type) {
		case *ast.Identifier:
			r.opaque[c.Name.String()] = true
		default:
			if child != pattern {
				r.setAll(child)
			}
		}
	}
}

// setInto is the variable of a loop over a list.
func (r *reader) setInto(to ast.Node, loop ast.Node) {
	if of, ok := loop.(*ast.ForOfStatement); ok {
		if list, ok := script.Bare(of.Source).(*ast.ArrayLiteral); ok {
			for _, item := range list.Value {
				r.set(to, item)
			}
			return
		}
	}
	if name, ok := to.(*ast.Identifier); ok {
		r.opaque[name.Name.String()] = true
		return
	}
	r.setAll(to)
}

// add is name += value.
func (r *reader) add(n *ast.AssignExpression) {
	name, ok := n.Left.(*ast.Identifier)
	if !ok {
		r.set(n.Left, nil)
		return
	}
	to := name.Name.String()
	r.defined[to] = append(r.defined[to], func() []text {
		if before := r.texts(name); !sums(n.Right, before) {
			return r.joined(before, r.texts(n.Right))
		}
		return unknownText(n)
	})
}

// sums says that a number is added to numbers, as to the number of a page: the sum is no text of both.
func sums(number ast.Expression, to []text) bool {
	if _, is := script.Bare(number).(*ast.NumberLiteral); !is {
		return false
	}
	return !slices.ContainsFunc(to, func(t text) bool {
		_, err := strconv.ParseFloat(strings.ReplaceAll(t.value, hole, "0"), 64)
		return err != nil
	})
}

// function takes what a function returns, and what its parameters are called with.
func (r *reader) function(
	node ast.Node, name *ast.Identifier, parameters *ast.ParameterList, used map[string][]*ast.Identifier, made map[*ast.Identifier]*ast.CallExpression,
) {
	known := r.s.VariableName(node)
	if name != nil {
		known = name.Name.String()
	}
	if known != "" {
		r.returns[known] = append(r.returns[known], script.Returned(node)...)
	}
	var calls []*ast.CallExpression
	followed := known != "" && known != "main"
	for _, id := range used[known] {
		if call, is := made[id]; is {
			calls = append(calls, call)
		} else if binding, declares := r.s.Parents[id].(*ast.Binding); id != name && (!declares || ast.Node(binding.Initializer) != node) {
			followed = false
		}
	}
	if parameters == nil {
		return
	}
	if parameters.Rest != nil {
		r.setAll(parameters.Rest)
	}
	for i, parameter := range parameters.List {
		target, ok := parameter.Target.(*ast.Identifier)
		if !ok || !followed || len(calls) == 0 {
			r.setAll(parameter.Target)
			continue
		}
		if parameter.Initializer != nil {
			r.set(target, parameter.Initializer)
		}
		for _, call := range calls {
			spread := slices.ContainsFunc(call.ArgumentList, func(e ast.Expression) bool { _, is := e.(*ast.SpreadElement); return is })
			switch {
			case spread:
				r.opaque[target.Name.String()] = true
			case i < len(call.ArgumentList):
				r.set(target, call.ArgumentList[i])
			}
		}
	}
}

func unknownText(e ast.Node) []text {
	return []text{{value: hole, from: script.ShapeOf(e)}}
}

// texts is what an expression can come to.
func (r *reader) texts(expression ast.Expression) []text {
	if r.steps++; r.steps > mostSteps || r.busy[expression] {
		if r.steps > mostSteps {
			return []text{{value: hole, from: "too much to follow"}}
		}
		return nil // it goes round: the other values say it all
	}
	r.busy[expression] = true
	defer delete(r.busy, expression)
	found := r.textsOf(expression)
	if len(found) > mostTexts {
		return []text{{value: hole, from: "too many: " + script.ShapeOf(expression)}}
	}
	return found
}

func (r *reader) textsOf(expression ast.Expression) []text {
	switch e := script.Bare(expression).(type) {
	case *ast.StringLiteral:
		return []text{{value: strings.ReplaceAll(e.Value.String(), hole, " ")}}
	case *ast.NumberLiteral:
		return []text{{value: script.NumberText(e)}}
	case *ast.NullLiteral, *ast.BooleanLiteral:
		return []text{noAddress}
	case *ast.TemplateLiteral:
		if e.Tag != nil {
			return unknownText(e)
		}
		all := []text{{}}
		for i, element := range e.Elements {
			all = r.joined(all, []text{{value: strings.ReplaceAll(element.Parsed.String(), hole, " ")}})
			if i < len(e.Expressions) {
				all = r.joined(all, r.texts(e.Expressions[i]))
			}
		}
		return all
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.PLUS:
			left, right := r.texts(e.Left), r.texts(e.Right)
			if sums(e.Left, right) || sums(e.Right, left) {
				return unknownText(e)
			}
			return r.joined(left, right)
		case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
			return union(r.texts(e.Left), r.texts(e.Right))
		}
	case *ast.ConditionalExpression:
		return union(r.texts(e.Consequent), r.texts(e.Alternate))
	case *ast.SequenceExpression:
		return r.texts(e.Sequence[len(e.Sequence)-1])
	case *ast.AwaitExpression:
		return r.texts(e.Argument)
	case *ast.AssignExpression:
		if e.Operator == token.ASSIGN {
			return r.texts(e.Right)
		}
	case *ast.Identifier:
		return r.named(e)
	case *ast.DotExpression:
		return r.member(e)
	case *ast.BracketExpression:
		return unknownText(e)
	case *ast.CallExpression:
		return r.result(e)
	case *ast.NewExpression:
		if r.standard(e.Callee, "URL") {
			return r.url(e)
		}
	}
	return unknownText(expression)
}

func (r *reader) named(e *ast.Identifier) []text {
	name := e.Name.String()
	if r.isURL(name) {
		return r.urlNamed(e)
	}
	var all []text
	for _, value := range r.defined[name] {
		all = union(all, value())
	}
	if r.opaque[name] || len(r.defined[name]) == 0 {
		all = union(all, unknownText(e))
	}
	return all
}

// member is a value in an object that the script spells out.
func (r *reader) member(e *ast.DotExpression) []text {
	object, ok := script.Bare(e.Left).(*ast.Identifier)
	if !ok {
		return unknownText(e)
	}
	name, key := object.Name.String(), e.Identifier.Name.String()
	if key == "href" && r.isURL(name) {
		return r.urlNamed(object)
	}
	values := r.objects[name]
	if len(values) == 0 || r.opaque[name] || r.opaque[name+"."+key] || r.passed[name] {
		return unknownText(e)
	}
	var all []text
	for _, value := range values {
		literal, ok := script.Bare(value).(*ast.ObjectLiteral)
		if !ok {
			return unknownText(e)
		}
		found, whole := property(literal, key)
		if !whole || found == nil {
			return unknownText(e)
		}
		all = union(all, r.texts(found))
	}
	return all
}

// property is a value of an object literal, nil if it has none; false if the literal does not say.
func property(literal *ast.ObjectLiteral, key string) (ast.Expression, bool) {
	var found ast.Expression
	for _, one := range literal.Value {
		switch p := one.(type) {
		case *ast.PropertyShort:
			if p.Name.Name.String() == key {
				found = &p.Name
			}
		case *ast.PropertyKeyed:
			name, ok := p.Key.(*ast.StringLiteral)
			if p.Computed || !ok || p.Kind != ast.PropertyKindValue || name.Value.String() == "__proto__" {
				return nil, false
			}
			if name.Value.String() == key {
				found = p.Value
			}
		default:
			return nil, false
		}
	}
	return found, true
}

// result is what a call of the script's own function returns.
func (r *reader) result(e *ast.CallExpression) []text {
	if of, ok := script.Bare(e.Callee).(*ast.DotExpression); ok && of.Identifier.Name == "toString" && len(e.ArgumentList) == 0 {
		if name, ok := script.Bare(of.Left).(*ast.Identifier); ok && r.isURL(name.Name.String()) {
			return r.urlNamed(name)
		}
	}
	name, ok := script.Bare(e.Callee).(*ast.Identifier)
	if !ok {
		return unknownText(e)
	}
	if r.standard(name, "String") && len(e.ArgumentList) == 1 {
		return r.texts(e.ArgumentList[0])
	}
	values := r.returns[name.Name.String()]
	if len(values) == 0 || r.opaque[name.Name.String()] {
		return unknownText(e)
	}
	var all []text
	for _, value := range values {
		all = union(all, r.texts(value))
	}
	return all
}

func (r *reader) joined(left, right []text) []text {
	if len(right) == 0 || len(left) == 0 {
		return union(left, right)
	}
	if len(right) > 1 { // where it is something and nothing, nothing ends a loop, and is not asked for
		right = slices.DeleteFunc(slices.Clone(right), func(t text) bool { return t == noAddress })
	}
	if len(left)*len(right) > mostTexts {
		right = []text{{value: hole, from: "many"}}
	}
	var all []text
	for _, l := range left {
		for _, t := range right {
			both := text{value: strings.ReplaceAll(l.value+t.value, hole+hole, hole), from: l.from}
			if !strings.Contains(l.value, hole) {
				both.from = t.from
			}
			all = union(all, []text{both})
		}
	}
	return all
}

func union(a, b []text) []text {
	for _, t := range b {
		if !slices.Contains(a, t) {
			a = append(slices.Clip(a), t)
		}
	}
	return a
}

// ways are all requests that a call can make.
func (r *reader) ways(tool string, call ast.Expression, arguments []ast.Expression) []way {
	addresses := []text{{}}
	if len(arguments) > 0 {
		addresses = r.texts(arguments[0])
	}
	ways := pairs(r.methods(tool, call, arguments), addresses, call)
	for i, w := range ways {
		if w.value == hole && tool == script.Fetch && r.requests { // it may be a Request, which says more than an address
			ways[i].method = unknownWay + script.ShapeOf(call)
		}
	}
	return ways
}

func pairs(methods []string, addresses []text, call ast.Expression) []way {
	if len(addresses) == 0 {
		addresses = unknownText(call)
	}
	var ways []way
	for _, method := range methods {
		for _, address := range addresses {
			ways = append(ways, way{method, address})
		}
	}
	return ways
}

// methods are those of a web call, with read if it declares itself one. For other calls the tool says all.
func (r *reader) methods(tool string, call ast.Expression, arguments []ast.Expression) []string {
	request := declares(tool).Request
	if request == nil {
		return []string{tool}
	}
	method, at := request.Method, request.Options
	if request.Only {
		return []string{method}
	}
	for i, argument := range arguments {
		if _, is := argument.(*ast.SpreadElement); is {
			return []string{unknownWay + script.ShapeOf(call)}
		}
		if i == at {
			return r.options(argument, method)
		}
	}
	return []string{method}
}

// options are the methods that the options of a call say, method if they say none.
func (r *reader) options(expression ast.Expression, method string) []string {
	unknown := []string{unknownWay + script.ShapeOf(expression)}
	literals, ok := r.literals(expression)
	if !ok {
		return unknown
	}
	var all []string
	for _, literal := range literals {
		found := r.methodsOf(literal, method)
		if found == nil {
			return unknown
		}
		all = append(all, found...)
	}
	return all
}

// methodsOf are those that one object says; nil if it does not say.
func (r *reader) methodsOf(literal *ast.ObjectLiteral, method string) []string {
	methods, whole := r.valueOf(literal, "method", text{value: method})
	effects, both := r.valueOf(literal, "effect", text{})
	if !whole || !both {
		return nil
	}
	var all []string
	for _, m := range methods {
		for _, f := range effects {
			if strings.Contains(m.value+f.value, hole) {
				return nil
			}
			one := strings.ToUpper(m.value)
			if f.value == "read" && one != "GET" && one != "HEAD" {
				one += " read"
			}
			all = append(all, one)
		}
	}
	return all
}

// guards are the comparisons around a node that decide whether it is come to.
func guards(s *script.Source, node ast.Node) string {
	var b strings.Builder
	write := func(test ast.Node) {
		var visit func(node ast.Node)
		visit = func(node ast.Node) {
			switch n := node.(type) {
			case *ast.BinaryExpression:
				if n.Operator != token.LOGICAL_AND && n.Operator != token.LOGICAL_OR && n.Operator != token.COALESCE {
					b.WriteString(n.Operator.String() + " ")
				}
			case *ast.UnaryExpression:
				b.WriteString(n.Operator.String() + " ")
			case *ast.StringLiteral, *ast.NumberLiteral:
				word, _ := script.WordOf(n)
				b.WriteString(quote(word) + " ")
			}
			for _, child := range script.Children(node) {
				visit(child)
			}
		}
		visit(test)
		b.WriteByte(';')
	}
	for at := node; at != nil; at = s.Parents[at] {
		switch parent := s.Parents[at].(type) {
		case *ast.IfStatement:
			if parent.Test != at {
				write(parent.Test)
			}
		case *ast.ConditionalExpression:
			if parent.Test != at {
				write(parent.Test)
			}
		case *ast.BinaryExpression:
			if parent.Right == at && (parent.Operator == token.LOGICAL_AND || parent.Operator == token.LOGICAL_OR || parent.Operator == token.COALESCE) {
				write(parent.Left)
			}
		case *ast.CaseStatement:
			if parent.Test != nil && parent.Test != at {
				write(parent.Test)
			}
		}
	}
	return b.String()
}
