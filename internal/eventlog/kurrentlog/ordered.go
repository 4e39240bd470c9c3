package kurrentlog

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var _ eventlog.OrderedAppender = (*Log)(nil)

// AppendInOrder implements [eventlog.OrderedAppender]. The protocol promises no order of appends to several streams that
// are under way at the same time, so each is waited for, but for one round trip instead of three.
func (l *Log) AppendInOrder(ctx context.Context, batches []eventlog.Batch) error {
	if err := eventlog.ValidateInOrder(batches); err != nil {
		return err
	}
	for _, batch := range batches {
		if err := validate(batch.Stream, batch.Expected, batch.Events); err != nil {
			return err
		}
	}
	above, err := l.Head(ctx)
	if err != nil {
		return err
	}
	for _, batch := range batches {
		appended, err := l.append(ctx, &appending{
			Log: l, stream: batch.Stream, expected: batch.Expected.Revision(), events: batch.Events, above: &above,
		})
		if err != nil {
			return err
		}
		above = max(above, appended.Position)
	}
	return nil
}

// atOnce sends the events without a look at the stream, where it would tell nothing. Before: all ids up to the expected
// revision are known. Afterwards: the server has stored events now and did not find them there, if
// their position is above those of all that were there when it was not sent yet. If it is not so, or anything else is in doubt, atOnce
// returns false, and what is in the stream has to decide.
//
// It cannot tell that somebody else appended other content under the same ids in the very moment.
func (a *appending) atOnce(ctx context.Context, n *node) bool {
	if a.above == nil || a.known.last != a.expected {
		return false
	}
	for _, id := range a.ids {
		if _, there := a.known.ids[id]; there {
			return false
		}
	}
	above := *a.above
	a.above = nil // it is tried once
	a.sent = true
	answer, err := a.send(ctx, n)
	if err != nil {
		return false
	}
	position, told := positionOf(answer.GetSuccess())
	if !told || position <= above {
		return false
	}
	for i, id := range a.ids {
		a.known.learn(id, a.expected+1+int64(i))
	}
	a.result = eventlog.Appended{First: a.expected + 1, Last: a.known.last, Position: position}
	a.wake.Tell()
	return true
}

// positionOf is the position that the server tells of an append that succeeded.
func positionOf(success *streams.AppendResp_Success) (position eventlog.Position, told bool) {
	at := success.GetPosition()
	if at == nil {
		return "", false
	}
	position, err := place{at.GetCommitPosition(), at.GetPreparePosition()}.position()
	return position, err == nil
}
