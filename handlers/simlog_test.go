package handlers_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// simStore is a log in memory, for bubbles of virtual time: nothing in it waits but for what
// package synctest counts as waiting.
type simStore struct {
	mu      sync.Mutex
	all     []eventlog.Record
	streams map[string][]eventlog.Record
	hints   map[chan struct{}]bool
}

func newSimStore() *simStore {
	return &simStore{streams: map[string][]eventlog.Record{}, hints: map[chan struct{}]bool{}}
}

func (s *simStore) append(stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there, first := s.streams[stream], expected.Revision()+1
	result := eventlog.Appended{First: first, Last: first + int64(len(events)) - 1}
	if int64(len(there)) > first && there[first].ID == events[0].ID && int64(len(there)) > result.Last {
		for i, event := range events {
			switch old := there[first+int64(i)]; {
			case old.ID != event.ID:
				return eventlog.Appended{}, &eventlog.ConflictError{Stream: stream, Expected: first - 1, Actual: int64(len(there)) - 1}
			case string(old.Payload) != string(event.Payload):
				return eventlog.Appended{}, &eventlog.ContentError{Stream: stream, ID: event.ID}
			}
		}
		result.Position, result.Repeated = there[result.Last].Position, true
		return result, nil
	}
	if int64(len(there)) != first {
		return eventlog.Appended{}, &eventlog.ConflictError{Stream: stream, Expected: first - 1, Actual: int64(len(there)) - 1}
	}
	for _, event := range events {
		record := eventlog.Record{
			Event: event, Stream: stream, Revision: int64(len(s.streams[stream])),
			Position: eventlog.PositionOf(int64(len(s.all)) + 1), RecordedAt: time.Now(),
		}
		s.all = append(s.all, record)
		s.streams[stream] = append(s.streams[stream], record)
	}
	result.Position = s.all[len(s.all)-1].Position
	for hint := range s.hints {
		select {
		case hint <- struct{}{}:
		default:
		}
	}
	return result, nil
}

func (s *simStore) records() []eventlog.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.all)
}

// simLog is the log as one life of a node reaches it, or a person, who does not die.
type simLog struct {
	store *simStore
	// meet is told of each append before it is made, and after. An error ends it there.
	meet func(stream string, made bool) error
	dead atomic.Bool
}

func (l *simLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if err := ctx.Err(); err != nil {
		return eventlog.Appended{}, err
	}
	if err := l.met(stream, false); err != nil {
		return eventlog.Appended{}, err
	}
	appended, err := l.store.append(stream, expected, events)
	if err != nil {
		return appended, err
	}
	return appended, l.met(stream, true)
}

func (l *simLog) met(stream string, made bool) error {
	if l.meet != nil && !l.dead.Load() {
		if err := l.meet(stream, made); err != nil {
			return err
		}
	}
	if l.dead.Load() {
		return errCrashed
	}
	return nil
}

func (l *simLog) yielding(records []eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if l.dead.Load() {
			yield(eventlog.Record{}, errCrashed)
			return
		}
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

func (l *simLog) Stream(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	l.store.mu.Lock()
	all := l.store.streams[stream]
	l.store.mu.Unlock()
	return l.yielding(all[min(max(from, 0), int64(len(all))):])
}

func (l *simLog) All(_ context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	all := l.store.records()
	from, _ := slices.BinarySearchFunc(all, after, func(record eventlog.Record, after eventlog.Position) int {
		if record.Position <= after {
			return -1
		}
		return 1
	})
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.yielding(all[from:]) {
			if (err != nil || filter.Passes(record.Stream, record.Type)) && !yield(record, err) {
				return
			}
		}
	}
}

func (l *simLog) Wake() (hint <-chan struct{}, release func()) {
	wake := make(chan struct{}, 1)
	l.store.mu.Lock()
	l.store.hints[wake] = true
	l.store.mu.Unlock()
	return wake, func() {
		l.store.mu.Lock()
		delete(l.store.hints, wake)
		l.store.mu.Unlock()
	}
}

var errNotSimulated = errors.New("the reactions do not use this")

func (l *simLog) StreamBackward(context.Context, string, int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) { yield(eventlog.Record{}, errNotSimulated) }
}

func (l *simLog) AllBackward(context.Context, eventlog.Position, eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) { yield(eventlog.Record{}, errNotSimulated) }
}

func (l *simLog) Subscribe(context.Context, eventlog.Position, eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) { yield(eventlog.Delivery{}, errNotSimulated) }
}

func (l *simLog) Head(context.Context) (eventlog.Position, error) {
	if all := l.store.records(); len(all) > 0 {
		return all[len(all)-1].Position, nil
	}
	return eventlog.Start, nil
}

func (l *simLog) Close() error { return nil }
