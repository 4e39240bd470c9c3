package sample

import (
	"context"
	"iter"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// buffer is a log that is appended to by one goroutine and stores many appends together, in their order.
type buffer struct {
	eventlog.Log
	told func(n int)

	written int // events, those that are waiting included
	waiting []eventlog.Batch
	events  int
	bytes   int
	// ends are the last events of the streams: commands look at them before they go on.
	ends map[string]eventlog.Record
}

// Append implements [eventlog.Log]. The sample is made by one alone: what a stream is expected to be it is.
func (b *buffer) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := eventlog.Validate(stream, expected, events); err != nil {
		return eventlog.Appended{}, err
	}
	size := 0
	for _, event := range events {
		size += len(event.Payload) + len(event.Metadata)
	}
	if b.events+len(events) > eventlog.MaxAppendEvents || b.bytes+size > eventlog.MaxAppendBytes {
		if err := b.flush(ctx); err != nil {
			return eventlog.Appended{}, err
		}
	}
	b.waiting = append(b.waiting, eventlog.Batch{Stream: stream, Expected: expected, Events: slices.Clone(events)})
	b.events, b.bytes, b.written = b.events+len(events), b.bytes+size, b.written+len(events)
	last := expected.Revision() + int64(len(events))
	b.ends[stream] = eventlog.Record{Event: events[len(events)-1], Stream: stream, Revision: last}
	return eventlog.Appended{First: expected.Revision() + 1, Last: last}, nil
}

func (b *buffer) flush(ctx context.Context) error {
	if b.events == 0 {
		return nil
	}
	if err := eventlog.AppendInOrder(ctx, b.Log, b.waiting); err != nil {
		return err
	}
	b.told(b.events)
	b.waiting, b.events, b.bytes = nil, 0, 0
	return nil
}

// forget says that a stream has ended.
func (b *buffer) forget(stream string) { delete(b.ends, stream) }

// Stream implements [eventlog.Log].
func (b *buffer) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	end, known := b.ends[stream]
	if !known {
		return func(func(eventlog.Record, error) bool) {} // nobody else writes
	}
	if from == end.Revision {
		return func(yield func(eventlog.Record, error) bool) { yield(end, nil) }
	}
	return func(yield func(eventlog.Record, error) bool) {
		if err := b.flush(ctx); err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		b.Log.Stream(ctx, stream, from)(yield)
	}
}
