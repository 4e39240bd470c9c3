package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Head implements [eventlog.Log].
func (l *Log) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := l.head(ctx)
	return eventlog.PositionOf(head), err
}

func (l *Log) head(ctx context.Context) (head int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		head, err = headOf(conn)
		return err
	})
	return head, err
}

// All implements [eventlog.Log]. The head is that of the first read. No read is
// going on while the loop body runs, so the body may take its time, and may append.
func (l *Log) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		seen := after
		for _, record := range l.writer.tail.After(after) {
			seen = record.Position
			if filter.Passes(record.Stream, record.Type) && !yield(record, nil) {
				return
			}
		}
		l.records(ctx, filter, upFrom(seen))(yield)
	}
}

// AllBackward implements [eventlog.Log]. As with [Log.All], the body of the loop may append.
func (l *Log) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return l.records(ctx, filter, func(conn *sqlite.Conn) (span, error) {
		number, err := before.Number()
		if err != nil {
			return span{}, err
		}
		head, err := headOf(conn)
		return positions(min(number-1, head), 1, -1), err
	})
}

// Stream implements [eventlog.Log]. As with [Log.All], the body of the loop may append.
func (l *Log) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return l.records(ctx, eventlog.Everything, func(conn *sqlite.Conn) (span, error) {
		number, last, err := streamOf(conn, stream)
		return revisions(number, max(from, 0), last, 1), err
	})
}

// StreamBackward implements [eventlog.Log]. As with [Log.All], the body of the loop may append.
func (l *Log) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return l.records(ctx, eventlog.Everything, func(conn *sqlite.Conn) (span, error) {
		number, last, err := streamOf(conn, stream)
		return revisions(number, min(from, last), 0, -1), err
	})
}

// Subscribe implements [eventlog.Log].
func (l *Log) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return eventlog.Follow(ctx, l, after, filter)
}

var _ eventlog.Scanner = (*Log)(nil)

// Scan implements [eventlog.Scanner]. It tells how far it is after each read that found nothing.
func (l *Log) Scan(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) {
		seen := after
		for _, record := range l.writer.tail.After(after) {
			seen = record.Position
			if !filter.Passes(record.Stream, record.Type) {
				continue
			}
			if !yield(eventlog.Delivery{Record: &record, Position: seen}, nil) {
				return
			}
		}
		for chunk, err := range l.chunks(ctx, filter, upFrom(seen)) {
			if err != nil {
				yield(eventlog.Delivery{}, err)
				return
			}
			for _, record := range chunk.records {
				if !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
					return
				}
			}
			// An empty log, or one that ends before this position, has been seen up to there.
			seen = max(seen, eventlog.PositionOf(chunk.next-1))
			if len(chunk.records) == 0 && !chunk.ended() && !yield(eventlog.Delivery{Position: seen}, nil) {
				return
			}
		}
		yield(eventlog.Delivery{Position: seen, CaughtUp: true}, nil)
	}
}

func upFrom(after eventlog.Position) func(*sqlite.Conn) (span, error) {
	return func(conn *sqlite.Conn) (span, error) {
		number, err := after.Number()
		if err != nil {
			return span{}, err
		}
		head, err := headOf(conn)
		return positions(min(number, head)+1, head, 1), err
	}
}

// records yields what is in a span and passes the filter.
func (l *Log) records(ctx context.Context, filter eventlog.Filter, open func(*sqlite.Conn) (span, error)) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for chunk, err := range l.chunks(ctx, filter, open) {
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for _, record := range chunk.records {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// chunks reads a span, which open finds out, in short read transactions. One is ended when its chunk is
// yielded: a long one would keep the write-ahead log from being reused, whatever the consumer does meanwhile.
func (l *Log) chunks(ctx context.Context, filter eventlog.Filter, open func(*sqlite.Conn) (span, error)) iter.Seq2[*scanner, error] {
	return func(yield func(*scanner, error) bool) {
		scan := newScanner(filter)
		err := l.read(ctx, func(conn *sqlite.Conn) error {
			of, err := open(conn)
			if err != nil {
				return err
			}
			scan.begin(of)
			return scan.chunk(conn)
		})
		for err == nil && yield(scan, nil) && !scan.ended() {
			runtime.Gosched()               // a read of everything would keep the writer from its processor for 10 ms again and again
			scan.records = scan.records[:0] // they were taken, also if nothing more can be read
			err = l.read(ctx, scan.chunk)
		}
		if err == nil {
			return
		}
		// The records before the fault are whole, and their last position says where the fault is.
		if len(scan.records) > 0 && !yield(scan, nil) {
			return
		}
		yield(nil, err)
	}
}

// read lends a connection to fn and says what its errors mean.
func (l *Log) read(ctx context.Context, fn func(*sqlite.Conn) error) error {
	conn, err := l.readers.Get(ctx)
	if err == nil {
		defer l.readers.Put(conn)
		l.gate.RLock()
		defer l.gate.RUnlock()
		err = fn(conn)
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, sqlitedb.ErrPoolClosed) {
		return ctx.Err()
	}
	return l.explain(err)
}

func (l *Log) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitedb.ErrPoolClosed):
		return eventlog.ErrClosed
	case isDamage(err):
		return &damagedError{path: l.path, err: err}
	}
	return fmt.Errorf("sqlitelog: read %s: %w", l.path, err)
}

func isDamage(err error) bool {
	_, missing := errors.AsType[missingError](err)
	_, disagrees := errors.AsType[disagreement](err)
	return missing || disagrees || sqlitedb.IsDamaged(err)
}

// damagedError is [eventlog.ErrDamaged] of a file.
type damagedError struct {
	path string
	err  error
}

// Error implements error.
func (e *damagedError) Error() string {
	return fmt.Sprintf("sqlitelog: %s is damaged; restore it from a backup: %v", e.path, e.err)
}

// Unwrap gives what is known of it.
func (e *damagedError) Unwrap() []error { return []error{eventlog.ErrDamaged, e.err} }
