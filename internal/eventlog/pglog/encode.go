package pglog

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The arguments of kintsugi.append in PostgreSQL's binary format. They are written by hand because
// pgx's encoding of arrays, by reflection, costs a single append about a tenth of its time.

const appendCall = "SELECT kintsugi.append($1, $2, $3, $4, $5, $6, $7, $8)"

var (
	appendTypes = []uint32{
		pgtype.TextOID, pgtype.Int8OID, pgtype.Int4OID,
		pgtype.UUIDArrayOID, pgtype.TextArrayOID, pgtype.Int4ArrayOID, pgtype.ByteaArrayOID, pgtype.ByteaArrayOID,
	}
	binaryArguments = []int16{1, 1, 1, 1, 1, 1, 1, 1}
	binaryResult    = []int16{1}
)

// arguments of the call that appends r after place other events of the transaction.
func arguments(r *request, place int) [][]byte {
	n := len(r.events)
	texts, bytes := 0, 0
	for _, event := range r.events {
		texts += len(event.Type)
		bytes += len(event.Payload) + len(event.Metadata)
	}
	const header, perElement = 20, 4
	b := make([]byte, 0, 12+5*(header+n*perElement)+n*(16+4)+texts+bytes)
	args := make([][]byte, 0, len(appendTypes))
	cut := func(from int) { args = append(args, b[from:len(b):len(b)]) }

	args = append(args, []byte(r.stream))
	b = binary.BigEndian.AppendUint64(b, uint64(r.expected))
	cut(0)
	b = binary.BigEndian.AppendUint32(b, uint32(place))
	cut(8)
	array := func(element uint32, write func(event *eventlog.Event)) {
		from := len(b)
		b = binary.BigEndian.AppendUint32(b, 1) // dimensions
		b = binary.BigEndian.AppendUint32(b, 0) // no nulls
		b = binary.BigEndian.AppendUint32(b, element)
		b = binary.BigEndian.AppendUint32(b, uint32(n))
		b = binary.BigEndian.AppendUint32(b, 1) // lower bound
		for i := range r.events {
			write(&r.events[i])
		}
		cut(from)
	}
	array(pgtype.UUIDOID, func(event *eventlog.Event) {
		b = binary.BigEndian.AppendUint32(b, 16)
		b = appendID(b, event.ID)
	})
	array(pgtype.TextOID, func(event *eventlog.Event) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(event.Type)))
		b = append(b, event.Type...)
	})
	array(pgtype.Int4OID, func(event *eventlog.Event) {
		b = binary.BigEndian.AppendUint32(b, 4)
		b = binary.BigEndian.AppendUint32(b, uint32(event.SchemaVersion))
	})
	array(pgtype.ByteaOID, func(event *eventlog.Event) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(event.Metadata)))
		b = append(b, event.Metadata...)
	})
	array(pgtype.ByteaOID, func(event *eventlog.Event) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(event.Payload)))
		b = append(b, event.Payload...)
	})
	return args
}

// appendID appends the 16 bytes of a UUID that was validated.
func appendID(b []byte, text string) []byte {
	high := true
	for i := range len(text) {
		if text[i] == '-' {
			continue
		}
		digit := text[i] - '0'
		if text[i] >= 'a' {
			digit = text[i] - 'a' + 10
		}
		if high {
			b = append(b, digit<<4)
		} else {
			b[len(b)-1] |= digit
		}
		high = !high
	}
	return b
}

// idText gives the canonical text of the 16 bytes of a UUID.
func idText(id []byte) string {
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
