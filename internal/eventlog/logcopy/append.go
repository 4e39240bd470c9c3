package logcopy

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Append appends records to a log in the order they come, each at its revision. Each time some
// are stored, told says how many more. After an error a beginning of them is in the log.
//
// As many as one append may have are given to the log together ([eventlog.AppendInOrder]), and waited for.
func Append(ctx context.Context, to eventlog.Log, records iter.Seq2[eventlog.Record, error], told func(n int)) error {
	var load load
	flush := func() error {
		if load.events == 0 {
			return nil
		}
		if err := load.append(ctx, to); err != nil {
			return err
		}
		told(load.events)
		load.reset()
		return nil
	}
	for record, err := range records {
		if err != nil {
			return err
		}
		if !load.takes(record) {
			if err := flush(); err != nil {
				return err
			}
		}
		load.add(record)
	}
	return flush()
}

// load is what is given to the log together.
type load struct {
	batches []eventlog.Batch
	events  int
	bytes   int
}

// takes says whether a record has room within the limits of an append.
func (l *load) takes(record eventlog.Record) bool {
	return l.events == 0 || l.events < eventlog.MaxAppendEvents && l.bytes+size(record) <= eventlog.MaxAppendBytes
}

// add takes a record into the last batch, if it continues that one: consecutive events of a stream are one append.
func (l *load) add(record eventlog.Record) {
	l.events++
	l.bytes += size(record)
	if last := len(l.batches) - 1; last >= 0 {
		batch := &l.batches[last]
		if record.Stream == batch.Stream && record.Revision == batch.Expected.Revision()+1+int64(len(batch.Events)) {
			batch.Events = append(batch.Events, record.Event)
			return
		}
	}
	l.batches = append(l.batches, eventlog.Batch{
		Stream: record.Stream, Expected: eventlog.At(record.Revision - 1), Events: []eventlog.Event{record.Event},
	})
}

func (l *load) reset() { *l = load{} } // no log is given the same slice twice

func size(record eventlog.Record) int { return len(record.Payload) + len(record.Metadata) }

func (l *load) append(ctx context.Context, to eventlog.Log) error {
	err := eventlog.AppendInOrder(ctx, to, l.batches)
	if err == nil {
		return nil
	}
	_, conflict := errors.AsType[*eventlog.ConflictError](err)
	_, content := errors.AsType[*eventlog.ContentError](err)
	if conflict || content {
		return fmt.Errorf("logcopy: somebody else wrote to the target meanwhile: %w", err)
	}
	first := l.batches[0]
	return fmt.Errorf("logcopy: append %d events to the target, the first revision %d of %s: %w", l.events, first.Expected.Revision()+1, first.Stream, err)
}
