package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// One read transaction reads at most this much: a longer one would keep the
// write-ahead log from being reused, and its records are held in memory.
const (
	chunkEvents = 512
	chunkBytes  = 4 << 20
)

const columns = "pos, stream, revision, schema_version, recorded_at, id, type, metadata, payload"

// Head implements [eventlog.Log].
func (l *Log) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := l.headPosition(ctx)
	return eventlog.PositionOf(head), err
}

func (l *Log) headPosition(ctx context.Context) (head int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		head, err = sqlitedb.Int(conn, "SELECT max(pos) FROM event")
		return err
	})
	return head, err
}

// All implements [eventlog.Log]. The head is that of the first read. No read is
// going on while the loop body runs, so the body may take its time, and may append.
func (l *Log) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		from, err := after.Number()
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		head, err := l.headPosition(ctx)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		scan := newScanner("pos", from+1, 1)
		for from < head {
			err := l.read(ctx, func(conn *sqlite.Conn) error {
				return scan.chunk(conn, "SELECT "+columns+" FROM event WHERE pos > ? AND pos <= ? ORDER BY pos LIMIT ?", from, head, chunkEvents)
			})
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			if len(scan.records) == 0 {
				yield(eventlog.Record{}, l.explain(missingError{"pos", from + 1}))
				return
			}
			for _, record := range scan.records {
				if filter.Passes(record.Stream, record.Type) && !yield(record, nil) {
					return
				}
			}
			from = scan.next - 1
		}
	}
}

// Stream implements [eventlog.Log]. As with [Log.All], the body of the loop may append.
func (l *Log) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		scan := newScanner("revision", max(from, 0), 1)
		for {
			err := l.read(ctx, func(conn *sqlite.Conn) error {
				return scan.chunk(conn, "SELECT "+columns+" FROM event WHERE stream = (SELECT id FROM stream WHERE name = ?) AND revision >= ? ORDER BY revision LIMIT ?", stream, scan.next, chunkEvents)
			})
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for _, record := range scan.records {
				if !yield(record, nil) {
					return
				}
			}
			if !scan.more {
				return
			}
		}
	}
}

// AllBackward implements [eventlog.Log].
func (l *Log) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		from, err := before.Number()
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		head, err := l.headPosition(ctx)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		scan := newScanner("pos", min(from-1, head), -1)
		for scan.next > 0 {
			next := scan.next
			err := l.read(ctx, func(conn *sqlite.Conn) error {
				return scan.chunk(conn, "SELECT "+columns+" FROM event WHERE pos <= ? ORDER BY pos DESC LIMIT ?", next, chunkEvents)
			})
			if err == nil && len(scan.records) == 0 {
				err = l.explain(missingError{"pos", next})
			}
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for _, record := range scan.records {
				if filter.Passes(record.Stream, record.Type) && !yield(record, nil) {
					return
				}
			}
		}
	}
}

