package crash

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

type outcome int

const (
	unknown outcome = iota
	acknowledged
	refused
)

// batch is one append that was announced, and what became of it.
type batch struct {
	stream   string
	expected int64
	ids      []string
	outcome  outcome
	result   eventlog.Appended // if it was acknowledged

	stored   int               // of its events, those that were read
	position eventlog.Position // of its last event, if that was read
}

func (b *batch) whole() bool { return b.stored == len(b.ids) }

// String names it in faults.
func (b *batch) String() string {
	return fmt.Sprintf("the append of %d events to %s at revision %d (%s …)", len(b.ids), b.stream, b.expected, b.ids[0])
}

// ledger knows everything that was announced, and what of it was read.
type ledger struct {
	payloadBytes int
	gapless      bool

	acknowledged int                     // events
	open         []*batch                // not yet held against what was read
	events       map[string]*ledgerEvent // by id
	next         map[string]int64        // by stream, the revision that comes
	last         eventlog.Position       // of what was read
	number       int64                   // of what was read, if positions have no gaps
}

type ledgerEvent struct {
	batch    *batch
	index    int
	position eventlog.Position // empty until it was read
}

func newLedger(payloadBytes int, gapless bool) *ledger {
	return &ledger{payloadBytes: payloadBytes, gapless: gapless, events: make(map[string]*ledgerEvent), next: make(map[string]int64)}
}

// add takes the appends of a dead process in.
func (l *ledger) add(batches []*batch) {
	for _, b := range batches {
		for i, id := range b.ids {
			l.events[id] = &ledgerEvent{batch: b, index: i}
		}
		if b.outcome == acknowledged {
			l.acknowledged += len(b.ids)
		}
	}
	l.open = append(l.open, batches...)
}

// read reads what is new in the log. If acknowledged events are not there it looks
// again until patience is over.
func (l *ledger) read(ctx context.Context, log eventlog.Log, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		for record, err := range log.All(ctx, l.last, eventlog.Everything) {
			if err == nil {
				err = l.take(record)
			} else {
				err = fault("the log cannot be read: %v", err)
			}
			if err != nil {
				return err
			}
		}
		err := l.compare()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}

// take holds a record against what was announced.
func (l *ledger) take(record eventlog.Record) error {
	if event, known := l.events[record.ID]; known && event.position != eventlog.Start {
		return fault("event %s is at position %s and again at %s", record.ID, event.position, record.Position)
	}
	event, err := l.find(record)
	if err != nil {
		return err
	}
	if record.Revision != l.next[record.Stream] {
		return fault("stream %s has revision %d where %d should be", record.Stream, record.Revision, l.next[record.Stream])
	}
	if record.Position <= l.last {
		return fault("position %q comes after %q", record.Position, l.last)
	}
	l.number++
	if l.gapless && record.Position != eventlog.PositionOf(l.number) {
		return fault("position %q comes where %d should", record.Position, l.number)
	}
	event.position, l.last = record.Position, record.Position
	l.next[record.Stream]++
	event.batch.stored++
	if event.index == len(event.batch.ids)-1 {
		event.batch.position = record.Position
	}
	return nil
}

// find finds the announcement of a record, which must be the same in everything.
func (l *ledger) find(record eventlog.Record) (*ledgerEvent, error) {
	event, known := l.events[record.ID]
	if !known {
		return nil, fault("nobody appended event %s, which is at revision %d of %s", record.ID, record.Revision, record.Stream)
	}
	b := event.batch
	if revision := b.expected + 1 + int64(event.index); record.Stream != b.stream || record.Revision != revision {
		return nil, fault("event %s was appended as revision %d of %s and is revision %d of %s", record.ID, revision, b.stream, record.Revision, record.Stream)
	}
	want := makeEvent(record.ID, l.payloadBytes)
	if record.Type != want.Type || record.SchemaVersion != want.SchemaVersion || !bytes.Equal(record.Payload, want.Payload) || !bytes.Equal(record.Metadata, want.Metadata) {
		return nil, fault("event %s (revision %d of %s) has not the content that was appended", record.ID, record.Revision, record.Stream)
	}
	return event, nil
}

// compare holds what was acknowledged against what was read.
func (l *ledger) compare() error {
	for _, b := range l.open {
		switch {
		case b.stored > 0 && !b.whole():
			return fault("%v is there in part: %d events", b, b.stored)
		case b.outcome == refused && b.stored > 0:
			return fault("%v was refused, and is there", b)
		case b.outcome != acknowledged:
		case b.stored == 0:
			return fault("%v was acknowledged, and is lost", b)
		case b.result.First != b.expected+1 || b.result.Last != b.expected+int64(len(b.ids)) || b.result.Position != b.position:
			return fault("%v was acknowledged at revisions %d to %d and position %s, and is at position %s", b, b.result.First, b.result.Last, b.result.Position, b.position)
		}
	}
	var inDoubt []*batch
	for _, b := range l.open {
		if b.outcome == unknown {
			inDoubt = append(inDoubt, b)
		}
	}
	l.open = inDoubt
	return nil
}

// inDoubt gives the appends without an outcome.
func (l *ledger) inDoubt() []*batch {
	inDoubt := l.open
	l.open = nil
	return inDoubt
}

// settle takes appends that were in doubt back: the next read is held against their outcome.
func (l *ledger) settle(batches []*batch) { l.open = append(l.open, batches...) }

// recheck reads the whole log and each stream again: nothing that was read before is lost, moved or changed.
func (l *ledger) recheck(ctx context.Context, log eventlog.Log) error {
	again := func(record eventlog.Record, err error) error {
		if err != nil {
			return fault("the log cannot be read: %v", err)
		}
		event, err := l.find(record)
		if err == nil && event.position != record.Position {
			err = fault("event %s was at position %s and is at %s", record.ID, event.position, record.Position)
		}
		return err
	}
	var number int64
	for record, err := range log.All(ctx, eventlog.Start, eventlog.Everything) {
		if err := again(record, err); err != nil {
			return err
		}
		number++
	}
	if number != l.number {
		return fault("%d events were in the log, %d are", l.number, number)
	}
	for stream, next := range l.next {
		var revision int64
		for record, err := range log.Stream(ctx, stream, 0) {
			if err := again(record, err); err != nil {
				return err
			}
			if record.Stream != stream || record.Revision != revision {
				return fault("stream %s is read with revision %d of %s where %d should be", stream, record.Revision, record.Stream, revision)
			}
			revision++
		}
		if revision != next {
			return fault("stream %s had %d events and has %d", stream, next, revision)
		}
	}
	return nil
}

// makeEvent makes the one event that has an id: its content can be checked without being remembered.
func makeEvent(id string, payloadBytes int) eventlog.Event {
	var seed [32]byte
	number := uuid.MustParse(id)
	copy(seed[:], number[:])
	random := rand.NewChaCha8(seed)
	payload := make([]byte, random.Uint64()%uint64(payloadBytes+1))
	_, _ = random.Read(payload)
	return eventlog.Event{
		ID:            id,
		Type:          "Tested",
		SchemaVersion: 1 + int(number[0]%3),
		Payload:       payload,
		Metadata:      []byte(`{"actor":"system:crash","check":"` + hex.EncodeToString(number[:8]) + `"}`),
	}
}

func makeEvents(ids []string, payloadBytes int) []eventlog.Event {
	events := make([]eventlog.Event, len(ids))
	for i, id := range ids {
		events[i] = makeEvent(id, payloadBytes)
	}
	return events
}
