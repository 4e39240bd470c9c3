package sandbox

import (
	"encoding/json"
	"strings"
)

// Bindings are the tools of a process, by the name that a script starts with.
type Bindings struct {
	Plain  map[string]*Binding   // notify
	Spaces map[string][]*Binding // web → web.getJSON, web.fetch, in the order given
}

func NewBindings(list []Binding) *Bindings {
	b := &Bindings{Plain: map[string]*Binding{}, Spaces: map[string][]*Binding{}}
	for i := range list {
		binding := &list[i]
		if space, _, ok := strings.Cut(binding.Name, "."); ok {
			b.Spaces[space] = append(b.Spaces[space], binding)
		} else {
			b.Plain[binding.Name] = binding
		}
	}
	return b
}

// Find is a tool by its name, nil if there is none.
func (b *Bindings) Find(name string) *Binding {
	space, _, ok := strings.Cut(name, ".")
	if !ok {
		return b.Plain[name]
	}
	for _, binding := range b.Spaces[space] {
		if binding.Name == name {
			return binding
		}
	}
	return nil
}

// EffectOf is what a call of it does.
func (b *Binding) EffectOf(args json.RawMessage) Effect {
	if b.Effect == nil {
		return Write // the careful guess
	}
	return b.Effect(args)
}
