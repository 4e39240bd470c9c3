package sqlitelog

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// One read transaction reads at most this much: its records are held in memory, and it is to be short.
const (
	chunkRecords = 512
	chunkBytes   = 4 << 20
	chunkRows    = 4096 // with those that do not pass the filter

	// A backward read mostly wants the last event or a few: the first chunk has so many records, and each one after
	// it so many times as many.
	backwardRecords = 4
	backwardGrowth  = 8
)

// span is what a read goes through: numbers that count by one, up or down. An event has two of
// them, its position in the log and its revision in its stream.
type span struct {
	query  string
	column int   // of the query: the number
	stream int64 // for revisions
	next   int64
	last   int64
	step   int64 // 1 or -1
}

const (
	columns        = "pos, stream, revision, schema_version, recorded_at, id, type, metadata, payload"
	byPosition     = "SELECT " + columns + " FROM event WHERE pos BETWEEN ? AND ? ORDER BY pos"
	byRevision     = "SELECT " + columns + " FROM event WHERE revision BETWEEN ? AND ? AND stream = ? ORDER BY revision"
	columnPosition = 0
	columnRevision = 2
)

func positions(first, last, step int64) span {
	return newSpan(byPosition, columnPosition, 0, first, last, step)
}

func revisions(stream, first, last, step int64) span {
	return newSpan(byRevision, columnRevision, stream, first, last, step)
}

func newSpan(query string, column int, stream, first, last, step int64) span {
	if step < 0 {
		query += " DESC"
	}
	return span{query: query, column: column, stream: stream, next: first, last: last, step: step}
}

func (s *span) ended() bool { return (s.last-s.next)*s.step < 0 }

// rows gives the statement for the span from its next number up to one.
func (s *span) rows(conn *sqlite.Conn, until int64) (*sqlite.Stmt, error) {
	low, high := min(s.next, until), max(s.next, until)
	if s.column == columnPosition {
		return sqlitedb.Prepare(conn, s.query, low, high)
	}
	return sqlitedb.Prepare(conn, s.query, low, high, s.stream)
}

// missingError says that the file has lost an event: positions, and the revisions of a stream, have no gaps.
type missingError struct {
	column string
	number int64
}

func (e missingError) Error() string {
	return fmt.Sprintf("the event with %s %d is missing", e.column, e.number)
}

// scanner turns the rows of a span into records, of which it holds a chunk. It keeps the few
// strings that come again and again, and whether they pass the filter.
type scanner struct {
	span
	records []eventlog.Record
	bytes   int // of the records
	most    int // records of the next chunk
	filter  eventlog.Filter
	sparse  *sparse // of a long span with a filter: what is to be read of it
	streams map[int64]name
	types   map[string]name
	scratch []byte
}

type name struct {
	text   string
	passes bool
}

// keep bounds the strings that a scanner keeps.
const keep = 4096

func newScanner(filter eventlog.Filter) *scanner {
	return &scanner{filter: filter, most: chunkRecords, streams: make(map[int64]name), types: make(map[string]name)}
}

// begin sets the span to be read.
func (s *scanner) begin(of span) {
	s.span = of
	if of.step < 0 {
		s.most = backwardRecords
	}
}

// chunk reads on in the span, replacing the records of the chunk before.
func (s *scanner) chunk(conn *sqlite.Conn) error {
	s.records, s.bytes = s.records[:0], 0
	if err := s.findSparse(conn); err != nil {
		return err
	}
	for rows := 0; rows < chunkRows && !s.full() && !s.ended(); {
		until := s.last
		if s.sparse.known() {
			if s.next = s.sparse.from(s.next, s.last+s.step, s.step); s.ended() {
				break
			}
			until = s.next
		}
		n, err := s.read(conn, until, chunkRows-rows)
		if err != nil {
			return err
		}
		rows += n
	}
	s.most = min(s.most*backwardGrowth, chunkRecords)
	return nil
}

func (s *scanner) full() bool { return len(s.records) >= s.most || s.bytes >= chunkBytes }

