package sqlitelog

import (
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// knownIDs answers "where in this stream is this event id?", which each append asks. It remembers the ids of
// the newest events of the streams in use; those of older events are in the index of index.sql.
// What other processes append is read from the file when a stream turns out to be longer than known.
type knownIDs struct {
	conn *sqlite.Conn
	// The streams in use. When the young are many they become the old ones, and those of the old
	// that were not used in between are forgotten.
	young, old map[int64]*tail
	size       int // of the young, in ids
}

// tail is what is remembered of a stream.
type tail struct {
	indexed int64 // the last revision that is in the index
	last    int64 // the last revision that is in ids
	// ids holds 8 of the 16 bytes of each id: yes means perhaps, no means no.
	ids map[uint64]struct{}
}

const (
	// maxTail bounds what is read of a long stream that comes into use, and how often the index is written.
	maxTail = 4096
	// maxYoung bounds the memory: young and old together take some 30 MB.
	maxYoung = 1 << 19
	// emptyTail is what a tail takes without its ids, in ids.
	emptyTail = 16
)

func newKnownIDs(conn *sqlite.Conn) *knownIDs {
	k := &knownIDs{conn: conn}
	k.forget()
	return k
}

// forget drops everything: after a rollback the sets may have ids that are not in the file.
func (k *knownIDs) forget() {
	k.young, k.old, k.size = make(map[int64]*tail), make(map[int64]*tail), 0
}

// tail gives what is known of a stream that has events up to a revision, -1 for none.
func (k *knownIDs) tail(stream, last int64) (*tail, error) {
	t, err := k.remembered(stream, last)
	if err != nil {
		return nil, err
	}
	if last-t.indexed > maxTail {
		if err := k.index(stream, last); err != nil {
			return nil, err
		}
		k.size -= len(t.ids)
		*t = tail{indexed: last, last: last, ids: make(map[uint64]struct{})}
	}
	return t, k.read(stream, last, t)
}

func (k *knownIDs) remembered(stream, last int64) (*tail, error) {
	t := k.young[stream]
	if t != nil {
		return t, nil
	}
	if t = k.old[stream]; t == nil {
		t = &tail{indexed: -1, ids: make(map[uint64]struct{})}
		if last >= maxTail { // a shorter stream is not in the index
			var err error
			if t.indexed, err = k.indexedUpTo(stream); err != nil {
				return nil, err
			}
		}
		t.last = t.indexed
	}
	if k.size > maxYoung {
		k.young, k.old, k.size = make(map[int64]*tail), k.young, 0
	}
	delete(k.old, stream)
	k.young[stream] = t
	k.size += emptyTail + len(t.ids)
	return t, nil
}

// read adds what is in the file and not in a tail yet.
func (k *knownIDs) read(stream, last int64, t *tail) error {
	if t.last == last {
		return nil
	}
	stmt, err := sqlitedb.Prepare(k.conn, "SELECT id, revision FROM event WHERE stream = ? AND revision > ? ORDER BY revision", stream, t.last)
	if err != nil {
		return err
	}
	defer stmt.Reset()
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return err
		}
		k.add(t, columnID(stmt, 0), stmt.ColumnInt64(1))
	}
}

func (k *knownIDs) add(t *tail, id eventID, revision int64) {
	t.ids[id.short()] = struct{}{}
	t.last = revision
	k.size++
}

// index brings the index of a stream up to a revision. Another process may have been here before.
func (k *knownIDs) index(stream, last int64) error {
	indexed, err := k.indexedUpTo(stream)
	if err != nil || indexed >= last {
		return err
	}
	err = sqlitedb.Do(k.conn, "INSERT INTO indexed_id (stream, id, revision) SELECT stream, id, revision FROM event WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY id", stream, indexed, last)
	if err != nil {
		return err
	}
	return sqlitedb.Do(k.conn, "REPLACE INTO indexed_stream (stream, revision) VALUES (?, ?)", stream, last)
}

func (k *knownIDs) indexedUpTo(stream int64) (int64, error) {
	revision, found, err := k.revision("SELECT revision FROM indexed_stream WHERE stream = ?", stream)
	if !found {
		revision = -1
	}
	return revision, err
}

// find says at which revision a stream has an id. It looks first where a repeated append has it.
func (k *knownIDs) find(stream int64, t *tail, id eventID, likely int64) (revision int64, found bool, err error) {
	if _, perhaps := t.ids[id.short()]; perhaps {
		revision, found, err = k.revision("SELECT revision FROM event WHERE stream = ? AND revision = ? AND id = ?", stream, likely, id[:])
		if err == nil && !found {
			revision, found, err = k.revision("SELECT revision FROM event WHERE stream = ? AND revision > ? AND id = ?", stream, t.indexed, id[:])
		}
	}
	if err == nil && !found && t.indexed >= 0 {
		revision, found, err = k.revision("SELECT revision FROM indexed_id WHERE stream = ? AND id = ?", stream, id[:])
	}
	return revision, found, err
}

// revision runs a query for one revision.
func (k *knownIDs) revision(query string, parameters ...any) (revision int64, found bool, err error) {
	stmt, err := sqlitedb.Prepare(k.conn, query, parameters...)
	if err != nil {
		return 0, false, err
	}
	defer stmt.Reset()
	found, err = stmt.Step()
	return stmt.ColumnInt64(0), found, err
}
