package pglog

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.OrderedAppender = (*Log)(nil)

// AppendInOrder implements [eventlog.OrderedAppender]: all batches in one transaction, unless one is refused. Then
// each is appended for itself, up to that one.
func (l *Log) AppendInOrder(ctx context.Context, batches []eventlog.Batch) error {
	if err := eventlog.ValidateInOrder(batches); err != nil {
		return err
	}
	requests := func() *request {
		all := make([]*request, len(batches))
		for i, batch := range batches {
			all[i] = newRequest(batch.Stream, batch.Expected, batch.Events)
		}
		all[0].rest = all[1:]
		return all[0]
	}
	_, err := l.submit(ctx, "append to several streams", requests, func(ctx context.Context, _ *request) (eventlog.Appended, error) {
		return eventlog.Appended{}, eventlog.AppendEach(ctx, l, batches)
	})
	return err
}

// The statements of a transaction of appends in order. They do what append_all does (see the tables), but a
// stream that has many of the appends is changed once: a group has one or two of a stream, a copy has hundreds.
// They are not prepared, so that their plans are of the sizes that the tables have now.
var (
	beginInOrder = newCall("", "SELECT kintsugi.first_position()")

	// moveStreams gives the number of streams that were as expected.
	moveStreams = newCall("", `
WITH moves AS (
	SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS m (name, expected, revision, position)
), made AS (
	INSERT INTO kintsugi.stream (revision, position, name)
		SELECT revision, position, name FROM moves WHERE expected < 0
		ON CONFLICT (name) DO NOTHING RETURNING 1
), moved AS (
	UPDATE kintsugi.stream s SET revision = m.revision, position = m.position FROM moves m
		WHERE s.name = m.name AND m.expected >= 0 AND s.revision = m.expected AND s.position < $1 RETURNING 1
)
SELECT (SELECT count(*) FROM made) + (SELECT count(*) FROM moved)`,
		pgtype.Int8OID, pgtype.TextArrayOID, pgtype.Int8ArrayOID, pgtype.Int8ArrayOID, pgtype.Int8ArrayOID)

	insertEvents = newCall("", `
INSERT INTO kintsugi.event (position, revision, id, schema_version, stream, type, metadata, payload)
	SELECT $1 + n - 1, revision, id, schema_version, stream, type, metadata, payload
	FROM unnest($2::text[], $3::bigint[], $4::uuid[], $5::text[], $6::integer[], $7::bytea[], $8::bytea[])
		WITH ORDINALITY AS e (stream, revision, id, type, schema_version, metadata, payload, n)`,
		pgtype.Int8OID, pgtype.TextArrayOID, pgtype.Int8ArrayOID, pgtype.UUIDArrayOID, pgtype.TextArrayOID,
		pgtype.Int4ArrayOID, pgtype.ByteaArrayOID, pgtype.ByteaArrayOID)
)

// errRefused says that one of several streams was not as expected.
var errRefused = errors.New("a stream is not as expected")

// appendInOrder appends a request and its rest in one transaction. Their positions are in the order of the
// requests. It gives the last one, 0 if nothing was appended because a stream is not as expected.
//
// New streams are made before others are changed, not in the order of their names, as those of a group: one of
// two transactions that wait for each other is ended by the server after a second, and tried again.
func (l *Log) appendInOrder(ctx context.Context, conn *pgxpool.Conn, r *request) (position int64, err error) {
	group := append([]*request{r}, r.rest...)
	moves, events, ok := movesOf(group)
	if !ok {
		return 0, nil
	}
	err = pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		value, err := l.call(ctx, conn.Conn(), beginInOrder, nil)
		if err != nil {
			return err
		}
		first, err := positionsOfOne(value)
		if err != nil {
			return err
		}
		value, err = l.call(ctx, conn.Conn(), moveStreams, argumentsOfMoves(first[0], moves))
		if err != nil {
			return err
		}
		if moved, err := positionsOfOne(value); err != nil || moved[0] != int64(len(moves)) {
			return cmp.Or(err, errRefused)
		}
		position = first[0] + int64(events) - 1
		_, err = l.call(ctx, conn.Conn(), insertEvents, argumentsOfEvents(first[0], group, events))
		return err
	})
	if errors.Is(err, errRefused) {
		return 0, nil
	}
	return position, err
}

// move is what a transaction makes of one stream.
type move struct {
	stream   string
	expected int64 // the last revision before
	revision int64 // the last revision afterwards
	event    int64 // the last one, by its number among all
}

// movesOf gives what a group of requests makes of each stream, and how many events it has. It is not ok if
// one of them cannot follow on those before it.
func movesOf(group []*request) (moves []*move, events int, ok bool) {
	byName := make(map[string]*move)
	for _, r := range group {
		m := byName[r.stream]
		if m == nil {
			m = &move{stream: r.stream, expected: r.expected, revision: r.expected}
			byName[r.stream] = m
		}
		if m.revision != r.expected {
			return nil, 0, false
		}
		events += len(r.events)
		m.revision += int64(len(r.events))
		m.event = int64(events) - 1
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *move) int { return cmp.Compare(a.stream, b.stream) }), events, true
}

// argumentsOfMoves are those of moveStreams.
func argumentsOfMoves(first int64, moves []*move) [][]byte {
	a := &arrays{}
	a.begin(pgtype.TextOID, len(moves))
	for _, m := range moves {
		a.text(m.stream)
	}
	for _, number := range []func(*move) int64{
		func(m *move) int64 { return m.expected },
		func(m *move) int64 { return m.revision },
		func(m *move) int64 { return first + m.event },
	} {
		a.begin(pgtype.Int8OID, len(moves))
		for _, m := range moves {
			a.int8(number(m))
		}
	}
	return append([][]byte{bigint(first)}, a.end()...)
}

// argumentsOfEvents are those of insertEvents.
func argumentsOfEvents(first int64, group []*request, events int) [][]byte {
	a := &arrays{}
	a.events(group, events)
	return append([][]byte{bigint(first)}, a.end()...)
}

// bigint is a number as an argument.
func bigint(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