// read reads on up to a number, as far as the chunk has room, and at most so many rows.
func (s *scanner) read(conn *sqlite.Conn, until int64, most int) (rows int, err error) {
	stmt, err := s.rows(conn, until)
	if err != nil {
		return 0, err
	}
	defer stmt.Reset()
	for ; rows < most && !s.full() && (until-s.next)*s.step >= 0; rows++ {
		found, err := stmt.Step()
		if err != nil {
			return rows, err
		}
		if !found || stmt.ColumnInt64(s.column) != s.next {
			return rows, missingError{stmt.ColumnName(s.column), s.next}
		}
		s.next += s.step
		stream, err := s.stream(conn, stmt.ColumnInt64(1))
		if err != nil {
			return rows, err
		}
		if eventType := s.eventType(stmt, 6); stream.passes && eventType.passes {
			s.records = append(s.records, record(stmt, stream.text, eventType.text))
			s.bytes += stmt.ColumnLen(7) + stmt.ColumnLen(8)
		}
	}
	return rows, nil
}

func record(stmt *sqlite.Stmt, stream, eventType string) eventlog.Record {
	metadata, payload := stmt.ColumnLen(7), stmt.ColumnLen(8)
	data := make([]byte, metadata+payload)
	stmt.ColumnBytes(7, data[:metadata])
	stmt.ColumnBytes(8, data[metadata:])
	return eventlog.Record{
		Event: eventlog.Event{
			ID:            columnID(stmt, 5).String(),
			Type:          eventType,
			SchemaVersion: stmt.ColumnInt(3),
			Metadata:      data[:metadata:metadata],
			Payload:       data[metadata:],
		},
		Stream:     stream,
		Revision:   stmt.ColumnInt64(2),
		Position:   eventlog.PositionOf(stmt.ColumnInt64(0)),
		RecordedAt: time.UnixMicro(stmt.ColumnInt64(4)).UTC(),
	}
}

func (s *scanner) stream(conn *sqlite.Conn, number int64) (name, error) {
	if known, ok := s.streams[number]; ok {
		return known, nil
	}
	stmt, err := sqlitedb.Prepare(conn, "SELECT name FROM stream WHERE id = ?", number)
	if err != nil {
		return name{}, err
	}
	defer stmt.Reset()
	found, err := stmt.Step()
	if err != nil {
		return name{}, err
	}
	if !found {
		return name{}, missingError{"stream", number}
	}
	if len(s.streams) == keep {
		clear(s.streams)
	}
	text := stmt.ColumnText(0)
	known := name{text, eventlog.Filter{StreamPrefixes: s.filter.StreamPrefixes}.Passes(text, "")}
	s.streams[number] = known
	return known, nil
}

func (s *scanner) eventType(stmt *sqlite.Stmt, column int) name {
	n := stmt.ColumnLen(column)
	s.scratch = append(s.scratch[:0], make([]byte, n)...)
	stmt.ColumnBytes(column, s.scratch)
	if known, ok := s.types[string(s.scratch)]; ok {
		return known
	}
	if len(s.types) == keep {
		clear(s.types)
	}
	text := string(s.scratch)
	known := name{text, eventlog.Filter{Types: s.filter.Types}.Passes("", text)}
	s.types[text] = known
	return known
}

// headOf gives the position of the newest event, 0 for an empty log.
func headOf(conn *sqlite.Conn) (int64, error) {
	stmt, err := sqlitedb.Prepare(conn, "SELECT max(pos) FROM event")
	if err != nil {
		return 0, err
	}
	defer stmt.Reset()
	if _, err := stmt.Step(); err != nil {
		return 0, err
	}
	return stmt.ColumnInt64(0), nil
}

// streamOf gives the number and the last revision of a stream; 0 and -1 if it has no events.
func streamOf(conn *sqlite.Conn, name string) (number, last int64, err error) {
	stmt, err := sqlitedb.Prepare(conn, "SELECT id, (SELECT max(revision) FROM event WHERE stream = stream.id) FROM stream WHERE name = ?", name)
	if err != nil {
		return 0, 0, err
	}
	defer stmt.Reset()
	found, err := stmt.Step()
	if err != nil {
		return 0, 0, err
	}
	if !found {
		return 0, -1, nil
	}
	return stmt.ColumnInt64(0), stmt.ColumnInt64(1), nil
}

func columnBytes(stmt *sqlite.Stmt, column int) []byte {
	b := make([]byte, stmt.ColumnLen(column))
	stmt.ColumnBytes(column, b)
	return b
}
