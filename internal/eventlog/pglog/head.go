package pglog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// headQuery gives the watermark, the newest event below it and the newest of all, in one snapshot. No event can be
// added below the watermark: each transaction that could add one has ended. The 57 lower bits of a position count
// within an epoch; transaction ids beyond them write nothing.
const headQuery = markQuery + `
SELECT mark,
	coalesce((SELECT position FROM kintsugi.event WHERE position < mark ORDER BY position DESC LIMIT 1), 0),
	` + newestQuery + `
FROM w`

// tailQuery gives the watermark, the newest event of all, and events after a position that are below the watermark.
const tailQuery = markQuery + `
SELECT mark, ` + newestQuery + `, e.*
FROM w LEFT JOIN LATERAL (
	SELECT ` + columns + ` FROM kintsugi.event WHERE position > $1 AND position < mark ORDER BY position LIMIT $2
) AS e ON true
ORDER BY e.position`

const (
	markQuery = `
WITH b AS MATERIALIZED (
	SELECT kintsugi.base() AS base, pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 15 AS xmin
), w AS MATERIALIZED (
	SELECT base + least(xmin, (1::bigint << 57) - 1 - (base & ((1::bigint << 57) - 1))) AS mark FROM b
)`
	newestQuery = "coalesce((SELECT position FROM kintsugi.event ORDER BY position DESC LIMIT 1), 0)"
)

type heads struct{ mark, settled, newest int64 }

func (l *Log) heads(ctx context.Context) (h heads, err error) {
	err = l.read(ctx, "read the head", func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, headQuery).Scan(&h.mark, &h.settled, &h.newest)
	})
	if h.settled > l.tail.seen.Load() {
		l.tail.news.Add(1)
	}
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
	settling := l.settling()
	for target := h.newest; h.settled < target; {
		if again, err := settling.wait(ctx, h, nil); err != nil || !again {
			return h.settled, err
		}
		if h, err = l.heads(ctx); err != nil {
			return 0, err
		}
	}
	return h.settled, nil
}

// settling is the wait until transactions have ended that keep events above the watermark.
type settling struct {
	log      *Log
	deadline time.Time
	pause    time.Duration
}

func (l *Log) settling() *settling {
	return &settling{log: l, deadline: time.Now().Add(l.options.settleFor), pause: time.Millisecond}
}

// wait says whether to look again, after a while or a hint.
func (s *settling) wait(ctx context.Context, h heads, hint <-chan struct{}) (again bool, err error) {
	if h.mark == s.log.stalled.Load() {
		return false, nil // who was here before has waited for the same transaction
	}
	if !time.Now().Before(s.deadline) {
		s.log.stalled.Store(h.mark)
		s.log.reportStall(ctx)
		return false, nil
	}
	timer := time.NewTimer(s.pause)
	defer timer.Stop()
	s.pause = min(2*s.pause, 50*time.Millisecond)
	select {
	case <-timer.C:
	case <-hint:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return true, nil
}
