package sqlitelog

import (
	"encoding/binary"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

// noteIDs is how many ids make a note. A writer that opens a stream reads at most so many events for their ids, and
// they are anywhere in the file. Notes that are written more often cost each append more.
const noteIDs = 16

// placesOfStream is the number of places that a stream has for notes: one for each revision that a note may end
// with. Files rely on it.
const placesOfStream = 1024

var _ [placesOfStream - maxRead]struct{} // does not compile if there are too few

// readNotes remembers the ids in the notes of a stream after what is known of it.
//
// A note and those before it have the ids of all revisions up to its own. An id may be in two of them: a process
// notes what it has read in no note, and another one may have noted that meanwhile.
func (s *streams) readNotes(known *stream) error {
	stmt, err := sqlitedb.Prepare(s.conn, "SELECT place, ids FROM noted_ids WHERE place > ? AND place < ? ORDER BY place",
		place(known.number, known.last), place(known.number+1, 0))
	if err != nil {
		return err
	}
	defer stmt.Reset()
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return err
		}
		ids := columnBytes(stmt, 1)
		known.noted = slices.Grow(known.noted, len(ids)/8)
		for ; len(ids) >= 8; ids = ids[8:] {
			known.noted = append(known.noted, binary.LittleEndian.Uint64(ids))
			s.size++
		}
		known.last, known.tail = stmt.ColumnInt64(0)-place(known.number, 0), nil
	}
}

// note writes a note of a stream that was appended to, if one is due. For a long one there is the index.
func (s *streams) note(known *stream) error {
	if len(known.tail) < noteIDs {
		return nil
	}
	var ids []byte
	for _, id := range known.tail {
		ids = binary.LittleEndian.AppendUint64(ids, id)
	}
	known.tail = nil
	if known.last >= maxRead {
		return nil
	}
	return sqlitedb.Do(s.conn, "INSERT INTO noted_ids (place, ids) VALUES (?, ?)", place(known.number, known.last), ids)
}

func place(stream, revision int64) int64 { return stream*placesOfStream + revision }
