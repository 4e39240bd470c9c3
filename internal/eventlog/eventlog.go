package eventlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// Event is what a caller appends: bytes and a name, no domain type.
// ID is a UUID in its canonical text form and is bound to the content: appending
// the same ID with another type, schema version or payload is a [ContentError].
type Event struct {
	ID            string
	Type          string
	SchemaVersion int
	Payload       []byte
	Metadata      []byte
}

// Record is an event as the log holds it. An empty payload or metadata is nil or empty, without meaning.
type Record struct {
	Event
	Stream   string
	Revision int64 // place in the stream, from 0, without gaps
	Position Position
	// RecordedAt is the backend's clock when the event was appended; people's
	// information only, nothing is ordered by it.
	RecordedAt time.Time
}

// Expected says what a stream must look like for an append to happen.
// It is sealed: [NoStream] and [Exact] are the only two.
type Expected interface {
	// Revision is the revision that the stream's last event must have, -1 for none.
	Revision() int64
	expected()
}

// NoStream expects a stream without events.
type NoStream struct{}

// Exact expects the last event of the stream to have this revision.
type Exact int64

// Revision implements [Expected].
func (NoStream) Revision() int64 { return -1 }

// Revision implements [Expected].
func (e Exact) Revision() int64 { return int64(e) }

func (NoStream) expected() {}
func (Exact) expected()    {}

// At gives the Expected of a stream whose last event has this revision; -1 is [NoStream].
func At(revision int64) Expected {
	if revision < 0 {
		return NoStream{}
	}
	return Exact(revision)
}

// Appended is where the events of an append are.
type Appended struct {
	First    int64    // revision of the first event
	Last     int64    // revision of the last event
	Position Position // position of the last event
	// Repeated says that the events were there already: an earlier append with
	// the same ids and content succeeded, and this is its result.
	Repeated bool
}

// The portable limits of one append.
const (
	MaxAppendBytes  = 1 << 20 // the sum of all payloads and metadata
	MaxAppendEvents = 10_000
)

// Newest is a revision beyond every stream, to read one backward from its end.
const Newest int64 = math.MaxInt64

// Log is an append-only sequence of events in streams.
//
// Acknowledged means durable: when Append returns without an error, the events
// survive a crash of the process and of the machine.
type Log interface {
	// Append adds events to one stream, all or none. It returns a [*ConflictError]
	// if the stream is not as expected, unless the same events (ids and content)
	// are there already at the expected place: then the first result, with Repeated set.
	// Only type, schema version and payload are content; the metadata of a repeat may differ.
	// An id that is in the stream with other content is a [*ContentError]; some but not all
	// of the events, or all of them elsewhere in the stream, are a [*ConflictError].
	//
	// After any other error, that of ctx included, the outcome may be unknown: repeat the
	// append with the same ids and the same expected revision.
	Append(ctx context.Context, stream string, expected Expected, events []Event) (Appended, error)
	// Stream yields the events of a stream from a revision on, oldest first. A stream
	// without events yields nothing. Breaking out is not an error.
	Stream(ctx context.Context, stream string, from int64) iter.Seq2[Record, error]
	// StreamBackward yields the events of a stream from a revision down to the first, newest
	// first; from may be beyond the end ([Newest]).
	StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[Record, error]
	// All yields the events of all streams after a position that pass the filter, in log order,
	// up to the head as it was at some moment after the call. It ends there: to go on use Subscribe.
	All(ctx context.Context, after Position, filter Filter) iter.Seq2[Record, error]
	// AllBackward yields the events strictly before a position that pass the filter, newest
	// first; [End] is after the newest event.
	AllBackward(ctx context.Context, before Position, filter Filter) iter.Seq2[Record, error]
	// Subscribe yields the events after a position that pass the filter, in log order, first those that are there,
	// then those that come, until ctx ends (its error is yielded) or the log is closed ([ErrClosed]). The consumer
	// sets the pace: events that it has not taken yet are read again from the log, so nothing is dropped and nothing
	// piles up.
	Subscribe(ctx context.Context, after Position, filter Filter) iter.Seq2[Delivery, error]
	// Wake gives a channel that receives after events may have been appended, by any
	// process. It is a hint: it may come late, coalesce, or come for nothing. Release ends it.
	Wake() (hint <-chan struct{}, release func())
	// Head is the position of the newest event, [Start] for an empty log.
	Head(ctx context.Context) (Position, error)
	// Close waits for accepted appends and releases the backend. Calls after it return [ErrClosed].
	Close() error
}

