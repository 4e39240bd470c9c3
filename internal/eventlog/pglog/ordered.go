package pglog

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
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

// errRefused says that one of several streams was not as expected.
var errRefused = errors.New("a stream is not as expected")

// appendInOrder appends a request and its rest in one transaction. Their positions are in the order of the
// arguments. It gives the last one, 0 if nothing was appended because a stream is not as expected.
//
// The streams are not sorted, as they are for a group: with another such transaction this one may be in a
// deadlock, which the server ends after a second, and be tried again.
func (l *Log) appendInOrder(ctx context.Context, conn *pgxpool.Conn, r *request) (position int64, err error) {
	group := append([]*request{r}, r.rest...)
	err = pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
		value, err := l.call(ctx, conn.Conn(), appendAll, argumentsOfAll(group))
		if err != nil {
			return err
		}
		positions, err := positionsOfAll(value, len(group))
		if err != nil {
			return err
		}
		if slices.Contains(positions, 0) {
			return errRefused
		}
		position = positions[len(positions)-1]
		return nil
	})
	if errors.Is(err, errRefused) {
		return 0, nil
	}
	return position, err
}
