package gate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// standard says that a name is a built-in's, and not one that the script has given to something.
func (r *reader) standard(expression ast.Node, name string) bool {
	id, ok := expression.(*ast.Identifier)
	return ok && id.Name.String() == name && !r.s.IsMember(id) && r.s.Scopes.Bindings[id] == nil && len(r.objects[name]) == 0 && !r.opaque[name]
}

// escapes says that an object may come to be known by more than its name where the name stands, so that who
// changes it there is not seen.
func (r *reader) escapes(name *ast.Identifier) bool {
	if r.s.IsMember(name) {
		return false
	}
	var at ast.Node = name
	for {
		parent := r.s.Through(at)
		switch p := parent.(type) {
		case *ast.ConditionalExpression:
			if script.Bare(p.Test) == at {
				return false
			}
		case *ast.BinaryExpression:
			if p.Operator != token.LOGICAL_AND && p.Operator != token.LOGICAL_OR && p.Operator != token.COALESCE {
				return false
			}
		case *ast.SequenceExpression, *ast.AwaitExpression:
		case *ast.CallExpression:
			return script.Bare(p.Callee) != at && !script.HostObjects[strings.SplitN(r.s.Tool(p), ".", 2)[0]]
		case *ast.NewExpression:
			return script.Bare(p.Callee) != at && !r.standard(p.Callee, "Request") && !r.standard(p.Callee, "URL")
		case *ast.Binding:
			return script.Bare(p.Initializer) == at
		case *ast.AssignExpression:
			return script.Bare(p.Right) == at && p.Operator != token.PLUS
		case *ast.PropertyShort:
			_, pattern := r.s.Parents[p].(*ast.ObjectPattern)
			return !pattern
		case *ast.PropertyKeyed:
			_, pattern := r.s.Parents[p].(*ast.ObjectPattern)
			return !pattern && script.Bare(p.Value) == at
		case *ast.ReturnStatement, *ast.ExpressionBody, *ast.YieldExpression, *ast.ArrayLiteral, *ast.ThrowStatement, *ast.ForInStatement, *ast.ForOfStatement:
			return true
		case *ast.TemplateLiteral:
			return p.Tag != nil
		default:
			return false
		}
		at = parent
	}
}

// literals are the objects that an expression can be, an empty one if it can be undefined; false if it can be
// something else.
func (r *reader) literals(expression ast.Expression) ([]*ast.ObjectLiteral, bool) {
	if r.busy[expression] {
		return nil, true
	}
	r.busy[expression] = true
	defer delete(r.busy, expression)
	switch e := script.Bare(expression).(type) {
	case *ast.ObjectLiteral:
		return []*ast.ObjectLiteral{e}, true
	case *ast.ConditionalExpression:
		return r.literalsOf(e.Consequent, e.Alternate)
	case *ast.Identifier:
		name := e.Name.String()
		if r.standard(e, "undefined") {
			return []*ast.ObjectLiteral{{}}, true
		}
		changed := slices.ContainsFunc([]string{"", ".method", ".effect", ".url", ".uri", ".baseURL", ".__proto__", ".hostname", ".host", ".port", ".path", ".protocol"}, func(key string) bool { return r.opaque[name+key] })
		if len(r.objects[name]) == 0 || changed || r.passed[name] {
			return nil, false
		}
		return r.literalsOf(r.objects[name]...)
	}
	return nil, false
}

func (r *reader) literalsOf(expressions ...ast.Expression) ([]*ast.ObjectLiteral, bool) {
	var all []*ast.ObjectLiteral
	for _, one := range expressions {
		found, ok := r.literals(one)
		if !ok {
			return nil, false
		}
		all = append(all, found...)
	}
	return all, true
}

// valueOf is what a property of an object can come to, without it what is there else; false if the object does
// not say.
func (r *reader) valueOf(literal *ast.ObjectLiteral, key string, without text) ([]text, bool) {
	value, whole := property(literal, key)
	if value == nil {
		return []text{without}, whole
	}
	return r.texts(value), whole
}

