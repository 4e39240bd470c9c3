package sqlitelog

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.OrderedAppender = (*Log)(nil)

// AppendInOrder implements [eventlog.OrderedAppender]: all batches in one transaction.
func (l *Log) AppendInOrder(ctx context.Context, batches []eventlog.Batch) error {
	if err := eventlog.ValidateInOrder(batches); err != nil {
		return err
	}
	requests := make([]*request, len(batches))
	for i, batch := range batches {
		requests[i] = newRequest(batch.Stream, batch.Expected, batch.Events)
	}
	first := requests[0]
	first.rest = requests[1:]
	_, err := l.submit(ctx, first)
	return err
}

// appendInOrder appends a request and its rest.
func (w *writer) appendInOrder(r *request, head, now int64) (int64, error) {
	head, err := w.append(r, head, now)
	for _, next := range r.rest {
		if err != nil || r.err != nil {
			break
		}
		head, err = w.append(next, head, now)
		r.err = next.err
	}
	return head, err
}
