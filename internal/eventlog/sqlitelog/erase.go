package sqlitelog

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// One transaction erases at most this much, so that appends do not wait for long.
const (
	eraseEvents = 256
	eraseBytes  = 1 << 20
)

// erasePatience is how long the end of an erasing waits for who reads what was there before.
const erasePatience = 5 * time.Second

// checkpointPause is how long it waits before it asks again while another process moves the same log.
const checkpointPause = 5 * time.Millisecond

var _ eventlog.Eraser = (*Log)(nil)

// Erase implements [eventlog.Eraser]. Only here the guard against changes is away, inside a transaction: nobody meets the
// file without it, and it is for everybody else what it always was. Afterwards neither the file nor its write-ahead log
// has the payloads: SQLite writes zeros over what it frees, and the write-ahead log is emptied, which waits for who reads.
func (l *Log) Erase(ctx context.Context, parts []eventlog.Part) (erased int64, err error) {
	w := l.writer
	for len(parts) > 0 {
		if err := ctx.Err(); err != nil {
			return erased, err
		}
		n, rest, err := w.eraseSome(parts)
		if err != nil {
			return erased, err
		}
		erased, parts = erased+n, rest
	}
	l.Forget()
	return erased, w.empty()
}

// Forget implements [eventlog.Eraser].
func (l *Log) Forget() { l.writer.tail.Forget() }

// eraseSome erases the first events of parts, in one transaction, and returns what is left to do.
func (w *writer) eraseSome(parts []eventlog.Part) (erased int64, rest []eventlog.Part, err error) {
	w.turn.Lock()
	defer w.release()
	if w.failed != nil {
		return 0, nil, w.failed
	}
	w.conn.SetBusyTimeout(sqlitedb.BusyTimeout)
	err = sqlitedb.Immediate(w.conn, func() error {
		if err := sqlitedb.Exec(w.conn, "DROP TRIGGER IF EXISTS event_no_update"); err != nil {
			return err
		}
		events, size := 0, 0
		for rest = parts; len(rest) > 0 && events < eraseEvents && size < eraseBytes; {
			found, err := w.said(rest[0], eraseEvents-events)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				rest = rest[1:]
				continue
			}
			for _, one := range found {
				events++
				size += len(one.payload)
				if left := eventlog.Erased(one.payload); !bytes.Equal(left, one.payload) {
					if err := sqlitedb.Do(w.conn, "UPDATE event SET payload = ? WHERE pos = ?", left, one.pos); err != nil {
						return err
					}
					erased++
				}
			}
			rest = append([]eventlog.Part{rest[0]}, rest[1:]...)
			rest[0].First = found[len(found)-1].revision + 1
		}
		return sqlitex.ExecuteScript(w.conn, guards, nil)
	})
	if err != nil {
		return 0, nil, w.explain(err)
	}
	return erased, rest, nil
}

type said struct {
	pos, revision int64
	payload       []byte
}

// said is what the first events of a part say.
func (w *writer) said(part eventlog.Part, most int) (all []said, err error) {
	stmt, err := sqlitedb.Prepare(w.conn, "SELECT pos, revision, payload FROM event WHERE stream = (SELECT id FROM stream WHERE name = ?) AND revision BETWEEN ? AND ? ORDER BY revision LIMIT ?",
		part.Stream, part.First, part.Last, most)
	if err != nil {
		return nil, err
	}
	defer stmt.Reset()
	for size := 0; size < eraseBytes; {
		found, err := stmt.Step()
		if err != nil || !found {
			return all, err
		}
		one := said{pos: stmt.ColumnInt64(0), revision: stmt.ColumnInt64(1), payload: columnBytes(stmt, 2)}
		all, size = append(all, one), size+len(one.payload)
	}
	return all, nil
}

// empty moves everything from the write-ahead log to the file, and makes it empty.
func (w *writer) empty() error {
	w.turn.Lock()
	defer w.release()
	if err := w.wal.empty(); err != nil {
		return w.explain(err)
	}
	return nil
}

// empty is a checkpoint after which nothing is in the write-ahead log.
func (c *checkpointer) empty() error {
	if c.moving != nil {
		err := <-c.moving
		if c.moving = nil; err != nil {
			return err
		}
	}
	c.gate.Lock()
	defer c.gate.Unlock()
	c.conn.SetBusyTimeout(erasePatience)
	began := time.Now()
	length, err := lengthOf(c.conn, "TRUNCATE")
	for err == nil && length.busy && time.Since(began) < erasePatience {
		<-time.After(checkpointPause) // SQLite does not wait for a checkpoint of another process
		length, err = lengthOf(c.conn, "TRUNCATE")
	}
	if err == nil && length.busy {
		err = fmt.Errorf("%s was erased, but another process reads what was there before (a backup perhaps): its write-ahead log has it until that ends, and it is to be erased once more then", c.path)
	}
	c.next, c.more = 0, 0
	return err
}
