package commands

import (
	"container/heap"
	"context"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// History yields all events of several streams in the order they were recorded: the whole
// history of a workflow is its own stream, its runs and its threads. The streams have to be
// given in the order they began. An event that was erased is an [event.Erased]; one that cannot be read is an error that
// names it.
func (c Histories) History(ctx context.Context, streams []string) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for record, err := range c.Records(ctx, streams) {
			var recorded event.Recorded
			if err == nil {
				recorded, err = c.Show(record)
			}
			if !yield(recorded, err) || err != nil {
				return
			}
		}
	}
}

// Show opens a record to be shown: an erased payload is no error.
func (c *core) Show(record eventlog.Record) (event.Recorded, error) {
	if !eventlog.IsErased(record.Payload) {
		return c.open(record)
	}
	metadata, err := event.ReadMetadata(record.Metadata)
	if err != nil {
		return event.Recorded{}, &StreamError{Stream: record.Stream, Revision: record.Revision, Type: record.Type, Err: err}
	}
	return event.Recorded{
		Stream: record.Stream, Revision: record.Revision, Position: string(record.Position), Metadata: metadata,
		Event: event.Erased{Type: record.Type, Text: "what it said was erased; its digest was kept"},
	}, nil
}

// VerifyChains checks the hash chains of the streams; a payload that was erased under its digest breaks none. It
// returns the first [*hashchain.BrokenError], or an error of reading.
func (c Histories) VerifyChains(ctx context.Context, streams []string) error {
	verifier := hashchain.Verifier{AllowErased: true}
	for record, err := range c.Records(ctx, streams) {
		if err != nil {
			return err
		}
		if err := verifier.Check(record); err != nil {
			return err
		}
	}
	return nil
}

// Records is [Histories.History] as the log has it, not decoded.
func (c Histories) Records(ctx context.Context, streams []string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		merged := merge{}
		defer func() { merged.stop() }()
		var latest eventlog.Position // where the stream begins that was opened last
		for {
			// The next streams begin later than the one opened last, so they are opened only when
			// the history has come so far: as many are open as overlap, and one.
			for len(streams) > 0 && (len(merged) == 0 || latest < merged[0].next.Position) {
				reader := open(c.log.Stream(ctx, streams[0], 0))
				found, err := reader.advance()
				if err != nil {
					reader.stop()
					yield(eventlog.Record{}, fmt.Errorf("commands: read %s: %w", streams[0], err))
					return
				}
				streams = streams[1:]
				if found {
					latest = reader.next.Position
					heap.Push(&merged, reader)
				}
			}
			if len(merged) == 0 {
				return
			}
			first := merged[0]
			if !yield(first.next, nil) {
				return
			}
			found, err := first.advance()
			switch {
			case err != nil:
				yield(eventlog.Record{}, fmt.Errorf("commands: read %s: %w", first.next.Stream, err))
				return
			case found:
				heap.Fix(&merged, 0)
			default:
				heap.Pop(&merged)
			}
		}
	}
}

// reader is a stream that is being read, and its next record.
type reader struct {
	next eventlog.Record
	pull func() (eventlog.Record, error, bool)
	stop func()
}

func open(records iter.Seq2[eventlog.Record, error]) *reader {
	pull, stop := iter.Pull2(records)
	return &reader{pull: pull, stop: stop}
}

// advance says whether there is a next record.
func (r *reader) advance() (bool, error) {
	record, err, more := r.pull()
	if !more || err != nil {
		return false, err
	}
	r.next = record
	return true, nil
}

// merge is a heap of readers, that with the oldest record first.
type merge []*reader

func (m merge) stop() {
	for _, reader := range m {
		reader.stop()
	}
}

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return m[i].next.Position < m[j].next.Position }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// Push implements [heap.Interface].
func (m *merge) Push(x any) { *m = append(*m, x.(*reader)) }

// Pop implements [heap.Interface].
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// Earlier is the first event that a command led to on a stream, nil if it was not carried out. It is for what is done beside the
// log before it is recorded, and must not be done twice.
func (c Histories) Earlier(ctx context.Context, stream, command string) (event.Event, error) {
	for one, err := range c.History(ctx, []string{stream}) {
		if err != nil {
			return nil, err
		}
		if one.Metadata.CommandID == command {
			return one.Event, nil
		}
	}
	return nil, nil
}
