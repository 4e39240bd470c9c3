package pglog

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.PairAppender = (*Log)(nil)

// AppendPair implements [eventlog.PairAppender]: both with one group. A group has its appends in the order of their
// streams' names; those of a pair that is in another order are made one after the other.
func (l *Log) AppendPair(ctx context.Context, first, second eventlog.Batch) (done []eventlog.Appended, err error) {
	if err := eventlog.ValidatePair(first, second); err != nil {
		return nil, err
	}
	if first.Stream >= second.Stream {
		return eventlog.AppendOneByOne(ctx, l, first, second)
	}
	var newest *request
	pair := func() *request {
		newest = newRequest(first.Stream, first.Expected, first.Events)
		newest.then = newRequest(second.Stream, second.Expected, second.Events)
		return newest
	}
	one, err := l.submit(ctx, "append to "+first.Stream+" and "+second.Stream, pair, func(ctx context.Context, r *request) (eventlog.Appended, error) {
		left := []eventlog.Batch{first, second}
		if r.position > 0 {
			done, left = []eventlog.Appended{appendedAt(r, r.position)}, left[1:]
		}
		more, err := eventlog.AppendOneByOne(ctx, l, left...) // which finds out what is wrong
		done = append(done, more...)
		return eventlog.Appended{}, err
	})
	if err == nil && done == nil {
		done = []eventlog.Appended{one, appendedAt(newest.then, newest.then.position)}
	}
	return done, err
}
