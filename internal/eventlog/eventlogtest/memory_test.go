package eventlogtest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// memory is a sound log in memory, as far as histories need one, in which a bug may be planted.
type memory struct {
	*storage
	plant bug
}

type storage struct {
	sync.Mutex
	all     []eventlog.Record
	streams map[string][]eventlog.Record
	earlier map[string][]eventlog.Record // each stream before its last change

	positions int64 // given out
	chances   int   // of a rare bug to strike
	unlucky   int   // the chance, of the next few, that it takes
	random    *rand.Rand
}

// bug is a way in which memory is not sound.
type bug int

const (
	sound bug = iota
	appendBeforeCheck
	checkThenAppend
	acknowledgeOnly
	staleRead
	wrongActual
	lostUpdate
	repeatAppended
	halfCancelled
	uncommittedRead
)

func newStorage(seed uint64) *storage {
	return &storage{
		streams: make(map[string][]eventlog.Record),
		earlier: make(map[string][]eventlog.Record),
		random:  rand.New(rand.NewPCG(seed, 0)),
	}
}

// rest lets others run, so that calls overlap.
func rest() {
	for range 3 {
		runtime.Gosched()
	}
}

// strikes says once in n times, at a random one of them, that it is time.
func (s *storage) strikes(n int) bool {
	if s.chances%n == 0 {
		s.unlucky = s.random.IntN(n)
	}
	s.chances++
	return (s.chances-1)%n == s.unlucky
}

func (m *memory) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	rest()
	if err := ctx.Err(); err != nil {
		return eventlog.Appended{}, err
	}
	defer rest()
	m.Lock()
	defer m.Unlock()
	there := m.streams[stream]
	result, repeat, err := decide(there, stream, expected, events)
	switch m.plant {
	case sound, staleRead:
	case appendBeforeCheck:
		if err != nil && m.strikes(20) {
			m.store(stream, events)
			return result, err
		}
	case checkThenAppend:
		m.Unlock()
		rest()
		m.Lock()
	case acknowledgeOnly:
		if err == nil && !repeat && m.strikes(200) {
			return eventlog.Appended{First: expected.Revision() + 1, Last: expected.Revision() + int64(len(events)), Position: eventlog.PositionOf(m.positions + 1)}, nil
		}
	case wrongActual:
		if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok && m.strikes(20) {
			conflict.Actual--
		}
	case lostUpdate:
		m.Unlock()
		rest()
		m.Lock()
		if err == nil && !repeat {
			m.replace(stream, there) // what others appended since is gone
		}
	case repeatAppended:
		repeat = false
	case halfCancelled:
		m.Unlock()
		rest()
		m.Lock()
		if err == nil && !repeat && ctx.Err() != nil && len(events) > 1 {
			m.store(stream, events[:1])
			return eventlog.Appended{}, ctx.Err()
		}
	case uncommittedRead:
		if err != nil && m.strikes(20) {
			m.store(stream, events)
			m.Unlock()
			rest()
			m.Lock()
			m.replace(stream, slices.DeleteFunc(slices.Clone(m.streams[stream]), func(record eventlog.Record) bool {
				return slices.ContainsFunc(events, func(event eventlog.Event) bool { return event.ID == record.ID })
			}))
		}
	}
	if err != nil || repeat {
		return result, err
	}
	last := m.store(stream, events)
	return eventlog.Appended{First: expected.Revision() + 1, Last: expected.Revision() + int64(len(events)), Position: last}, nil
}

// decide says what comes of an append to a stream.
func decide(there []eventlog.Record, stream string, expected eventlog.Expected, events []eventlog.Event) (result eventlog.Appended, repeat bool, err error) {
	found, inPlace := 0, true
	for i, event := range events {
		at := slices.IndexFunc(there, func(record eventlog.Record) bool { return record.ID == event.ID })
		if at < 0 {
			continue
		}
		if string(there[at].Payload) != string(event.Payload) {
			return result, false, &eventlog.ContentError{Stream: stream, ID: event.ID}
		}
		found++
		inPlace = inPlace && int64(at) == expected.Revision()+1+int64(i)
		result.Position = there[at].Position
	}
	last := int64(len(there)) - 1
	switch {
	case found == len(events) && inPlace:
		result.First, result.Last, result.Repeated = expected.Revision()+1, expected.Revision()+int64(len(events)), true
		return result, true, nil
	case found > 0 || expected.Revision() != last:
		return eventlog.Appended{}, false, &eventlog.ConflictError{Stream: stream, Expected: expected.Revision(), Actual: last}
	}
	return eventlog.Appended{}, false, nil
}

func (s *storage) store(stream string, events []eventlog.Event) eventlog.Position {
	s.earlier[stream] = s.streams[stream]
	for _, event := range events {
		record := eventlog.Record{
			Event: event, Stream: stream, Revision: int64(len(s.streams[stream])), Position: eventlog.PositionOf(s.positions + 1),
		}
		s.positions++
		s.all = append(s.all, record)
		s.streams[stream] = append(slices.Clip(s.streams[stream]), record)
	}
	return eventlog.PositionOf(s.positions)
}

// replace puts other events in the place of those of a stream.
func (s *storage) replace(stream string, events []eventlog.Record) {
	s.all = slices.DeleteFunc(slices.Clone(s.all), func(record eventlog.Record) bool {
		return record.Stream == stream && !slices.ContainsFunc(events, func(kept eventlog.Record) bool { return kept.Position == record.Position })
	})
	events = slices.Clone(events) // others may be reading
	for i := range events {
		events[i].Revision = int64(i)
	}
	s.streams[stream] = events
}

func (m *memory) stream(stream string) []eventlog.Record {
	rest()
	defer rest()
	m.Lock()
	defer m.Unlock()
	if m.plant == staleRead && m.strikes(20) {
		return m.earlier[stream]
	}
	return m.streams[stream]
}

func (m *memory) Stream(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	all := m.stream(stream)
	return yielding(all[min(max(from, 0), int64(len(all))):])
}

func (m *memory) StreamBackward(_ context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	all := m.stream(stream)
	return yielding(reversed(all[:max(0, min(from+1, int64(len(all))))]))
}

func (m *memory) All(_ context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	rest()
	defer rest()
	m.Lock()
	defer m.Unlock()
	return yielding(slices.DeleteFunc(slices.Clone(m.all), func(record eventlog.Record) bool {
		return record.Position <= after || !filter.Passes(record.Stream, record.Type)
	}))
}

func (m *memory) Head(context.Context) (eventlog.Position, error) {
	m.Lock()
	defer m.Unlock()
	return eventlog.PositionOf(m.positions), nil
}

func yielding(all []eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, record := range all {
			if !yield(record, nil) {
				return
			}
		}
	}
}
