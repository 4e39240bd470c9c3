package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Registry is a codec: it knows every event type, its current schema version, and
// the upcasters that lift older versions one step each. Fill it at start; after
// that it is read-only and safe to share.
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

// VersionError says that an event has a schema version that this program cannot read.
type VersionError struct {
	Type    string
	Version int // of the event
	Known   int // the newest that this program knows; the oldest is 1
}

// Error implements error.
func (e *VersionError) Error() string {
	if e.Version < 1 {
		return fmt.Sprintf("event: %s has schema version %d: versions count from 1, the event is damaged", e.Type, e.Version)
	}
	return fmt.Sprintf("event: %s has schema version %d, this program knows up to %d: read the log with the program that wrote it, or a newer one",
		e.Type, e.Version, e.Known)
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

// Upcast adds the step from one schema version of a type to the next.
// It panics on a second step from the same version: that is a mistake in the program.
func Upcast(r *Registry, name string, from int, step Upcaster) {
	if r.upcasters[name] == nil {
		r.upcasters[name] = map[int]Upcaster{}
	}
	if r.upcasters[name][from] != nil {
		panic(fmt.Sprintf("event: %s has two upcasters from version %d", name, from))
	}
	r.upcasters[name][from] = step
}

// Check says whether every schema version that ever was can be read: each type has
// one upcaster from every version before its current one, and there are no others. Call it at start.
func (r *Registry) Check() error {
	var faults []error
	for _, name := range r.Types() {
		current := r.types[name].version
		if current < 1 {
			faults = append(faults, fmt.Errorf("event: %s is registered with schema version %d: versions count from 1", name, current))
		}
		for version := 1; version < current; version++ {
			if r.upcasters[name][version] == nil {
				faults = append(faults, fmt.Errorf("event: %s has no upcaster from version %d, so events of version %d cannot reach the current %d",
					name, version, version, current))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.upcasters)) {
		known, there := r.types[name]
		for _, from := range slices.Sorted(maps.Keys(r.upcasters[name])) {
			switch {
			case !there:
				faults = append(faults, fmt.Errorf("event: an upcaster lifts %s from version %d, and no such type is registered", name, from))
			case from < 1 || from >= known.version:
				faults = append(faults, fmt.Errorf("event: an upcaster lifts %s from version %d, outside 1 to %d", name, from, known.version-1))
			}
		}
	}
	return errors.Join(faults...)
}

// Types are the names of all registered types, sorted.
func (r *Registry) Types() []string { return slices.Sorted(maps.Keys(r.types)) }

// Version is the current schema version of a type, 0 for one that is not registered.
func (r *Registry) Version(name string) int { return r.types[name].version }

// Encode gives the stored form of an event, at the current schema version of its type.
// It returns an [*UnknownTypeError] for a type that is not registered.
func (r *Registry) Encode(e Event) (name string, version int, payload []byte, err error) {
	name = e.EventType()
	known, there := r.types[name]
	if !there {
		return "", 0, nil, &UnknownTypeError{Type: name}
	}
	payload, err = Marshal(e)
	if err != nil {
		return "", 0, nil, fmt.Errorf("event: encode %s: %w", name, err)
	}
	return name, known.version, payload, nil
}

// Decode reads a stored event, lifting it to the current schema version first. It
// returns an [*UnknownTypeError] for a type that is not registered and a
// [*VersionError] for a schema version that is not known.
func (r *Registry) Decode(name string, version int, payload []byte) (Event, error) {
	known, there := r.types[name]
	if !there {
		return nil, &UnknownTypeError{Type: name}
	}
	if version < 1 || version > known.version {
		return nil, &VersionError{Type: name, Version: version, Known: known.version}
	}
	lifted := json.RawMessage(payload)
	for step := version; step < known.version; step++ {
		lift := r.upcasters[name][step]
		if lift == nil {
			return nil, fmt.Errorf("event: decode %s: no upcaster from version %d", name, step)
		}
		var err error
		if lifted, err = lift(lifted); err != nil {
			return nil, fmt.Errorf("event: decode %s: lift from version %d: %w", name, step, err)
		}
	}
	// Unmarshal takes null for any struct and leaves it empty; an event is an object.
	if trimmed := bytes.TrimLeft(lifted, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, fmt.Errorf("event: decode %s: the payload is not a JSON object", name)
	}
	e, err := known.decode(lifted)
	if err != nil {
		return nil, fmt.Errorf("event: decode %s: %w", name, err)
	}
	return e, nil
}

// Marshal is the one JSON form of events: as [json.Marshal], but text stays readable:
// <, > and & are not escaped, which would also make HTML six times its size.
func Marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Types are the events of one kind of stream, each declared once.
type Types []func(*Registry)

// Declare adds an event type under the name by which it is stored, with an upcaster from each older schema
// version, oldest first: the current version is one more than there are upcasters. It returns the name.
func Declare[T Event](types *Types, name string, upcasters ...Upcaster) string {
	*types = append(*types, func(r *Registry) {
		Register[T](r, len(upcasters)+1)
		for i, step := range upcasters {
			Upcast(r, name, i+1, step)
		}
	})
	return name
}

// Register adds the types to a codec.
func (t Types) Register(r *Registry) {
	for _, register := range t {
		register(r)
	}
}
