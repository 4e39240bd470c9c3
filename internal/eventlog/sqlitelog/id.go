package sqlitelog

import (
	"encoding/binary"

	"zombiezen.com/go/sqlite"
)

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

func columnID(stmt *sqlite.Stmt, column int) (id eventID) {
	stmt.ColumnBytes(column, id[:])
	return id
}
