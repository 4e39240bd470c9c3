package publisher

import (
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// encodings are the last events as they are delivered: all subscriptions want a new event within moments, and
// encoding it for each of them took a tenth of the time of all deliveries.
type encodings struct {
	mu sync.Mutex
	// before are those of the generation before.
	of, before map[encoding]encodedEvent
}

// encoding is an event, as so much of it is delivered.
type encoding struct {
	id      string
	payload subscription.Payload
}

// encodedEvent is for all to read, and nobody's to change.
type encodedEvent struct {
	lane  string // of what belongs together
	out   Outgoing
	fault error
}

// Limits of what is kept, of each of two generations.
const (
	mostEncoded = 1024     // events
	mostOfOne   = 16 << 10 // bytes of one that is kept
)

// LaneOf is what an event belongs to, or its stream, if that cannot be read: making the message says what is wrong.
func LaneOf(record eventlog.Record) string {
	metadata, err := event.ReadMetadata(record.Metadata)
	if err != nil {
		return record.Stream
	}
	return metadata.Subject
}

// encode gives the delivered form of an event, and its lane.
func (e *encodings) encode(record eventlog.Record, payload subscription.Payload) encodedEvent {
	key := encoding{record.ID, payload}
	if kept, is := e.kept(key); is {
		return kept
	}
	one := encodedEvent{lane: LaneOf(record)}
	one.fault = panics.Guard(func() (err error) {
		one.out, err = Encode(record, payload)
		return err
	})
	if len(one.out.Body) <= mostOfOne {
		e.keep(key, one)
	}
	return one
}

func (e *encodings) kept(key encoding) (encodedEvent, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one, is := e.of[key]
	if !is {
		one, is = e.before[key]
	}
	return one, is
}

func (e *encodings) keep(key encoding, one encodedEvent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.of) >= mostEncoded {
		e.before, e.of = e.of, map[encoding]encodedEvent{}
	}
	e.of[key] = one
}
