package pglog

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Calls of the functions that append, with arguments in PostgreSQL's binary format. They are written by hand:
// pgx's encoding of arrays, by reflection, takes as long as the rest of the client's work.

// call is a statement that is prepared once for each connection, if it has a name.
type call struct {
	name, sql string
	types     []uint32
	formats   []int16
}

func newCall(name, sql string, types ...uint32) *call {
	return &call{name: name, sql: sql, types: types, formats: slices.Repeat(binaryFormat, len(types))}
}

var (
	binaryFormat = []int16{1}

	appendOne = newCall("kintsugi_append_one", "SELECT kintsugi.append_one($1, $2, $3, $4, $5, $6, $7)",
		pgtype.TextOID, pgtype.Int8OID, pgtype.UUIDOID, pgtype.TextOID, pgtype.Int4OID, pgtype.ByteaOID, pgtype.ByteaOID)
	appendAll = newCall("kintsugi_append_all", "SELECT kintsugi.append_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
		pgtype.TextArrayOID, pgtype.Int8ArrayOID, pgtype.Int4ArrayOID, pgtype.Int4ArrayOID,
		pgtype.Int4ArrayOID, pgtype.TextArrayOID, pgtype.Int8ArrayOID, pgtype.UUIDArrayOID, pgtype.TextArrayOID,
		pgtype.Int4ArrayOID, pgtype.ByteaArrayOID, pgtype.ByteaArrayOID)
)

// argumentsOfOne are those of append_one, for a group of one event.
func argumentsOfOne(r *request) [][]byte {
	event := &r.events[0]
	numbers := make([]byte, 0, 8+16+4)
	numbers = binary.BigEndian.AppendUint64(numbers, uint64(r.expected))
	numbers = appendID(numbers, event.ID)
	numbers = binary.BigEndian.AppendUint32(numbers, uint32(event.SchemaVersion))
	return [][]byte{
		[]byte(r.stream), numbers[:8], numbers[8:24], []byte(event.Type), numbers[24:],
		orEmpty(event.Metadata), orEmpty(event.Payload),
	}
}

// orEmpty gives no bytes instead of nil, which would stand for NULL.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// argumentsOfAll are those of append_all.
func argumentsOfAll(group []*request) [][]byte {
	events, size := 0, 0
	for _, r := range group {
		events += len(r.events)
		size += len(r.stream)
		for i := range r.events {
			event := &r.events[i]
			size += len(r.stream) + len(event.Type) + len(event.Metadata) + len(event.Payload)
		}
	}
	a := &arrays{b: make([]byte, 0, size+12*20+len(group)*(4+12+8+8)+events*(8+4+12+20+4+8+4+4))}

	a.begin(pgtype.TextOID, len(group))
	for _, r := range group {
		a.text(r.stream)
	}
	a.begin(pgtype.Int8OID, len(group))
	for _, r := range group {
		a.int8(r.expected)
	}
	a.begin(pgtype.Int4OID, len(group))
	for _, r := range group {
		a.int4(len(r.events))
	}
	a.begin(pgtype.Int4OID, len(group))
	behind := make(map[*request]int)
	for n, r := range group {
		a.int4(behind[r])
		if r.then != nil {
			behind[r.then] = n + 1
		}
	}
	a.begin(pgtype.Int4OID, events)
	for n, r := range group {
		for range r.events {
			a.int4(n + 1)
		}
	}
	a.events(group, events)
	return a.end()
}

// arrays writes one-dimensional arrays without nulls, one behind the other.
type arrays struct {
	b      []byte
	starts []int
}

func (a *arrays) begin(element uint32, n int) {
	a.starts = append(a.starts, len(a.b))
	dimensions, nulls, lowerBound := uint32(1), uint32(0), uint32(1)
	a.b = binary.BigEndian.AppendUint32(a.b, dimensions)
	a.b = binary.BigEndian.AppendUint32(a.b, nulls)
	a.b = binary.BigEndian.AppendUint32(a.b, element)
	a.b = binary.BigEndian.AppendUint32(a.b, uint32(n))
	a.b = binary.BigEndian.AppendUint32(a.b, lowerBound)
}

// events writes the arrays of what the events of a group are.
func (a *arrays) events(group []*request, n int) {
	a.begin(pgtype.TextOID, n)
	for _, r := range group {
		for range r.events {
			a.text(r.stream)
		}
	}
	a.begin(pgtype.Int8OID, n)
	for _, r := range group {
		for i := range r.events {
			a.int8(r.expected + 1 + int64(i))
		}
	}
	each := func(element uint32, write func(event *eventlog.Event)) {
		a.begin(element, n)
		for _, r := range group {
			for i := range r.events {
				write(&r.events[i])
			}
		}
	}
	each(pgtype.UUIDOID, func(event *eventlog.Event) { a.id(event.ID) })
	each(pgtype.TextOID, func(event *eventlog.Event) { a.text(event.Type) })
	each(pgtype.Int4OID, func(event *eventlog.Event) { a.int4(event.SchemaVersion) })
	each(pgtype.ByteaOID, func(event *eventlog.Event) { a.bytes(event.Metadata) })
	each(pgtype.ByteaOID, func(event *eventlog.Event) { a.bytes(event.Payload) })
}

func (a *arrays) int4(n int) {
	a.b = binary.BigEndian.AppendUint32(a.b, 4)
	a.b = binary.BigEndian.AppendUint32(a.b, uint32(n))
}

func (a *arrays) int8(n int64) {
	a.b = binary.BigEndian.AppendUint32(a.b, 8)
	a.b = binary.BigEndian.AppendUint64(a.b, uint64(n))
}

func (a *arrays) text(text string) {
	a.b = binary.BigEndian.AppendUint32(a.b, uint32(len(text)))
	a.b = append(a.b, text...)
}

func (a *arrays) bytes(bytes []byte) {
	a.b = binary.BigEndian.AppendUint32(a.b, uint32(len(bytes)))
	a.b = append(a.b, bytes...)
}

func (a *arrays) id(id string) {
	a.b = binary.BigEndian.AppendUint32(a.b, 16)
	a.b = appendID(a.b, id)
}

func (a *arrays) end() [][]byte {
	all := make([][]byte, len(a.starts))
	end := len(a.b)
	for i, start := range slices.Backward(a.starts) {
		all[i] = a.b[start:end:end]
		end = start
	}
	return all
}

var errAnswer = errors.New("the server answered an append with something else than positions")

// positionsOfOne reads the result of append_one: null stands for 0.
func positionsOfOne(value []byte) ([]int64, error) {
	switch len(value) {
	case 0:
		return []int64{0}, nil
	case 8:
		return []int64{int64(binary.BigEndian.Uint64(value))}, nil
	}
	return nil, errAnswer
}

// positionsOfAll reads the result of append_all.
func positionsOfAll(value []byte, n int) ([]int64, error) {
	const header, element = 20, 4 + 8
	if len(value) != header+n*element {
		return nil, errAnswer
	}
	positions := make([]int64, n)
	for i := range positions {
		positions[i] = int64(binary.BigEndian.Uint64(value[header+i*element+4:]))
	}
	return positions, nil
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
