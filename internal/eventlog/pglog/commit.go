package pglog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// commitForever commits what waits until the queue is closed and empty. Several committers
// may run at the same time.
func (l *Log) commitForever() {
	var group []*request
	for {
		var over func()
		var ok bool
		if group, over, ok = l.queue.take(group[:0]); !ok {
			return
		}
		l.commit(group)
		over()
		clear(group)
	}
}

// commit makes one attempt to append a group and answers everybody.
func (l *Log) commit(group []*request) {
	ctx, cancel := context.WithTimeout(context.Background(), l.options.attemptFor)
	defer cancel()
	appended, err := l.appendGroup(ctx, group)
	if isElsewhere(err) {
		if err = l.alignEpoch(ctx); err == nil {
			appended, err = l.appendGroup(ctx, group)
		}
	}
	if isUniqueViolation(err) && len(group) > 1 {
		// One of the ids is in its stream already, and nothing of the group was appended. This is rare, so each
		// append is tried by itself to find out which one it was.
		for i := range group {
			l.commit(group[i : i+1])
		}
		return
	}
	if appended {
		l.wake.committed()
	}
	for _, r := range group {
		r.err = err
		close(r.done)
	}
}

// appendGroup appends a group in one transaction and one round trip: a single statement needs no BEGIN and no COMMIT.
// It sets the position of the last event of each append, 0 where the stream is not as expected, and says whether
// anything was appended.
func (l *Log) appendGroup(ctx context.Context, group []*request) (appended bool, err error) {
	conn, err := l.writers.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	if len(group[0].rest) > 0 {
		group[0].position, err = l.appendInOrder(ctx, conn, group[0])
		return group[0].position > 0, err
	}
	all := inOneOrder(group)
	var positions []int64
	if len(all) == 1 && len(all[0].events) == 1 {
		value, err := l.call(ctx, conn.Conn(), appendOne, argumentsOfOne(all[0]))
		if err != nil {
			return false, err
		}
		positions, err = positionsOfOne(value)
		if err != nil {
			return false, err
		}
	} else {
		value, err := l.call(ctx, conn.Conn(), appendAll, argumentsOfAll(all))
		if err != nil {
			return false, err
		}
		positions, err = positionsOfAll(value, len(all))
		if err != nil {
			return false, err
		}
	}
	for i, r := range all {
		r.position = positions[i]
		appended = appended || r.position > 0
	}
	return appended, nil
}

// inOneOrder are the appends of a group in one order everywhere, so that two transactions never wait for each other.
// Appends to one stream stay in the order in which they came.
func inOneOrder(group []*request) []*request {
	all := make([]*request, 0, 2*len(group))
	for _, r := range group {
		if all = append(all, r); r.then != nil {
			all = append(all, r.then)
		}
	}
	slices.SortStableFunc(all, func(a, b *request) int { return cmp.Compare(a.stream, b.stream) })
	return all
}

// call executes a statement that returns one value. A nil error means that the transaction is committed.
func (l *Log) call(ctx context.Context, conn *pgx.Conn, c *call, arguments [][]byte) (value []byte, err error) {
	if deadline, ok := ctx.Deadline(); ok {
		// On the connection itself: a context that can end costs pgx a goroutine for each call,
		// which is a tenth of the time of a single append.
		socket := conn.PgConn().Conn()
		if err := socket.SetDeadline(deadline); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, socket.SetDeadline(time.Time{})) }()
		ctx = context.WithoutCancel(ctx)
	}
	var result *pgconn.ResultReader
	if l.behindPooler || c.name == "" {
		result = conn.PgConn().ExecParams(ctx, c.sql, arguments, c.types, c.formats, binaryFormat)
	} else {
		result = conn.PgConn().ExecPrepared(ctx, c.name, arguments, c.formats, binaryFormat)
	}
	for result.NextRow() {
		value = slices.Clone(result.Values()[0])
	}
	_, err = result.Close()
	return value, err
}