// asked are the requests that a function of a library makes whose arguments are not the tool's.
func (r *reader) asked(asks string, call *ast.CallExpression) []way {
	unknown := []way{{unknownWay + script.ShapeOf(call), unknownText(call)[0]}}
	if asks == script.AsksBefore {
		return nil
	}
	arguments := call.ArgumentList
	if slices.ContainsFunc(arguments, func(e ast.Expression) bool { _, is := e.(*ast.SpreadElement); return is }) {
		return unknown
	}
	if asks == script.AsksHTTP || asks == script.AsksHTTPS {
		if ways := r.askedOfNode(asks, call); ways != nil {
			return ways
		}
		return unknown
	}
	var given []ast.Expression
	switch {
	case asks == script.AsksOptions && len(arguments) == 1:
		given = arguments
	case asks == script.AsksOptions && len(arguments) == 3: // a step with a name, which is handed what went before
		if _, named := arguments[0].(*ast.StringLiteral); named {
			given = script.Returned(arguments[2])
		}
	case asks == script.AsksList && len(arguments) == 1:
		given = r.list(arguments[0])
	}
	var ways []way
	for _, one := range given {
		literals, ok := r.literals(one)
		switch {
		case ok:
			for _, literal := range literals {
				ways = append(ways, r.requestOf(literal)...)
			}
		case asks == script.AsksList:
			addresses := r.texts(one)
			if slices.ContainsFunc(addresses, func(t text) bool { return t.value == hole }) { // it may be an object
				return unknown
			}
			ways = append(ways, pairs([]string{"GET"}, addresses, call)...)
		default:
			return unknown
		}
	}
	if len(ways) == 0 {
		return unknown
	}
	return ways
}

// requestOf are the requests that an object with url, or uri, baseURL and method says.
func (r *reader) requestOf(literal *ast.ObjectLiteral) []way {
	base, _ := r.valueOf(literal, "baseURL", text{})
	var address []text
	for _, key := range []string{"url", "uri"} {
		if value, _ := property(literal, key); value != nil {
			address = union(address, r.texts(value))
		}
	}
	if len(address) == 0 {
		address = unknownText(literal)
	}
	address = r.joined(base, address)
	if query, _ := property(literal, "qs"); query != nil {
		address = r.joined(address, unknownText(query))
	}
	methods := r.methodsOf(literal, "GET")
	if methods == nil {
		methods = []string{unknownWay + script.ShapeOf(literal)}
	}
	return pairs(methods, address, literal)
}

// askedOfNode are the requests of http.request(address, options, then), or (options, then); nil if it does not say.
// With an address, options that have one too are refused when they are met.
func (r *reader) askedOfNode(asks string, call *ast.CallExpression) []way {
	arguments := call.ArgumentList
	if last := len(arguments) - 1; last > 0 {
		switch script.Bare(arguments[last]).(type) {
		case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
			arguments = arguments[:last]
		}
	}
	if len(arguments) == 0 || len(arguments) > 2 {
		return nil
	}
	if literals, ok := r.literals(arguments[0]); ok && len(arguments) == 1 {
		var ways []way
		for _, literal := range literals {
			at, _ := r.valueOf(literal, "protocol", text{value: asks + ":"})
			for _, part := range []struct{ before, key, other string }{{"//", "hostname", "host"}, {":", "port", ""}, {"", "path", ""}} {
				value, _ := property(literal, part.key)
				if value == nil && part.other != "" {
					value, _ = property(literal, part.other)
				}
				switch {
				case value != nil:
					at = r.joined(at, r.joined([]text{{value: part.before}}, r.texts(value)))
				case part.key == "path":
					at = r.joined(at, []text{{value: "/"}})
				}
			}
			methods := r.methodsOf(literal, "GET")
			if methods == nil {
				return nil
			}
			ways = append(ways, pairs(methods, at, call)...)
		}
		return ways
	}
	addresses := r.texts(arguments[0])
	if slices.ContainsFunc(addresses, func(t text) bool { return t.value == hole }) { // it may be an object
		return nil
	}
	methods := []string{"GET"}
	if len(arguments) == 2 {
		methods = r.options(arguments[1], "GET")
	}
	return pairs(methods, addresses, call)
}

// list are the items of a list that a script spells out, or makes one for each of another.
func (r *reader) list(expression ast.Expression) []ast.Expression {
	switch e := script.Bare(expression).(type) {
	case *ast.ArrayLiteral:
		return e.Value
	case *ast.CallExpression:
		if of, ok := script.Bare(e.Callee).(*ast.DotExpression); ok && of.Identifier.Name == "map" && len(e.ArgumentList) == 1 && !r.ownMethod("map") {
			return script.Returned(e.ArgumentList[0])
		}
	case *ast.Identifier:
		name := e.Name.String()
		if r.opaque[name] || len(r.objects[name]) != 1 || r.busy[expression] {
			return nil
		}
		for _, id := range r.used[name] {
			if _, declares := r.s.Parents[id].(*ast.Binding); !declares && !r.toHost(id) {
				return nil
			}
		}
		r.busy[expression] = true
		defer delete(r.busy, expression)
		return r.list(r.objects[name][0])
	}
	return nil
}

