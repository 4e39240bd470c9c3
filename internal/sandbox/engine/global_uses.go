package engine

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// globalUses are the globals of which a script sees nothing but members that it names: web, where it stands in web.getJSON(…)
// and nowhere else. Only those members need be made, of a dozen.
type globalUses struct {
	uses    map[string]int      // how often a name stands in the script
	members map[string][]string // what follows it with a dot, each time
	all     bool                // the script may have the object of all globals
}

func (n *globalUses) see(node ast.Node) {
	use := func(name string) {
		n.uses[name]++
		n.all = n.all || name == "globalThis" || name == "require"
	}
	switch node := node.(type) {
	case *ast.Identifier:
		use(node.Name.String())
	case *ast.PropertyShort:
		use(node.Name.Name.String())
	case *ast.ThisExpression:
		n.all = true // of a function that is called by its name
	case *ast.DotExpression:
		if object, is := node.Left.(*ast.Identifier); is {
			name := object.Name.String()
			n.members[name] = append(n.members[name], node.Identifier.Name.String())
		}
	}
}

func newGlobalUses() globalUses {
	return globalUses{uses: map[string]int{}, members: map[string][]string{}}
}

// needs says which members of a global have to be made, of all that it has.
func (n *globalUses) needs(name string, members []string) []string {
	named := n.members[name]
	if n.all || len(named) == 0 || len(named) < n.uses[name] || slices.ContainsFunc(named, func(one string) bool { return !slices.Contains(members, one) }) {
		return members // one that it does not have may be one of all objects, as valueOf is
	}
	return named
}

// MayHave says that the script may have hold of a global.
func (r *Run) MayHave(name string) bool {
	return r.Execution.Around != "" || r.script.globals.uses[name] > 0 || r.script.globals.all
}

// Namespace makes a global with functions.
func (r *Run) Namespace(name string, members []string, function func(i int) *goja.Object) *goja.Object {
	object := r.VM.NewObject()
	needed := members
	if r.Execution.Around == "" {
		needed = r.script.globals.needs(name, members)
	}
	for i, member := range members {
		if slices.Contains(needed, member) {
			Define(object, member, function(i), Visible)
		}
	}
	return object
}
