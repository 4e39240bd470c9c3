package sqlitelog

import (
	"context"
	"iter"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.Lister = (*Log)(nil)

// Streams implements [eventlog.Lister]: it reads the names, and of each stream one entry of an index.
func (l *Log) Streams(ctx context.Context, prefix string) iter.Seq2[eventlog.StreamEnd, error] {
	return func(yield func(eventlog.StreamEnd, error) bool) {
		for from, more := prefix, true; more; {
			var ends []eventlog.StreamEnd
			err := l.read(ctx, func(conn *sqlite.Conn) (err error) {
				ends, err = streamEnds(conn, from, after(prefix))
				return err
			})
			if err != nil {
				yield(eventlog.StreamEnd{}, err)
				return
			}
			for _, end := range ends {
				if !yield(end, nil) {
					return
				}
				from = end.Stream + "\x00"
			}
			more = len(ends) == chunkRecords
		}
	}
}

func streamEnds(conn *sqlite.Conn, from, before string) (ends []eventlog.StreamEnd, err error) {
	stmt, err := sqlitedb.Prepare(conn, "SELECT name, (SELECT max(revision) FROM event WHERE stream = stream.id) FROM stream WHERE name >= ? AND name < ? ORDER BY name LIMIT ?",
		from, before, chunkRecords)
	if err != nil {
		return nil, err
	}
	defer stmt.Reset()
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return ends, err
		}
		if stmt.ColumnType(1) == sqlite.TypeNull {
			return nil, missingError{"revision", 0}
		}
		ends = append(ends, eventlog.StreamEnd{Stream: stmt.ColumnText(0), Last: stmt.ColumnInt64(1)})
	}
}
