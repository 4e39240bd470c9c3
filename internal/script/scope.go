package script

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Binding is a declared name.
type Binding struct {
	Name string
	Kind string // var, let, const, param, function, class, catch
	// node is what declares the name: an *ast.Identifier or *ast.PropertyShort.
	Node ast.Node
	// declaration is the whole declaration, init what the name (not a pattern around it) starts as.
	Declaration ast.Node
	Init        ast.Expression
	Uses        []ast.Node // *ast.Identifier, or *ast.PropertyShort in a literal
}

type scope struct {
	node   ast.Node
	parent *scope
	names  map[string]*Binding
}

// Scopes is the script's names: which declaration each use means.
type Scopes struct {
	source     *Source
	byNode     map[ast.Node]*scope
	Bindings   map[ast.Node]*Binding // of a declaring or using node
	Unresolved []ast.Node            // uses of names that the script does not declare
}

// resolve finds declarations first and uses second, because functions and var are hoisted.
func resolve(s *Source) *Scopes {
	names := &Scopes{source: s, byNode: map[ast.Node]*scope{}, Bindings: map[ast.Node]*Binding{}}
	for _, node := range s.Nodes {
		if opensScope(node) {
			names.byNode[node] = &scope{node: node, parent: names.around(s.Parents[node]), names: map[string]*Binding{}}
		}
	}
	for _, node := range s.Nodes {
		names.declare(node)
	}
	for _, node := range s.Nodes {
		if name, ok := names.reads(node); ok {
			if found := names.Lookup(node, name); found != nil {
				found.Uses = append(found.Uses, node)
				names.Bindings[node] = found
			} else {
				names.Unresolved = append(names.Unresolved, node)
			}
		}
	}
	return names
}

func opensScope(node ast.Node) bool {
	switch node.(type) {
	case *ast.Program, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.BlockStatement, *ast.ForStatement,
		*ast.ForOfStatement, *ast.ForInStatement, *ast.CatchStatement, *ast.ClassLiteral, *ast.SwitchStatement, *ast.ClassStaticBlock:
		return true
	}
	return false
}

// around is the innermost scope at a node.
func (n *Scopes) around(node ast.Node) *scope {
	for at := node; at != nil; at = n.source.Parents[at] {
		if found, ok := n.byNode[at]; ok {
			return found
		}
	}
	return nil
}

// hoist is the function (or program) scope at a node.
func (n *Scopes) hoist(node ast.Node) *scope {
	for at := n.around(node); at != nil; at = at.parent {
		switch at.node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.Program, *ast.ClassStaticBlock:
			return at
		}
	}
	return nil
}

// Lookup finds what a name means where a node stands, nil if the script does not declare it.
func (n *Scopes) Lookup(node ast.Node, name string) *Binding {
	for at := n.around(node); at != nil; at = at.parent {
		if found, ok := at.names[name]; ok {
			return found
		}
	}
	return nil
}

// Visible lists the names declared where a node stands, nearest first.
func (n *Scopes) Visible(node ast.Node) []string {
	var names []string
	for at := n.around(node); at != nil; at = at.parent {
		var here []string
		for name := range at.names {
			here = append(here, name)
		}
		slices.Sort(here)
		names = append(names, here...)
	}
	return names
}

// Taken says that a name means something anywhere in the script.
func (n *Scopes) Taken(name string) bool {
	for _, at := range n.byNode {
		if at.names[name] != nil {
			return true
		}
	}
	return slices.ContainsFunc(n.Unresolved, func(node ast.Node) bool { return NameOf(node) == name })
}

// NameOf is the name that an identifier or a short property spells.
func NameOf(node ast.Node) string {
	switch named := node.(type) {
	case *ast.Identifier:
		return named.Name.String()
	case *ast.PropertyShort:
		return named.Name.Name.String()
	}
	return ""
}

func (n *Scopes) add(to *scope, made *Binding) {
	if to == nil {
		return
	}
	if earlier, ok := to.names[made.Name]; ok { // var twice, or a parameter declared again
		n.Bindings[made.Node] = earlier
		return
	}
	to.names[made.Name] = made
	n.Bindings[made.Node] = made
}

