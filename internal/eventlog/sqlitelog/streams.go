package sqlitelog

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

// streams is the writer's memory of the streams in use: how long they are, and the ids of their newest events; those
// of older events are in the index of index.sql. Each append asks for both. A stream that comes into use is read from
// its notes, and from the events after them.
type streams struct {
	conn *sqlite.Conn
	// When the young are many they become the old ones, and those of the old that were not used in
	// between are forgotten.
	young, old map[string]*stream
	size       int   // of the young, in ids
	head       int64 // of the log, when the last transaction of this process had committed
	changes    int64 // how often other processes appended since
}

// stream is what is remembered of one.
type stream struct {
	number  int64 // 0 for a stream that is not there yet
	last    int64 // its last revision, -1 for none
	seen    int64 // how often other processes had appended when this was known
	indexed int64 // the last revision whose id is in the index
	before  int64 // the last revision whose id is only there, -1 for none
	// noted and ids have those after before, 8 of the 16 bytes of each: yes means perhaps, no means no. Those from notes are a
	// list: a map of them takes longer to make than most that come to a stream need to look through it.
	noted []uint64
	ids   map[uint64]struct{}
	// tail has those that are in no note yet.
	tail []uint64
}

const (
	// maxRead bounds the events that are read when a stream comes into use: for a longer one the index is asked.
	maxRead = 1024
	// maxTail bounds what is not in the index, and so how often it is written.
	maxTail = 4096
	// maxIDs bounds what is remembered of one stream.
	maxIDs = 128 << 10
	// maxYoung bounds the memory: young and old together take 15 MB to 75 MB, the most where streams are long.
	maxYoung = 1 << 20
	// emptyStream is what a stream takes without its ids, in ids.
	emptyStream = 32
)

func newStreams(conn *sqlite.Conn) *streams {
	s := &streams{conn: conn}
	s.forget()
	return s
}

// forget drops everything: after a rollback there may be revisions and ids that are not in the file.
func (s *streams) forget() {
	s.young, s.old, s.size = make(map[string]*stream), make(map[string]*stream), 0
}

// begin tells where the log is at the begin of a transaction. If that is not where the last one left it,
// another process has appended.
func (s *streams) begin(head int64) {
	if head != s.head {
		s.changes++
	}
	s.head = head
}

// stream gives what is known of a stream.
func (s *streams) stream(name string) (*stream, error) {
	known := s.remembered(name)
	last := known.last
	if known.seen != s.changes {
		var err error
		if known.number, last, err = streamOf(s.conn, name); err != nil {
			return nil, err
		}
		known.seen = s.changes
	}
	if last-known.last > maxRead {
		return known, s.index(known, last)
	}
	if err := s.read(known, last); err != nil {
		return nil, err
	}
	if last-known.indexed > maxTail {
		return known, s.index(known, last)
	}
	return known, nil
}

func (s *streams) remembered(name string) *stream {
	if s.size > maxYoung {
		s.young, s.old, s.size = make(map[string]*stream), s.young, 0
	}
	known := s.young[name]
	if known != nil {
		return known
	}
	if known = s.old[name]; known == nil {
		known = &stream{last: -1, seen: -1, indexed: -1, before: -1}
	}
	delete(s.old, name)
	s.young[name] = known
	s.size += known.size()
	return known
}

// size is what a stream takes, in ids.
func (s *stream) size() int { return emptyStream + len(s.noted) + len(s.ids) }

// mayHave says that the stream has an id after before, or one like it.
func (s *stream) mayHave(id uint64) bool {
	_, is := s.ids[id]
	return is || slices.Contains(s.noted, id)
}

// read remembers the ids of what others have appended, up to a revision.
func (s *streams) read(known *stream, last int64) error {
	if last-known.last >= noteIDs {
		if err := s.readNotes(known); err != nil {
			return err
		}
	}
	if known.ids == nil {
		known.ids = make(map[uint64]struct{}, last-known.last)
	}
	if known.last == last {
		return nil
	}
	stmt, err := sqlitedb.Prepare(s.conn, "SELECT id, revision FROM event WHERE stream = ? AND revision > ? ORDER BY revision", known.number, known.last)
	if err != nil {
		return err
	}
	defer stmt.Reset()
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return err
		}
		s.add(known, columnID(stmt, 0), stmt.ColumnInt64(1))
	}
}

func (s *streams) add(known *stream, id eventID, revision int64) {
	known.ids[id.short()] = struct{}{}
	s.size++
	known.tail = append(known.tail, id.short())
	known.last = revision
}

// index brings the index of a stream up to its last revision. Another process may have been here before.
func (s *streams) index(known *stream, last int64) error {
	indexed, found, err := s.revision("SELECT revision FROM indexed_stream WHERE stream = ?", known.number)
	if err != nil {
		return err
	}
	if !found {
		indexed = -1
	}
	if indexed < last {
		err := sqlitedb.Do(s.conn, "INSERT INTO indexed_id (stream, id, revision) SELECT stream, id, revision FROM event WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY id",
			known.number, indexed, last)
		if err != nil {
			return err
		}
		if err := sqlitedb.Do(s.conn, "REPLACE INTO indexed_stream (stream, revision) VALUES (?, ?)", known.number, last); err != nil {
			return err
		}
	}
	known.indexed, known.tail = last, nil // no notes are read of a stream so long
	if known.last != last || len(known.ids) > maxIDs {
		s.size -= known.size()
		known.last, known.before, known.noted, known.ids = last, last, nil, make(map[uint64]struct{})
		s.size += known.size()
	}
	return nil
}

// find says at which revision a stream has an id. It looks first where a repeated append has it.
func (s *streams) find(known *stream, id eventID, likely int64) (revision int64, found bool, err error) {
	perhaps := known.mayHave(id.short())
	if perhaps {
		revision, found, err = s.revision("SELECT revision FROM event WHERE stream = ? AND revision = ? AND id = ?", known.number, likely, id[:])
	}
	if err == nil && !found && (perhaps || known.before >= 0) {
		revision, found, err = s.revision("SELECT revision FROM indexed_id WHERE stream = ? AND id = ?", known.number, id[:])
	}
	if err == nil && !found && perhaps {
		revision, found, err = s.revision("SELECT revision FROM event WHERE stream = ? AND revision > ? AND id = ?", known.number, known.indexed, id[:])
	}
	return revision, found, err
}

// revision runs a query for one revision.
func (s *streams) revision(query string, parameters ...any) (revision int64, found bool, err error) {
	stmt, err := sqlitedb.Prepare(s.conn, query, parameters...)
	if err != nil {
		return 0, false, err
	}
	defer stmt.Reset()
	found, err = stmt.Step()
	return stmt.ColumnInt64(0), found, err
}