// StreamBackward implements [eventlog.Log].
func (l *Log) StreamBackward(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		last := int64(-1)
		err := l.read(ctx, func(conn *sqlite.Conn) error {
			stmt, err := conn.Prepare("SELECT coalesce(max(revision), -1) FROM event WHERE stream = (SELECT id FROM stream WHERE name = ?)")
			if err != nil {
				return err
			}
			defer stmt.Reset()
			stmt.BindText(1, stream)
			_, err = stmt.Step()
			last = stmt.ColumnInt64(0)
			return err
		})
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		scan := newScanner("revision", min(from, last), -1)
		for scan.next >= 0 {
			next := scan.next
			err := l.read(ctx, func(conn *sqlite.Conn) error {
				return scan.chunk(conn, "SELECT "+columns+" FROM event WHERE stream = (SELECT id FROM stream WHERE name = ?) AND revision <= ? ORDER BY revision DESC LIMIT ?", stream, next, chunkEvents)
			})
			if err == nil && len(scan.records) == 0 {
				err = l.explain(missingError{"revision", next})
			}
			if err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			for _, record := range scan.records {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// Subscribe implements [eventlog.Log].
func (l *Log) Subscribe(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return eventlog.Follow(ctx, l, after, filter)
}

// read lends a connection to fn and says what its errors mean.
func (l *Log) read(ctx context.Context, fn func(*sqlite.Conn) error) error {
	conn, err := l.readers.Get(ctx)
	if err == nil {
		defer l.readers.Put(conn)
		err = fn(conn)
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, sqlitedb.ErrPoolClosed) {
		return ctx.Err()
	}
	return l.explain(err)
}

func (l *Log) explain(err error) error {
	var missing missingError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlitedb.ErrPoolClosed):
		return eventlog.ErrClosed
	case sqlitedb.IsDamaged(err), errors.As(err, &missing):
		return fmt.Errorf("sqlitelog: %s is damaged; restore it from a backup: %w", l.path, err)
	}
	return fmt.Errorf("sqlitelog: read %s: %w", l.path, err)
}

// missingError says that the file has lost an event: positions, and the revisions of a stream, have no gaps.
type missingError struct {
	column string
	number int64
}

func (e missingError) Error() string {
	return fmt.Sprintf("the event with %s %d is missing", e.column, e.number)
}

// scanner turns rows into records. It keeps the few strings that come again and again.
type scanner struct {
	counted string // the column that counts by one
	step    int64  // up, or down
	next    int64  // its value in the next record
	records []eventlog.Record
	more    bool // the limits ended the chunk, not the rows
	streams map[int64]string
	types   map[string]string
	scratch []byte
}

// keep bounds the strings that a scanner keeps.
const keep = 4096

func newScanner(counted string, first, step int64) *scanner {
	return &scanner{counted: counted, step: step, next: first, streams: make(map[int64]string), types: make(map[string]string)}
}

// chunk reads the next records, replacing those of the chunk before.
func (s *scanner) chunk(conn *sqlite.Conn, query string, args ...any) error {
	s.records, s.more = s.records[:0], false
	stmt, err := conn.Prepare(query)
	if err != nil {
		return err
	}
	defer stmt.Reset()
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			stmt.BindText(i+1, v)
		case int64:
			stmt.BindInt64(i+1, v)
		case int:
			stmt.BindInt64(i+1, int64(v))
		}
	}
	counted, bytes := stmt.ColumnIndex(s.counted), 0
	for len(s.records) < chunkEvents && bytes < chunkBytes {
		found, err := stmt.Step()
		if err != nil {
			return err
		}
		if !found {
			return nil
		}
		if stmt.ColumnInt64(counted) != s.next {
			return missingError{s.counted, s.next}
		}
		s.next += s.step
		record, err := s.record(conn, stmt)
		if err != nil {
			return err
		}
		bytes += len(record.Payload) + len(record.Metadata)
		s.records = append(s.records, record)
	}
	s.more = true
	return nil
}

func (s *scanner) record(conn *sqlite.Conn, stmt *sqlite.Stmt) (eventlog.Record, error) {
	stream, err := s.stream(conn, stmt.ColumnInt64(1))
	if err != nil {
		return eventlog.Record{}, err
	}
	metadata, payload := stmt.ColumnLen(7), stmt.ColumnLen(8)
	data := make([]byte, metadata+payload)
	stmt.ColumnBytes(7, data[:metadata])
	stmt.ColumnBytes(8, data[metadata:])
	return eventlog.Record{
		Event: eventlog.Event{
			ID:            columnID(stmt, 5).String(),
			Type:          s.typeName(stmt, 6),
			SchemaVersion: stmt.ColumnInt(3),
			Metadata:      data[:metadata:metadata],
			Payload:       data[metadata:],
		},
		Stream:     stream,
		Revision:   stmt.ColumnInt64(2),
		Position:   eventlog.PositionOf(stmt.ColumnInt64(0)),
		RecordedAt: time.UnixMicro(stmt.ColumnInt64(4)).UTC(),
	}, nil
}

func (s *scanner) stream(conn *sqlite.Conn, id int64) (string, error) {
	if name, ok := s.streams[id]; ok {
		return name, nil
	}
	stmt, err := conn.Prepare("SELECT name FROM stream WHERE id = ?")
	if err != nil {
		return "", err
	}
	defer stmt.Reset()
	stmt.BindInt64(1, id)
	found, err := stmt.Step()
	if err != nil {
		return "", err
	}
	if !found {
		return "", fmt.Errorf("stream %d has no name", id)
	}
	if len(s.streams) == keep {
		clear(s.streams)
	}
	name := stmt.ColumnText(0)
	s.streams[id] = name
	return name, nil
}

func (s *scanner) typeName(stmt *sqlite.Stmt, column int) string {
	n := stmt.ColumnLen(column)
	s.scratch = append(s.scratch[:0], make([]byte, n)...)
	stmt.ColumnBytes(column, s.scratch)
	if name, ok := s.types[string(s.scratch)]; ok {
		return name
	}
	if len(s.types) == keep {
		clear(s.types)
	}
	name := string(s.scratch)
	s.types[name] = name
	return name
}

func columnBytes(stmt *sqlite.Stmt, column int) []byte {
	b := make([]byte, stmt.ColumnLen(column))
	stmt.ColumnBytes(column, b)
	return b
}

func columnID(stmt *sqlite.Stmt, column int) (id eventID) {
	stmt.ColumnBytes(column, id[:])
	return id
}
