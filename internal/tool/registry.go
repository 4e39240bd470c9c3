package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

var tools []Tool

// declare makes a tool known: to scripts, to whoever reads scripts, and to the reference.
func declare(t Tool) Tool {
	tools = append(tools, t)
	root, _, _ := strings.Cut(t.Name, ".")
	script.HostObjects[root] = true
	return t
}

// Libraries that make calls are made known to whoever reads scripts.
var _ = func() struct{} { //nolint:unparam // as bundle
	for _, l := range sandbox.Libraries() {
		if len(l.Calls) == 0 {
			continue
		}
		calls := make(map[string]script.Reach, len(l.Calls))
		for name, reach := range l.Calls {
			calls[name] = script.Reach(reach)
		}
		for _, name := range l.Names() {
			script.Libraries[name] = script.Library{Name: l.Name, Default: l.Default, Calls: calls}
		}
	}
	return struct{}{}
}()

// declared are all tools, by name.
var declared = sync.OnceValue(func() []Tool {
	return slices.SortedFunc(slices.Values(tools), func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
})

// entry compiles its schema at the first check, so that a worker process starts at once.
type entry struct {
	tool   Tool
	schema func() *schema
}

var byName = sync.OnceValue(func() map[string]entry {
	entries := make(map[string]entry, len(declared()))
	for _, t := range declared() {
		entries[t.Name] = entry{tool: t, schema: sync.OnceValue(func() *schema { return compileSchema(t) })}
	}
	return entries
})

// All returns every tool, by name.
func All() []Tool { return slices.Clone(declared()) }

// Lookup finds a tool by the name that scripts call it.
func Lookup(name string) (Tool, bool) {
	e, ok := byName()[name]
	return e.tool, ok
}

// Bindings are the tools as the sandbox takes them.
func Bindings() []sandbox.Binding {
	bindings := make([]sandbox.Binding, 0, len(declared()))
	for _, t := range declared() {
		bindings = append(bindings, sandbox.Binding{
			Name:     t.Name,
			Effect:   t.Effect,
			Silent:   t.Silent && t.Effect(nil) == sandbox.Write,
			Overlaps: t.Overlaps,
			Validate: func(args json.RawMessage) error { return validate(t.Name, args) },
			Judge:    t.Judge,
		})
	}
	return bindings
}

// validate checks a call's arguments against the tool's schema.
func validate(name string, args json.RawMessage) error {
	e, ok := byName()[name]
	if !ok {
		return fmt.Errorf("tool: no tool %q", name)
	}
	return e.schema().checkArgs(name, args)
}
