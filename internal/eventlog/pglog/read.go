package pglog

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// A read asks for a few events first, so that a short one is quick, then for twice as many each time, as long as
// they are not too large: they are held in memory while the consumer goes through them, and
// no connection is held meanwhile.
const (
	firstChunk = 64
	lastChunk  = 4096
	chunkBytes = 4 << 20
)

// All implements [eventlog.Log]. It ends at the head, so that nothing that it passes can still come: see [Log.Head].
func (l *Log) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return recordsOf(l.chunks(ctx, after, filter, forward))
}

// AllBackward implements [eventlog.Log].
func (l *Log) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return recordsOf(l.chunks(ctx, before, filter, backward))
}

var _ eventlog.Scanner = (*Log)(nil)

// Scan implements [eventlog.Scanner]. It tells how far it is after each read that found nothing. It has the events of
// other processes once a hint of [Log.Wake] has come, or [Log.Head] has seen them.
func (l *Log) Scan(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) {
		seen := after
		w, err := l.tail.latest(ctx)
		if err != nil {
			yield(eventlog.Delivery{}, err)
			return
		}
		for chunk, err := range l.chunksUpTo(ctx, after, w.after, filter) {
			if err != nil {
				yield(eventlog.Delivery{}, err)
				return
			}
			for _, record := range chunk.records {
				if !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
					return
				}
			}
			seen = max(seen, eventlog.PositionOf(chunk.upTo))
			if len(chunk.records) == 0 && chunk.more && !yield(eventlog.Delivery{Position: seen}, nil) {
				return
			}
		}
		for _, record := range w.since(seen) {
			if filter.Passes(record.Stream, record.Type) && !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
				return
			}
		}
		yield(eventlog.Delivery{Position: max(seen, eventlog.PositionOf(w.upTo)), CaughtUp: true}, nil)
	}
}

func recordsOf(chunks iter.Seq2[chunk, error]) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for chunk, err := range chunks {
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

// chunk is what one read of the whole log found.
type chunk struct {
	records []eventlog.Record // valid until the next chunk
	upTo    int64             // everything up to this position was looked at
	more    bool              // the log goes on
}

// direction is in which the whole log is read: what a read looks at, in SQL, and its first and last place.
type direction struct {
	query    string
	filtered string
	step     int64
}

// A filter is applied in the server. The query bounds the number of events that it looks at, not the number that
// pass: those could take a search through the whole log.
const filteredQuery = `
WITH looked AS (
	SELECT %s(position) AS last, count(*) AS n FROM (
		SELECT position FROM kintsugi.event WHERE position BETWEEN $1 AND $2 ORDER BY position %s LIMIT $3
	) AS p
)
SELECT looked.last, looked.n, ` + columns + `
FROM looked LEFT JOIN kintsugi.event ON position BETWEEN %s
	AND (cardinality($4::text[]) = 0 OR stream ^@ ANY ($4)) AND (cardinality($5::text[]) = 0 OR type = ANY ($5))
ORDER BY position %s`

var (
	forward = direction{
		query:    "SELECT " + columns + " FROM kintsugi.event WHERE position BETWEEN $1 AND $2 ORDER BY position LIMIT $3",
		filtered: fmt.Sprintf(filteredQuery, "max", "ASC", "$1 AND looked.last", "ASC"),
		step:     1,
	}
	backward = direction{
		query:    "SELECT " + columns + " FROM kintsugi.event WHERE position BETWEEN $1 AND $2 ORDER BY position DESC LIMIT $3",
		filtered: fmt.Sprintf(filteredQuery, "min", "DESC", "looked.last AND $2", "DESC"),
		step:     -1,
	}
)

// chunks reads the whole log, from a position that is left out to the head or to the beginning.
func (l *Log) chunks(ctx context.Context, from eventlog.Position, filter eventlog.Filter, d direction) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		number, err := from.Number()
		var last int64
		if err == nil {
			last, err = l.settledHead(ctx)
		}
		if err != nil {
			yield(chunk{}, err)
			return
		}
		if d.step < 0 {
			l.chunksOf(ctx, 1, min(last, number-1), filter, d, yield)
		} else if number < last { // one more than the greatest number would be the smallest
			l.chunksOf(ctx, number+1, last, filter, d, yield)
		}
	}
}

