package event

import (
	"encoding/json"
	"fmt"
)

// Registry is a codec: it knows every event type, its current schema version, and
// the upcasters that lift older versions one step each.
type Registry struct {
	types     map[string]entry
	upcasters map[string]map[int]Upcaster
}

// Upcaster lifts a payload from one schema version to the next. It is pure.
type Upcaster func(json.RawMessage) (json.RawMessage, error)

type entry struct {
	version int
	decode  func(json.RawMessage) (Event, error)
}

// UnknownTypeError says that an event's type is not in the registry.
type UnknownTypeError struct{ Type string }

// Error implements error.
func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("event: unknown type %q: the log was written by a newer or another program", e.Type)
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{types: map[string]entry{}, upcasters: map[string]map[int]Upcaster{}}
}

// Register adds an event type with its current schema version, from 1.
// It panics on a second registration of a name: that is a mistake in the program.
func Register[T Event](r *Registry, version int) {
	var zero T
	name := zero.EventType()
	if _, there := r.types[name]; there {
		panic("event: " + name + " is registered twice")
	}
	r.types[name] = entry{version: version, decode: func(payload json.RawMessage) (Event, error) {
		var e T
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, err
		}
		return e, nil
	}}
}