func (n *Scopes) declare(node ast.Node) {
	switch declaration := node.(type) {
	case *ast.VariableStatement:
		n.bind(n.hoist(node), "var", node, declaration.List)
	case *ast.ForLoopInitializerVarDeclList:
		n.bind(n.hoist(node), "var", node, declaration.List)
	case *ast.ForIntoVar:
		n.bind(n.hoist(node), "var", node, []*ast.Binding{declaration.Binding})
	case *ast.LexicalDeclaration:
		kind := "let"
		if declaration.Token == token.CONST {
			kind = "const"
		}
		n.bind(n.around(node), kind, node, declaration.List)
	case *ast.ForDeclaration:
		kind := "let"
		if declaration.IsConst {
			kind = "const"
		}
		n.target(n.around(node), kind, node, declaration.Target, nil)
	case *ast.FunctionLiteral:
		n.parameters(node, declaration.ParameterList)
		if declaration.Name != nil {
			to := n.byNode[node]
			if _, statement := n.source.Parents[node].(*ast.FunctionDeclaration); statement {
				to = n.around(n.source.Parents[node])
			}
			n.add(to, &Binding{Name: declaration.Name.Name.String(), Kind: "function", Node: declaration.Name, Declaration: node})
		}
	case *ast.ArrowFunctionLiteral:
		n.parameters(node, declaration.ParameterList)
	case *ast.ClassLiteral:
		if declaration.Name != nil {
			to := n.byNode[node]
			if _, statement := n.source.Parents[node].(*ast.ClassDeclaration); statement {
				to = n.around(n.source.Parents[node])
			}
			n.add(to, &Binding{Name: declaration.Name.Name.String(), Kind: "class", Node: declaration.Name, Declaration: node})
		}
	case *ast.CatchStatement:
		if declaration.Parameter != nil {
			n.target(n.byNode[node], "catch", node, declaration.Parameter, nil)
		}
	}
}

func (n *Scopes) parameters(function ast.Node, list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, parameter := range list.List {
		n.target(n.byNode[function], "param", function, parameter.Target, parameter.Initializer)
	}
	if list.Rest != nil {
		n.target(n.byNode[function], "param", function, list.Rest, nil)
	}
}

func (n *Scopes) bind(to *scope, kind string, declaration ast.Node, list []*ast.Binding) {
	for _, one := range list {
		n.target(to, kind, declaration, one.Target, one.Initializer)
	}
}

// target declares the names in a binding target, which may be a pattern.
func (n *Scopes) target(to *scope, kind string, declaration ast.Node, target ast.Node, init ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		n.add(to, &Binding{Name: t.Name.String(), Kind: kind, Node: t, Declaration: declaration, Init: init})
	case *ast.AssignExpression: // a default inside a pattern
		n.target(to, kind, declaration, t.Left, nil)
	case *ast.ObjectPattern:
		for _, property := range t.Properties {
			switch p := property.(type) {
			case *ast.PropertyShort:
				n.add(to, &Binding{Name: p.Name.Name.String(), Kind: kind, Node: p, Declaration: declaration})
			case *ast.PropertyKeyed:
				n.target(to, kind, declaration, p.Value, nil)
			}
		}
		if t.Rest != nil {
			n.target(to, kind, declaration, t.Rest, nil)
		}
	case *ast.ArrayPattern:
		for _, element := range t.Elements {
			if element != nil {
				n.target(to, kind, declaration, element, nil)
			}
		}
		if t.Rest != nil {
			n.target(to, kind, declaration, t.Rest, nil)
		}
	}
}

// reads says that a node is the use of a name, not its declaration or a label or key.
func (n *Scopes) reads(node ast.Node) (string, bool) {
	if _, declared := n.Bindings[node]; declared {
		return "", false
	}
	switch used := node.(type) {
	case *ast.Identifier:
		switch parent := n.source.Parents[node].(type) {
		case *ast.DotExpression:
			if &parent.Identifier == used {
				return "", false
			}
		case *ast.PropertyShort:
			if &parent.Name == used {
				return "", false
			}
		case *ast.PrivateDotExpression, *ast.PrivateIdentifier, *ast.BranchStatement, *ast.LabelledStatement, *ast.MetaProperty:
			return "", false
		}
		return used.Name.String(), true
	case *ast.PropertyShort:
		return used.Name.Name.String(), true
	}
	return "", false
}
