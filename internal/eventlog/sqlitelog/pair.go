package sqlitelog

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.PairAppender = (*Log)(nil)

// AppendPair implements [eventlog.PairAppender]: both in one transaction.
func (l *Log) AppendPair(ctx context.Context, first, second eventlog.Batch) (done []eventlog.Appended, err error) {
	if err := eventlog.ValidatePair(first, second); err != nil {
		return nil, err
	}
	r, then := newRequest(first.Stream, first.Expected, first.Events), newRequest(second.Stream, second.Expected, second.Events)
	r.rest = []*request{then}
	appended, err := l.submit(ctx, r)
	if appended.Position == eventlog.Start {
		return nil, err // the first was refused, or the transaction failed
	}
	if done = append(done, appended); err == nil {
		done = append(done, then.result)
	}
	return done, err
}
