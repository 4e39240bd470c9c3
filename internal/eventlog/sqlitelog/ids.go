package sqlitelog

import (
	"encoding/binary"

	"zombiezen.com/go/sqlite"
)

// knownIDs answers "is this event id in this stream?" from memory. An index would answer it too, but in a page that each
// append has to write as well: it halves the appends per second. What other processes append is read
// from the file when a stream turns out to be longer than known.
//
// It holds 8 of the 16 bytes of an id: yes means perhaps, no means no.
type knownIDs struct {
	streams map[int64]*streamIDs
	total   int
}

type streamIDs struct {
	upTo int64 // the last revision that is in the set
	set  map[uint64]struct{}
}

// maxKnownIDs bounds the memory, to about 20 MB. Beyond it everything is forgotten,
// and read again for the streams that are still in use.
const maxKnownIDs = 1 << 20

func newKnownIDs() *knownIDs { return &knownIDs{streams: make(map[int64]*streamIDs)} }

// forget drops everything: after a rollback the sets may have ids that are not in the file.
func (k *knownIDs) forget() {
	clear(k.streams)
	k.total = 0
}

// upTo gives the ids of a stream whose last revision is last.
func (k *knownIDs) upTo(conn *sqlite.Conn, stream, last int64) (*streamIDs, error) {
	ids := k.streams[stream]
	if ids == nil {
		if k.total > maxKnownIDs {
			k.forget()
		}
		ids = &streamIDs{upTo: -1, set: make(map[uint64]struct{})}
		k.streams[stream] = ids
	}
	if ids.upTo == last {
		return ids, nil
	}
	stmt, err := conn.Prepare("SELECT id, revision FROM event WHERE stream = ? AND revision > ? ORDER BY revision")
	if err != nil {
		return nil, err
	}
	defer stmt.Reset()
	stmt.BindInt64(1, stream)
	stmt.BindInt64(2, ids.upTo)
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return ids, err
		}
		k.add(ids, columnID(stmt, 0), stmt.ColumnInt64(1))
	}
}

func (k *knownIDs) add(ids *streamIDs, id eventID, revision int64) {
	ids.set[id.short()] = struct{}{}
	ids.upTo = revision
	k.total++
}

func (s *streamIDs) mayHave(id eventID) bool {
	_, ok := s.set[id.short()]
	return ok
}

// eventID is a UUID as it is stored.
type eventID [16]byte

// parseID parses a UUID that was validated.
func parseID(text string) (id eventID) {
	n := 0
	for i := range len(text) {
		if text[i] == '-' {
			continue
		}
		digit := text[i] - '0'
		if text[i] >= 'a' {
			digit = text[i] - 'a' + 10
		}
		if n%2 == 0 {
			digit <<= 4
		}
		id[n/2] |= digit
		n++
	}
	return id
}

// String gives the canonical text.
func (id eventID) String() string {
	const digits = "0123456789abcdef"
	var text [36]byte
	n := 0
	for i, b := range id {
		switch i {
		case 4, 6, 8, 10:
			text[n] = '-'
			n++
		}
		text[n], text[n+1] = digits[b>>4], digits[b&15]
		n += 2
	}
	return string(text[:])
}

func (id eventID) short() uint64 {
	return binary.LittleEndian.Uint64(id[:8]) ^ binary.LittleEndian.Uint64(id[8:])
}
