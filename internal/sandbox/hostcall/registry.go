package hostcall

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

var tools []Tool

// Declare makes a tool known: to scripts, to the readers of scripts, and to the reference. It is for variables of
// packages: once a tool has been asked for, no other is added. Repeating a local call does nothing twice: a local
// write happens by being journaled, so an answered one is never made again and an unanswered one never happened.
func Declare(t Tool) struct{} {
	if t.Leaves != AsItWas {
		t = leaving(t)
	}
	if t.Local {
		t.Folds, t.Idempotent = true, true
	}
	tools = append(tools, t)
	script.HostObjects[Root(t.Name)] = true
	return struct{}{}
}

// Root is the object of the host that a tool is called on, or its name if that is none: web of web.fetch.
func Root(name string) string {
	root, _, _ := strings.Cut(name, ".")
	return root
}

// The readers of scripts have to know that the standard's fetch, and libraries, make calls.
var _ = func() struct{} { //nolint:unparam // as bundle
	script.Fetch = webapi.Fetch
	for _, l := range engine.Libraries() {
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

var byName = sync.OnceValue(func() map[string]*entry {
	entries := make(map[string]*entry, len(declared()))
	for _, t := range declared() {
		entries[t.Name] = &entry{tool: t, schema: sync.OnceValue(func() *schema { return compileSchema(t) })}
	}
	return entries
})

// All returns every tool, by name.
func All() []Tool { return slices.Clone(declared()) }

// Lookup finds a tool by the name that scripts call it.
func Lookup(name string) (*Tool, bool) {
	if e, ok := byName()[name]; ok {
		return &e.tool, true
	}
	return &noTool, false
}

// Of is what the tool of a name declares. A name that is no tool's declares nothing.
func Of(name string) *Tool {
	t, _ := Lookup(name)
	return t
}

var noTool Tool

// AsksWeb says that calls of an object of the host, or of a tool of that name, go over the web.
func AsksWeb(root string) bool {
	return slices.ContainsFunc(declared(), func(t Tool) bool { return t.Request != nil && Root(t.Name) == root })
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
		return fmt.Errorf("hostcall: no tool %q", name)
	}
	return e.schema().checkArgs(name, args)
}