// chunksUpTo reads the log between a position that is left out and one that is not.
func (l *Log) chunksUpTo(ctx context.Context, after eventlog.Position, last int64, filter eventlog.Filter) iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		number, err := after.Number()
		if err != nil {
			yield(chunk{}, err)
		} else if number < last {
			l.chunksOf(ctx, number+1, last, filter, forward, yield)
		}
	}
}

// chunksOf reads the log between two positions, both included.
func (l *Log) chunksOf(ctx context.Context, first, last int64, filter eventlog.Filter, d direction, yield func(chunk, error) bool) {
	scan := newScanner(filter)
	for first <= last {
		upTo := last
		if d.step < 0 {
			upTo = first
		}
		if err := l.nextChunk(ctx, scan, d, first, last); err != nil {
			yield(chunk{}, err)
			return
		}
		if scan.more {
			upTo = scan.looked
		}
		if sound, err := scan.checkOrder(d.step); err != nil {
			// The records before the fault are whole, and their last position says where the fault is.
			if sound > 0 && !yield(chunk{records: scan.records[:sound], more: true}, nil) {
				return
			}
			yield(chunk{}, l.explain(ctx, "read the log", err))
			return
		}
		if !yield(chunk{scan.records, upTo, scan.more}, nil) || !scan.more {
			return
		}
		if d.step > 0 {
			first = upTo + 1
		} else {
			last = upTo - 1
		}
	}
}

func (l *Log) nextChunk(ctx context.Context, scan *scanner, d direction, first, last int64) error {
	if len(scan.filter.StreamPrefixes)+len(scan.filter.Types) == 0 {
		return l.query(ctx, scan, d.query, first, last, scan.limit)
	}
	return l.query(ctx, scan, d.filtered, first, last, scan.limit, scan.prefixes, scan.types)
}

const (
	streamQuery         = "SELECT " + columns + " FROM kintsugi.event WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3"
	streamBackwardQuery = "SELECT " + columns + " FROM kintsugi.event WHERE stream = $1 AND revision <= $2 ORDER BY revision DESC LIMIT $3"
)

// Stream implements [eventlog.Log].
func (l *Log) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		l.stream(ctx, stream, max(from, 0), 1, streamQuery, yield)
	}
}

// StreamBackward implements [eventlog.Log].
func (l *Log) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if from >= 0 {
			l.stream(ctx, stream, from, -1, streamBackwardQuery, yield)
		}
	}
}

// stream yields the events of a stream from a revision on, up or down.
func (l *Log) stream(ctx context.Context, stream string, from, step int64, query string, yield func(eventlog.Record, error) bool) {
	scan := newScanner(eventlog.Everything)
	next := int64(math.MinInt64) // the revision that must come; any, for a start backward from beyond the end
	if step > 0 {
		next = from
	}
	for {
		err := l.query(ctx, scan, query, stream, from, scan.limit)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		for i := range scan.records {
			record := &scan.records[i]
			if next != math.MinInt64 && record.Revision != next {
				yield(eventlog.Record{}, l.explain(ctx, "read stream "+stream, fmt.Errorf("revision %d is missing: %w", next, errDamaged)))
				return
			}
			next = record.Revision + step
			if !yield(*record, nil) {
				return
			}
		}
		if !scan.more {
			return
		}
		if from = next; from < 0 {
			return
		}
	}
}

// query reads the next records.
func (l *Log) query(ctx context.Context, scan *scanner, query string, args ...any) error {
	limit := scan.limit
	return l.read(ctx, "read", func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query, append([]any{binaryColumns}, args...)...)
		if err != nil {
			return err
		}
		return scan.take(rows, limit)
	})
}

// read lends a connection to fn, again if it was lost, so that fn may be called more than once.
func (l *Log) read(ctx context.Context, doing string, fn func(context.Context, *pgx.Conn) error) error {
	wait := newBackoff(l.patience(), l.away)
	for {
		if l.closed.Load() {
			return eventlog.ErrClosed
		}
		err := l.readOnce(ctx, fn)
		l.reached(err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isElsewhere(err):
			if failure := l.alignEpoch(ctx); failure != nil {
				err = failure
			}
		}
		if !wait.after(ctx, err) {
			return l.explain(ctx, doing, err)
		}
	}
}

func (l *Log) readOnce(ctx context.Context, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, l.options.attemptFor)
	defer cancel()
	conn, err := l.readers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(ctx, conn.Conn())
}
