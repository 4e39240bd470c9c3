package pglog

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// attemptTimeout bounds one attempt to commit a group. A server that takes longer is treated
// as one that does not answer.
const attemptTimeout = 20 * time.Second

// commitForever commits what waits until the queue is closed and empty. Several committers
// may run at the same time.
func (l *Log) commitForever() {
	var group []*request
	for {
		var ok bool
		if group, ok = l.queue.take(group[:0]); !ok {
			return
		}
		l.commit(group)
		clear(group)
	}
}

// commit makes one attempt to append a group and answers everybody.
func (l *Log) commit(group []*request) {
	// In one order everywhere, so that two transactions never wait for each other. Appends to one
	// stream stay in the order in which they came.
	slices.SortStableFunc(group, func(a, b *request) int { return cmp.Compare(a.stream, b.stream) })
	ctx, cancel := context.WithTimeout(context.Background(), attemptTimeout)
	defer cancel()
	for len(group) > 0 {
		positions, failed, err := l.try(ctx, group)
		switch {
		case err == nil:
			l.answer(group, positions)
			return
		case isUniqueViolation(err) && failed >= 0:
			// One of its ids is in the stream: its caller finds out. The others go on without it.
			group[failed].answer(0, err)
			group = slices.Delete(group, failed, failed+1)
		case isElsewhere(err):
			if err = l.incarnate(ctx); err == nil {
				continue
			}
			fallthrough
		default:
			for _, r := range group {
				r.answer(0, err)
			}
			return
		}
	}
}

func (l *Log) answer(group []*request, positions []int64) {
	if slices.ContainsFunc(positions, func(position int64) bool { return position > 0 }) {
		l.wake.committed()
	}
	for i, r := range group {
		r.answer(positions[i], nil)
	}
}

// try appends a group in one transaction and one round trip. It gives the position of the last event of
// each append, 0 where the stream is not as expected; or an error, and which append
// met it, -1 if it cannot be said.
func (l *Log) try(ctx context.Context, group []*request) (positions []int64, failed int, err error) {
	pooled, err := l.writers.Acquire(ctx)
	if err != nil {
		return nil, -1, err
	}
	defer pooled.Release()
	positions = make([]int64, len(group))
	failed, err = l.pipeline(ctx, pooled.Conn(), group, positions)
	return positions, failed, err
}

// pipeline calls kintsugi.append for each request. PostgreSQL makes one transaction of the
// statements up to a sync, so that no BEGIN and COMMIT go to and fro.
func (l *Log) pipeline(ctx context.Context, conn *pgx.Conn, group []*request, positions []int64) (failed int, err error) {
	pipeline := conn.PgConn().StartPipeline(ctx)
	place := 0
	for _, r := range group {
		if l.behindPooler {
			pipeline.SendQueryParams(appendCall, arguments(r, place), appendTypes, binaryArguments, binaryResult)
		} else {
			pipeline.SendQueryPrepared(appendStatement, arguments(r, place), binaryArguments, binaryResult)
		}
		place += len(r.events)
	}
	failed = -1
	if err = pipeline.Sync(); err == nil {
		for i := range group {
			if positions[i], err = nextPosition(pipeline); err != nil {
				failed = i
				break
			}
		}
	}
	if err == nil {
		// Only the answer to the sync says that it is committed.
		var results any
		if results, err = pipeline.GetResults(); err == nil {
			if _, committed := results.(*pgconn.PipelineSync); !committed {
				err = fmt.Errorf("the server answered a commit with %T", results)
			}
		}
	}
	if closeErr := pipeline.Close(); err == nil {
		err = closeErr
	}
	return failed, err
}

func nextPosition(pipeline *pgconn.Pipeline) (position int64, err error) {
	results, err := pipeline.GetResults()
	if err != nil {
		return 0, err
	}
	reader, ok := results.(*pgconn.ResultReader)
	if !ok {
		return 0, fmt.Errorf("the server answered an append with %T", results)
	}
	if reader.NextRow() {
		if value := reader.Values()[0]; len(value) == 8 {
			position = int64(binary.BigEndian.Uint64(value))
		}
	}
	_, err = reader.Close()
	return position, err
}
