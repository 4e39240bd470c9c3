package sqlitelog

import (
	"context"
	"encoding/binary"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.Examiner = (*Log)(nil)

// Each of these queries finds contradictions, so it must give no row. The first column is the stream, if there is one
// to name.
var examinations = []struct{ query, says string }{
	{"SELECT name FROM stream WHERE NOT EXISTS (SELECT * FROM event WHERE stream = stream.id) LIMIT 1", "stream %s has lost all its events"},
	{
		"SELECT name FROM event JOIN stream ON stream.id = event.stream GROUP BY event.stream, event.id HAVING count(*) > 1 LIMIT 1",
		"stream %s has an event id twice",
	},
	{
		`SELECT name FROM indexed_stream JOIN stream ON stream.id = indexed_stream.stream
			WHERE indexed_stream.revision > (SELECT max(revision) FROM event WHERE event.stream = indexed_stream.stream) LIMIT 1`,
		"stream %s has lost its newest events: the index of its ids goes on",
	},
	{
		`SELECT name FROM indexed_id AS i JOIN stream ON stream.id = i.stream
			WHERE NOT EXISTS (SELECT * FROM event WHERE stream = i.stream AND revision = i.revision AND id = i.id) LIMIT 1`,
		"the index of ids does not agree with the events of stream %s",
	},
	{
		`SELECT name FROM indexed_stream AS i JOIN stream ON stream.id = i.stream
			WHERE i.revision + 1 <> (SELECT count(*) FROM indexed_id WHERE stream = i.stream AND revision <= i.revision) LIMIT 1`,
		"ids of stream %s are missing in the index of ids",
	},
}

// Examine implements [eventlog.Examiner].
func (l *Log) Examine(ctx context.Context) error {
	return l.read(ctx, func(conn *sqlite.Conn) error {
		return sqlitedb.Snapshot(conn, func() error {
			if found, err := sqlitedb.Text(conn, "PRAGMA integrity_check(1)"); err != nil {
				return err
			} else if found != "ok" {
				return disagreement("SQLite finds: " + found)
			}
			if err := examineSchema(conn); err != nil {
				return err
			}
			for _, one := range examinations {
				found, err := sqlitedb.Text(conn, one.query)
				if err == nil && found != "" {
					err = disagreement(fmt.Sprintf(one.says, found))
				}
				if err != nil {
					return err
				}
			}
			return examineNotes(conn)
		})
	})
}

// Restored implements [eventlog.Examiner].
func (l *Log) Restored() []string { return l.restored }

func examineSchema(conn *sqlite.Conn) error {
	have, err := partsOf(conn)
	if err != nil {
		return err
	}
	found, err := deviationsOf(have)
	if err == nil && !found.none() {
		err = disagreement("the schema is not the one that this program makes: " + found.String())
	}
	return err
}

// disagreement says that what is kept beside the events does not agree with them.
type disagreement string

// Error implements error.
func (d disagreement) Error() string { return string(d) }

// examineNotes looks for events whose id is in no note up to which it should be: it could be appended a second time.
func examineNotes(conn *sqlite.Conn) error {
	notes, err := conn.Prepare("SELECT place, ids FROM noted_ids ORDER BY place")
	if err != nil {
		return err
	}
	defer notes.Reset()
	stream, next := int64(-1), int64(0)
	for {
		found, err := notes.Step()
		if err != nil || !found {
			return err
		}
		place := notes.ColumnInt64(0)
		if of := place / placesOfStream; of != stream {
			stream, next = of, 0
		}
		noted := map[uint64]bool{}
		for ids := columnBytes(notes, 1); len(ids) >= 8; ids = ids[8:] {
			noted[binary.LittleEndian.Uint64(ids)] = true
		}
		last := place % placesOfStream
		if err := examineNote(conn, stream, next, last, noted); err != nil {
			return err
		}
		next = last + 1
	}
}

func examineNote(conn *sqlite.Conn, stream, first, last int64, noted map[uint64]bool) error {
	events, err := sqlitedb.Prepare(conn, "SELECT id FROM event WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision", stream, first, last)
	if err != nil {
		return err
	}
	defer events.Reset()
	for revision := first; revision <= last; revision++ {
		found, err := events.Step()
		switch {
		case err != nil:
			return err
		case !found:
			return disagreement(fmt.Sprintf("stream number %d has lost its events from revision %d on: a note of their ids is there", stream, revision))
		case !noted[columnID(events, 0).short()]:
			return disagreement(fmt.Sprintf("the note of ids of stream number %d does not agree with its revision %d", stream, revision))
		}
	}
	return nil
}
