package script

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// Library is a module whose functions make calls of the host. internal/sandbox/hostcall names them, as what declares the
// library says it; nothing is added later.
type Library struct {
	Name    string
	Default string           // what import name from gives; all of it if empty
	Calls   map[string]Reach // by name, wherever it is in the library
}

// Reach is what something in a library does that a script calls by its name.
type Reach struct {
	Tool  string // of the host that it calls; empty if it only holds, or gives, what calls some
	Own   bool   // its arguments are not the tool's
	Hands bool   // it hands such things to the functions that it is given
	Gives bool   // it gives such things, besides what it calls
	Asks  string // how its arguments say what request it makes, where they are not the tool's; empty if they do not
}

// How the arguments of a library's function say what request it makes.
const (
	AsksOptions = "options" // an object with url, or uri, baseURL, method and qs; or a name, what went before, and a function that gives one
	AsksList    = "list"    // a list of addresses, and of objects with url and method
	AsksHTTP    = "http"    // an address and options, or options with hostname, port, path and protocol, this one if there is none; and a function to be called
	AsksHTTPS   = "https"
	AsksBefore  = "before" // they do not: what was asked for is what a call before this one said
)

// Libraries are those with calls, by each name that a script may import.
var Libraries = map[string]Library{}

// part is something of a library that makes calls, or through which such can be reached.
type part struct {
	library *Library
	name    string // in it; empty for all of it
	Reach
}

// inherited are what every object or function has that gives it, or itself again, under another name.
var inherited = map[string]bool{
	"constructor": true, "__proto__": true, "valueOf": true, "call": true, "apply": true, "bind": true,
	"__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
}

// Reach is what a call of a library's function does.
func (s *Source) Reach(call *ast.CallExpression) (Reach, bool) {
	found := s.part(call.Callee)
	if found == nil || found.Tool == "" {
		return Reach{}, false
	}
	return found.Reach, true
}

// HandsOn is the library of which an expression is used otherwise than by calling what it has by its name, so
// that nobody sees what is called; empty if it is no such use. All of the host's objects are what require gives
// of 'kintsugi' or of a name that is put together.
func (s *Source) HandsOn(node ast.Node) string {
	expression, ok := node.(ast.Expression)
	if !ok {
		return ""
	}
	if name, ok := node.(*ast.Identifier); ok && name.Name == "require" && !s.IsMember(name) && s.Scopes.Bindings[name] == nil {
		call, called := s.Through(name).(*ast.CallExpression)
		if !called || Bare(call.Callee) != ast.Expression(name) {
			return "require"
		}
		if module, spelled := s.Required(call); !spelled || module == "kintsugi" {
			return "require"
		}
		return ""
	}
	if name, ok := node.(*ast.Identifier); ok {
		short, in := s.Parents[name].(*ast.PropertyShort)
		if _, pattern := s.Parents[short].(*ast.ObjectPattern); s.IsMember(name) || s.Scopes.declares(name) || in && pattern {
			return ""
		}
	}
	found := s.part(expression)
	if found == nil {
		return ""
	}
	switch parent := s.Through(node).(type) {
	case *ast.DotExpression:
		if Bare(parent.Left) == expression && found.Tool == "" && !inherited[parent.Identifier.Name.String()] {
			return ""
		}
	case *ast.BracketExpression:
		key, spelled := MemberKey(parent)
		if Bare(parent.Left) == expression && spelled && found.Tool == "" && !inherited[key] {
			return ""
		}
	case *ast.CallExpression:
		if Bare(parent.Callee) == expression {
			return ""
		}
	case *ast.ExpressionStatement, *ast.AwaitExpression:
		return ""
	case *ast.Binding:
		if parent.Initializer == expression && taken(parent.Target, found.Tool != "" || found.environment()) {
			return ""
		}
	}
	return found.library.Name
}

// Environment is the secret that a member of a library's environment is: env.NAME of Node's process.
func (s *Source) Environment(member ast.Node) (string, bool) {
	key, ok := MemberKey(member)
	if !ok || !s.part(Bare(MemberLeft(member).(ast.Expression))).environment() {
		return "", false
	}
	return key, true
}

func (p *part) environment() bool { return p != nil && (p.name == "env" || p.name == "$env") }

// taken says that what a declaration takes has names, all of them spelled out.
func taken(target ast.Node, called bool) bool {
	switch t := target.(type) {
	case *ast.Identifier:
		return true
	case *ast.AssignExpression:
		return taken(t.Left, called)
	case *ast.ObjectPattern:
		return t.Rest == nil && !called && !slices.ContainsFunc(t.Properties, func(property ast.Property) bool {
			switch p := property.(type) {
			case *ast.PropertyShort:
				return inherited[p.Name.Name.String()]
			case *ast.PropertyKeyed:
				key, spelled := p.Key.(*ast.StringLiteral)
				return p.Computed || !spelled || inherited[key.Value.String()] || !taken(p.Value, called)
			}
			return true
		})
	}
	return false
}