// ownMethod says that a script has something of its own by the name of a built-in method.
func (r *reader) ownMethod(name string) bool {
	return slices.ContainsFunc(r.s.Nodes, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.PropertyShort:
			return n.Name.Name.String() == name
		case *ast.PropertyKeyed:
			key, spelled := n.Key.(*ast.StringLiteral)
			return !spelled || key.Value.String() == name
		case *ast.MethodDefinition:
			key, spelled := n.Key.(*ast.StringLiteral)
			return !spelled || key.Value.String() == name
		case *ast.FieldDefinition:
			key, spelled := n.Key.(*ast.StringLiteral)
			return !spelled || key.Value.String() == name
		case *ast.AssignExpression:
			key, spelled := script.MemberKey(script.Bare(n.Left))
			return spelled && key == name
		}
		return false
	})
}

// toHost says that a name stands for an argument of a call of the host.
func (r *reader) toHost(name *ast.Identifier) bool {
	call, ok := r.s.Through(name).(*ast.CallExpression)
	return ok && script.Bare(call.Callee) != ast.Expression(name) && script.HostObjects[strings.SplitN(r.s.Tool(call), ".", 2)[0]]
}

// isRequest says that an expression is a Request of the script: where it was made it was said what it asks for.
func (r *reader) isRequest(expression ast.Expression) bool {
	switch e := script.Bare(expression).(type) {
	case *ast.NewExpression:
		return r.standard(e.Callee, "Request")
	case *ast.Identifier:
		name := e.Name.String()
		return !r.opaque[name] && len(r.objects[name]) > 0 && !slices.ContainsFunc(r.objects[name], func(value ast.Expression) bool {
			made, ok := script.Bare(value).(*ast.NewExpression)
			return !ok || !r.standard(made.Callee, "Request")
		})
	}
	return false
}

// isURL says that a name stands for nothing but URLs that the script makes.
func (r *reader) isURL(name string) bool {
	return !r.opaque[name] && len(r.objects[name]) > 0 && !slices.ContainsFunc(r.objects[name], func(value ast.Expression) bool {
		made, ok := script.Bare(value).(*ast.NewExpression)
		return !ok || !r.standard(made.Callee, "URL")
	})
}

// urlNamed is what the URL of a name can come to, whose query may be added to.
func (r *reader) urlNamed(e *ast.Identifier) []text {
	name, queried := e.Name.String(), false
	for _, id := range r.used[name] {
		switch p := r.s.Through(id).(type) {
		case *ast.DotExpression:
			switch _, set := r.s.Through(p).(*ast.AssignExpression); {
			case p.Identifier.Name == "searchParams" || p.Identifier.Name == "search":
				queried = true
			case set, p.Identifier.Name != "href" && p.Identifier.Name != "toString" && p.Identifier.Name != "pathname" && p.Identifier.Name != "origin" && p.Identifier.Name != "host":
				return unknownText(e)
			}
		case *ast.Binding:
			if script.Bare(p.Initializer) == ast.Expression(id) {
				return unknownText(e)
			}
		case *ast.AssignExpression:
			if script.Bare(p.Left) != ast.Expression(id) {
				return unknownText(e)
			}
		case *ast.TemplateLiteral:
			if p.Tag != nil {
				return unknownText(e)
			}
		case *ast.CallExpression:
			if !r.toHost(id) && !r.standard(p.Callee, "String") {
				return unknownText(e)
			}
		default:
			return unknownText(e)
		}
	}
	var all []text
	for _, value := range r.defined[name] {
		all = union(all, value())
	}
	if !queried {
		return all
	}
	var asked []text
	for _, t := range all {
		if !strings.Contains(t.value, "?") {
			t.value += "?"
		}
		asked = append(asked, t)
	}
	return r.joined(asked, unknownText(e))
}

// ofBase is how an address begins that can only lead to the host of its base, whatever follows.
var ofBase = lazyregexp.New(`^(/?[\w.~-]+(/|\?|$)|\?)`)

// url is what new URL(address, base) comes to.
func (r *reader) url(made *ast.NewExpression) []text {
	if len(made.ArgumentList) == 0 || len(made.ArgumentList) > 2 {
		return unknownText(made)
	}
	bases := []text{{}}
	if len(made.ArgumentList) == 2 {
		bases = r.texts(made.ArgumentList[1])
	}
	var all []text
	for _, address := range r.texts(made.ArgumentList[0]) {
		for _, base := range bases {
			_, whole := address.origin()
			if base.value != "" && (strings.Contains(base.value, hole) || !ofBase.MatchString(address.value)) || base.value == "" && !whole {
				return unknownText(made)
			}
			const mark = "kintsugi-hole"
			from, err := url.Parse(base.value)
			if err != nil {
				return unknownText(made)
			}
			to, err := from.Parse(strings.ReplaceAll(address.value, hole, mark))
			if err != nil || to.Host == "" {
				return unknownText(made)
			}
			if to.Path == "" {
				to.Path = "/"
			}
			all = union(all, []text{{value: strings.ReplaceAll(to.String(), mark, hole), from: address.from}})
		}
	}
	return all
}