// Examiner is a [Log] that keeps more than the events: where they end, indexes of their ids, guards against changes.
type Examiner interface {
	// Examine compares all that with the events, and the tables with those that this program makes; it takes about as long as
	// reading the events. Its error wraps [ErrDamaged] if they disagree.
	Examine(ctx context.Context) error
	// Restored is what was found otherwise than this program makes it when this log was opened, and was put back: guards
	// that were missing or changed, and what keeps events from being appended as they are.
	Restored() []string
}

// Lister is a [Log] that knows its streams without reading their events.
type Lister interface {
	// Streams yields the streams whose names begin with a prefix that is not empty, each as it is at some moment after the call.
	Streams(ctx context.Context, prefix string) iter.Seq2[StreamEnd, error]
}

// Sole is a [Log] that can tell whether somebody else uses it.
type Sole interface {
	// Sole says that no other process follows the log, as far as is known: one that has just begun may not be, for a moment.
	Sole() bool
}

// As finds what a log can do besides, also where it is behind others that have an Unwrap() Log.
func As[Ability any](log Log) (ability Ability, is bool) {
	for log != nil {
		if ability, is := log.(Ability); is {
			return ability, true
		}
		outer, wraps := log.(interface{ Unwrap() Log })
		if !wraps {
			break
		}
		log = outer.Unwrap()
	}
	return ability, false
}

// StreamEnd is a stream and the revision of its newest event.
type StreamEnd struct {
	Stream string
	Last   int64
}

// Errors of every backend.
var (
	ErrClosed     = errors.New("eventlog: closed")
	ErrEmptyBatch = errors.New("eventlog: an append needs at least one event")
	// ErrFull is wrapped when the disk has no room: nothing of the append is stored,
	// everything acknowledged before is kept.
	ErrFull = errors.New("eventlog: no space left where the log is stored; free some and try again, nothing acknowledged was lost")
	// ErrUnavailable is wrapped when the backend could not be reached, after what could be tried
	// again was. The outcome of an append is unknown: repeat it as [Log.Append] says.
	ErrUnavailable = errors.New("eventlog: the backend cannot be reached")
	// ErrFailed is wrapped when the storage failed in a way that only a new start, which reads
	// what is there, can be trusted after. Nothing more is appended; reads go on.
	ErrFailed = errors.New("eventlog: the storage failed; nothing more is appended until a new start")
	// ErrDamaged is wrapped when something that was appended is not there any more, or cannot be
	// read: the storage lost it, or somebody changed it past the log.
	ErrDamaged = errors.New("eventlog: what is stored is not what was appended")
)

// ConflictError says that a stream was not as an append expected. Revisions are -1 for no stream.
type ConflictError struct {
	Stream   string
	Expected int64
	Actual   int64
}

// Error implements error.
func (e *ConflictError) Error() string {
	if e.Actual == e.Expected {
		return fmt.Sprintf("eventlog: stream %s, at revision %d, has events of this append already, elsewhere than expected", e.Stream, e.Actual)
	}
	return fmt.Sprintf("eventlog: stream %s is at revision %d, not at %d as expected", e.Stream, e.Actual, e.Expected)
}

// ContentError says that an event id is already bound to other content.
type ContentError struct {
	Stream string
	ID     string
}

// Error implements error.
func (e *ContentError) Error() string {
	return fmt.Sprintf("eventlog: event id %s is already in stream %s with other content", e.ID, e.Stream)
}

// InvalidError says which part of an append was refused before anything was stored.
type InvalidError struct {
	Stream string
	Reason string
}

// Error implements error.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("eventlog: append to stream %q refused: %s", e.Stream, e.Reason)
}
