package event

import "time"

// Event is something that happened. Implementations are plain structs with JSON
// tags; the type name is an explicit constant, never derived from the Go name.
type Event interface {
	EventType() string
}

// Metadata goes with every event. The command pipeline sets all of it; domain code never does.
type Metadata struct {
	EventID       string    `json:"event_id"`
	SchemaVersion int       `json:"schema_version"`
	Subject       string    `json:"subject"` // workflow:<id>, later session:<id> …
	CorrelationID string    `json:"correlation_id"`
	CausationID   string    `json:"causation_id"`
	CommandID     string    `json:"command_id"`
	Actor         string    `json:"actor"` // person:<name>, planner:<task>, maintainer:<task>, system:<handler>
	RecordedAt    time.Time `json:"recorded_at"`
	Traceparent   string    `json:"traceparent,omitempty"`
	Hash          string    `json:"hash"` // hex; see docs/design.md, Audit
}

// Recorded is a decoded event with where and how it was recorded.
type Recorded struct {
	Stream   string
	Revision int64
	Position string
	Metadata Metadata
	Event    Event
}

// Erased stands for an event whose payload was erased: when it was, by whom and of what type is known, and nothing else.
// It is what people are shown, and is never folded or stored.
type Erased struct {
	Type string `json:"-"`
	Text string `json:"erased"`
}

// EventType implements [Event].
func (e Erased) EventType() string { return e.Type }
