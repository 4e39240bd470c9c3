package pglog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// headQuery gives the watermark, the newest event below it and the newest of all, in one snapshot. Of the events
// below the watermark everything is known: each transaction that could add one has ended. The 57 lower bits
// of a position count within an epoch; transaction ids beyond them write nothing.
const headQuery = `
WITH b AS MATERIALIZED (
	SELECT kintsugi.base() AS base, pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 15 AS xmin
), w AS MATERIALIZED (
	SELECT base + least(xmin, (1::bigint << 57) - 1 - (base & ((1::bigint << 57) - 1))) AS mark FROM b
)
SELECT mark,
	coalesce((SELECT position FROM kintsugi.event WHERE position < mark ORDER BY position DESC LIMIT 1), 0),
	coalesce((SELECT position FROM kintsugi.event ORDER BY position DESC LIMIT 1), 0)
FROM w`

type heads struct{ mark, settled, newest int64 }

func (l *Log) heads(ctx context.Context) (h heads, err error) {
	err = l.read(ctx, "read the head", func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, headQuery).Scan(&h.mark, &h.settled, &h.newest)
	})
	return h, err
}

// Head implements [eventlog.Log]. It waits until everything that was committed when it was called is below the
// watermark, so that the caller's own appends are: some milliseconds while others write, and
// up to 5 seconds, once, when a transaction stays open. Then it gives the head as far as it is settled.
func (l *Log) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := l.settledHead(ctx)
	return eventlog.PositionOf(head), err
}

func (l *Log) settledHead(ctx context.Context) (int64, error) {
	h, err := l.heads(ctx)
	if err != nil || h.settled == h.newest {
		return h.settled, err
	}
	target := h.newest
	deadline := time.Now().Add(l.options.settleFor)
	for wait := time.Millisecond; h.settled < target; wait = min(2*wait, 50*time.Millisecond) {
		if h.mark == l.stalled.Load() {
			return h.settled, nil // who was here before has waited for the same transaction
		}
		if !time.Now().Before(deadline) {
			l.stalled.Store(h.mark)
			l.reportStall(ctx)
			return h.settled, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0, ctx.Err()
		}
		if h, err = l.heads(ctx); err != nil {
			return 0, err
		}
	}
	return h.settled, nil
}