// declares says that a name stands where it is declared.
func (n *Scopes) declares(node ast.Node) bool {
	binding := n.Bindings[node]
	return binding != nil && binding.Node == node
}

// Required is the module that a call of require spells out.
func (s *Source) Required(call *ast.CallExpression) (string, bool) {
	name, ok := Bare(call.Callee).(*ast.Identifier)
	if !ok || name.Name != "require" || s.Scopes.Bindings[name] != nil || len(call.ArgumentList) == 0 {
		return "", false
	}
	module, ok := call.ArgumentList[0].(*ast.StringLiteral)
	if !ok {
		return "", false
	}
	return module.Value.String(), true
}

// part is what of a library an expression stands for; nil if it is none, or nothing that could make a call.
func (s *Source) part(expression ast.Node) *part {
	if len(Libraries) == 0 || !s.modules {
		return nil
	}
	if found, known := s.parts[expression]; known {
		return found
	}
	s.parts[expression] = nil // what goes round is none
	found := s.partOf(expression)
	s.parts[expression] = found
	return found
}

func (s *Source) partOf(node ast.Node) *part {
	expression, ok := node.(ast.Expression)
	if !ok {
		return nil
	}
	switch e := Bare(expression).(type) {
	case *ast.AwaitExpression:
		return s.part(e.Argument)
	case *ast.DotExpression:
		return s.part(Bare(e.Left)).member(e.Identifier.Name.String())
	case *ast.BracketExpression:
		if key, spelled := MemberKey(e); spelled {
			return s.part(Bare(e.Left)).member(key)
		}
	case *ast.CallExpression:
		if module, ok := s.Required(e); ok {
			return all(module)
		}
		if called := s.part(Bare(e.Callee)); called != nil && (called.Tool == "" || called.Gives) {
			return &part{library: called.library}
		}
	case *ast.ThisExpression:
		for at := s.Parents[node]; at != nil; at = s.Parents[at] {
			if function, ok := at.(*ast.FunctionLiteral); ok {
				return s.handed(function)
			}
		}
	case *ast.Identifier:
		if s.IsMember(e) {
			return nil
		}
		binding := s.Scopes.Bindings[e]
		if short, ok := s.Parents[e].(*ast.PropertyShort); ok {
			binding = s.Scopes.Bindings[short]
		}
		if binding != nil {
			return s.declared(binding)
		}
		one, imported := s.Imported[e.Name.String()]
		if !imported {
			return nil
		}
		whole := all(one.Module)
		switch {
		case whole == nil, one.Name == "*":
			return whole
		case one.Name != "default":
			return whole.member(one.Name)
		case whole.library.Default != "":
			return whole.member(whole.library.Default)
		}
		return whole
	}
	return nil
}

// all of a module.
func all(module string) *part {
	library, ok := Libraries[module]
	if !ok {
		return nil
	}
	return &part{library: &library}
}

func (p *part) member(name string) *part {
	if p == nil || p.Tool != "" {
		return nil
	}
	reach, ok := p.library.Calls[name]
	switch {
	case ok:
	case name == "default" && p.library.Default != "":
		return p.member(p.library.Default)
	case name == "default" && p.name == "":
		return p
	default:
		return nil
	}
	return &part{p.library, name, reach}
}

// declared is what a name stands for by its declaration.
func (s *Source) declared(binding *Binding) *part {
	if binding.Init != nil && binding.Kind != "param" {
		return s.part(binding.Init)
	}
	var keys []string
	for at := binding.Node; at != nil; at = s.Parents[at] {
		if key, ok := patternKey(s, at); ok {
			keys = append(keys, key)
		}
		var found *part
		switch parent := s.Parents[at].(type) {
		case *ast.Binding:
			if list, ok := s.Parents[parent].(*ast.ParameterList); ok {
				found = s.handed(s.Parents[list])
			} else if parent.Initializer != nil {
				found = s.part(Bare(parent.Initializer))
			}
		case *ast.ObjectPattern, *ast.PropertyKeyed, *ast.PropertyShort, *ast.AssignExpression:
			continue
		default:
			return nil
		}
		for _, key := range slices.Backward(keys) {
			found = found.member(key)
		}
		return found
	}
	return nil
}

// handed is what a library hands to a function that it is given.
func (s *Source) handed(function ast.Node) *part {
	call, ok := s.Parents[function].(*ast.CallExpression)
	if !ok || Bare(call.Callee) == function {
		return nil
	}
	called := s.part(Bare(call.Callee))
	if called == nil || !called.Hands {
		return nil
	}
	return &part{library: called.library}
}
