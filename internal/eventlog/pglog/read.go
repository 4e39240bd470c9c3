package pglog

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"time"

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

const columns = "position, revision, recorded_at, id, schema_version, stream, type, metadata, payload"

// All implements [eventlog.Log]. It ends at the head, so that nothing that it passes can still come: see [Log.Head].
func (l *Log) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		from, err := after.Number()
		var head int64
		if err == nil {
			head, err = l.settledHead(ctx)
		}
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		scan := newScanner()
		for from < head {
			err := l.chunk(ctx, scan, "SELECT "+columns+" FROM kintsugi.event WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3", from, head)
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for i := range scan.records {
				record := &scan.records[i]
				if err := scan.checkOrder(record); err != nil {
					yield(eventlog.Record{}, l.explain(ctx, "read the log", err))
					return
				}
				if filter.Passes(record.Stream, record.Type) && !yield(*record, nil) {
					return
				}
			}
			if !scan.more {
				return
			}
			from = scan.lastPosition
		}
	}
}

// AllBackward implements [eventlog.Log].
func (l *Log) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		next, err := before.Number()
		var head int64
		if err == nil {
			head, err = l.settledHead(ctx)
		}
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		next = min(next-1, head)
		scan := newScanner()
		for next > 0 {
			err := l.chunk(ctx, scan, "SELECT "+columns+" FROM kintsugi.event WHERE position <= $1 ORDER BY position DESC LIMIT $2", next)
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for i := range scan.records {
				record := &scan.records[i]
				if filter.Passes(record.Stream, record.Type) && !yield(*record, nil) {
					return
				}
			}
			if !scan.more {
				return
			}
			next = scan.lastPosition - 1
		}
	}
}

// Stream implements [eventlog.Log].
func (l *Log) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		l.stream(ctx, stream, max(from, 0), 1, "SELECT "+columns+" FROM kintsugi.event WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3", yield)
	}
}

// StreamBackward implements [eventlog.Log].
func (l *Log) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if from >= 0 {
			l.stream(ctx, stream, from, -1, "SELECT "+columns+" FROM kintsugi.event WHERE stream = $1 AND revision <= $2 ORDER BY revision DESC LIMIT $3", yield)
		}
	}
}

// stream yields the events of a stream from a revision on, up or down.
func (l *Log) stream(ctx context.Context, stream string, from, step int64, query string, yield func(eventlog.Record, error) bool) {
	scan := newScanner()
	next := int64(math.MinInt64) // the revision that must come; any, for a start backward from beyond the end
	if step > 0 {
		next = from
	}
	for {
		err := l.chunk(ctx, scan, query, stream, from)
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

// chunk reads the next records; the last argument of the query is how many.
func (l *Log) chunk(ctx context.Context, scan *scanner, query string, args ...any) error {
	limit := scan.limit
	return l.read(ctx, "read", func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query, append(append([]any{binaryColumns}, args...), limit)...)
		if err != nil {
			return err
		}
		return scan.take(rows, limit)
	})
}

// read lends a connection to fn, again if it was lost, so that fn may be called more than once.
func (l *Log) read(ctx context.Context, doing string, fn func(*pgx.Conn) error) error {
	pause := l.newPause()
	for {
		if l.closed.Load() {
			return eventlog.ErrClosed
		}
		err := l.readOnce(ctx, fn)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isElsewhere(err):
			if err := l.incarnate(ctx); err != nil {
				return l.explain(ctx, doing, err)
			}
		}
		if !pause.after(ctx, err) {
			return l.explain(ctx, doing, err)
		}
	}
}

func (l *Log) readOnce(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := l.readers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(conn.Conn())
}

var binaryColumns = pgx.QueryResultFormats{1}

// scanner turns rows into records. It keeps the few strings that come again and again.
type scanner struct {
	records      []eventlog.Record
	more         bool // there may be more rows than these
	limit        int  // how many rows to ask for next
	lastPosition int64
	names        map[string]string
	revisions    map[string]int64 // the last revisions of streams that were met
}

// keep bounds what a scanner keeps.
const keep = 4096

func newScanner() *scanner {
	return &scanner{limit: firstChunk, names: make(map[string]string), revisions: make(map[string]int64)}
}

// take reads rows, replacing the records of the chunk before.
func (s *scanner) take(rows pgx.Rows, limit int) error {
	s.records, s.more = s.records[:0], false
	defer rows.Close()
	bytes, n := 0, 0
	for rows.Next() {
		record, size, err := s.record(rows.RawValues())
		if err != nil {
			return err
		}
		s.records = append(s.records, record)
		n++
		if bytes += size; bytes >= chunkBytes {
			break
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	s.more = n == limit || bytes >= chunkBytes
	switch {
	case bytes >= chunkBytes:
		s.limit = max(n, 1) // the server sends what was asked for, wanted or not
	case bytes < chunkBytes/4:
		s.limit = min(2*limit, lastChunk)
	}
	return nil
}

// record decodes a row in PostgreSQL's binary format, and says how many bytes it has.
func (s *scanner) record(values [][]byte) (eventlog.Record, int, error) {
	if len(values) != 9 || len(values[0]) != 8 || len(values[1]) != 8 || len(values[2]) != 8 || len(values[3]) != 16 || len(values[4]) != 4 {
		return eventlog.Record{}, 0, fmt.Errorf("a row of the event table is not as it was made: %w", errDamaged)
	}
	metadata, payload := values[7], values[8]
	data := make([]byte, len(metadata)+len(payload))
	copy(data, metadata)
	copy(data[len(metadata):], payload)
	s.lastPosition = int64(binary.BigEndian.Uint64(values[0]))
	return eventlog.Record{
		Event: eventlog.Event{
			ID:            idText(values[3]),
			Type:          s.name(values[6]),
			SchemaVersion: int(int32(binary.BigEndian.Uint32(values[4]))),
			Metadata:      data[:len(metadata):len(metadata)],
			Payload:       data[len(metadata):],
		},
		Stream:     s.name(values[5]),
		Revision:   int64(binary.BigEndian.Uint64(values[1])),
		Position:   eventlog.PositionOf(s.lastPosition),
		RecordedAt: instant(int64(binary.BigEndian.Uint64(values[2]))),
	}, len(data), nil
}

// instant converts PostgreSQL's microseconds since 2000.
func instant(micros int64) time.Time {
	const from1970 = 946_684_800 * 1_000_000
	return time.UnixMicro(micros + from1970).UTC()
}

func (s *scanner) name(text []byte) string {
	if name, ok := s.names[string(text)]; ok {
		return name
	}
	if len(s.names) == keep {
		clear(s.names)
	}
	name := string(text)
	s.names[name] = name
	return name
}

// checkOrder guards what the log is for: within a stream, positions have the order of revisions.
func (s *scanner) checkOrder(record *eventlog.Record) error {
	if last, known := s.revisions[record.Stream]; known && record.Revision != last+1 {
		return fmt.Errorf("in stream %s, revision %d comes after %d: %w", record.Stream, record.Revision, last, errDamaged)
	}
	if len(s.revisions) == keep {
		clear(s.revisions)
	}
	s.revisions[record.Stream] = record.Revision
	return nil
}
