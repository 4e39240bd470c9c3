package readmodel

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Records are read and decoded ahead of the folds, so that one processor reads while another folds, and while rows are
// written. So much at once:
const (
	chunkEvents = 256
	chunkBytes  = 512 << 10
	chunksAhead = 40
)

// Decoder is a [Projection] that reads records for all of them before they are folded. Decode is called by several
// goroutines, and must depend on nothing but the record. [Tx.Decoded] gives the result.
type Decoder interface {
	Decode(record eventlog.Record) any
}

// Decoded is what the [Decoder] made of the event that is folded now.
func (tx *Tx) Decoded() any { return tx.decoded }

// undecodable is what a panic of a decoder left.
type undecodable struct{ err error }

func (s *Store) decode(record eventlog.Record) (made any) {
	if s.decoder == nil {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			made = undecodable{fmt.Errorf("panic: %v\n%s", cause, debug.Stack())}
		}
	}()
	return s.decoder.Decode(record)
}

// ahead is records that are still to be applied, in order.
type ahead struct {
	next *read // nil if it is dealt with
	err  error // of the log

	chunks  chan *chunk
	now     *chunk
	at      int // in now
	cancel  context.CancelFunc
	working sync.WaitGroup
}

// chunk is records that are decoded together.
type chunk struct {
	read  []read
	err   error
	ready chan struct{}
}

// read is a record that is decoded.
type read struct {
	eventlog.Record
	decoded  any
	storable bool // whatever texts a fold takes from it
}

func newChunk() *chunk { return &chunk{read: make([]read, 0, chunkEvents), ready: make(chan struct{})} }

// readAfter begins to read. It goes on until stop.
func (s *Store) readAfter(ctx context.Context, after eventlog.Position) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{chunks: make(chan *chunk, chunksAhead), cancel: cancel}
	a.working.Go(func() {
		defer close(a.chunks)
		next, size := newChunk(), 0
		send := func() bool {
			of := next
			next, size = newChunk(), 0
			a.working.Go(func() { s.decodeAll(of) })
			select {
			case a.chunks <- of:
				return true
			case <-ctx.Done():
				return false
			}
		}
		for delivery, err := range eventlog.Scan(ctx, s.log, after, eventlog.Everything) {
			if err != nil {
				next.err = err
				break
			}
			record := delivery.Record
			if record == nil {
				continue
			}
			next.read = append(next.read, read{Record: *record})
			size += len(record.Payload) + len(record.Metadata)
			if (len(next.read) == chunkEvents || size >= chunkBytes) && !send() {
				return
			}
		}
		send()
	})
	return a
}

func (s *Store) decodeAll(of *chunk) {
	for i := range of.read {
		s.decodeOne(&of.read[i])
	}
	close(of.ready)
}

func (s *Store) decodeOne(one *read) {
	one.decoded = s.decode(one.Record)
	one.storable = storableJSON(one.Payload) && storableJSON(one.Metadata)
}

// storableJSON says that every text in a JSON text is as [storable] has it.
func storableJSON(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 && !bytes.Contains(text, []byte(`\u0000`))
}

func (a *ahead) stop() {
	a.cancel()
	a.working.Wait()
}

// peek says whether there is a record.
func (a *ahead) peek() bool {
	for a.next == nil && a.err == nil {
		if a.now == nil || a.at == len(a.now.read) {
			if a.now != nil && a.now.err != nil {
				a.err = a.now.err
				break
			}
			next, more := <-a.chunks
			if !more {
				break
			}
			<-next.ready
			a.now, a.at = next, 0
			continue
		}
		a.next = &a.now.read[a.at]
		a.at++
	}
	return a.next != nil
}

// take says that the record is dealt with.
func (a *ahead) take() { a.next = nil }
