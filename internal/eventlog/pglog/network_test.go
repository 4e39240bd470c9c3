package pglog_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestLostAnswer: an append that was committed, but whose answer was lost, is tried again and gets its result. It is
// there once.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	log := open(t, url)
	mustAppend(t, log, "a", -1, 1)
	var appended eventlog.Appended
	for last := int64(0); last < 20; last += 2 {
		eaten := proxy.loseNextAnswer()
		_, appended = mustAppend(t, log, "a", last, 2)
		require.Equal(t, last+2, appended.Last)
		// Whose answer it was, that of the append or of a hint to other processes, is left to chance.
		<-eaten
	}
	seen(t, log, appended)
	eventlogtest.RequireSound(t, log)
	require.Len(t, idsAfter(t, log, eventlog.Start), 21)
}

// TestLostConnection: calls that lose their connection go on over a new one: an append happens once, a read yields
// what follows the last record, a subscription what comes.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	log := open(t, url)
	want, _ := mustAppend(t, log, "a", -1, 1000)
	var got []string
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		got = append(got, record.ID)
		if len(got)%50 == 0 {
			proxy.cut()
		}
	}
	require.Equal(t, idsOf(want...), got)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := int64(1000)
	delivered := got[:0:0]
	for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Everything) {
		if len(delivered) == 1005 {
			break
		}
		require.NoError(t, err)
		if delivery.Record != nil {
			delivered = append(delivered, delivery.Record.ID)
		}
		if delivery.CaughtUp && next < 1005 {
			proxy.cut()
			events, _ := mustAppend(t, log, "a", next-1, 1)
			want = append(want, events...)
			next++
		}
	}
	require.Equal(t, idsOf(want...), delivered)
}

// TestSilentServer: a server that does not answer, on a connection that seems sound, is not waited for
// for ever.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	log := openWith(t, url, pglog.Hasty(500*time.Millisecond))
	mustAppend(t, log, "a", -1, 1)
	end := proxy.stall()
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := log.Head(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	before := proxy.seen()
	outcomes := make(chan error, 2)
	go func() {
		_, err := log.Head(t.Context())
		outcomes <- err
	}()
	go func() {
		_, err := log.Append(t.Context(), "a", eventlog.Exact(0), newEvents(1))
		outcomes <- err
	}()
	require.Eventually(t, func() bool { return proxy.seen() >= before+2 }, time.Minute, 10*time.Millisecond, "both try again")
	require.Empty(t, outcomes)
	end()
	require.NoError(t, <-outcomes)
	require.NoError(t, <-outcomes)
	eventlogtest.RequireSound(t, log)
}

// TestUnavailable: when the server cannot be reached for long, calls say so; when it can again, they work again.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	log := openWith(t, url, pglog.Impatient(300*time.Millisecond, time.Second))
	mustAppend(t, log, "a", -1, 1)
	proxy.refuse(true)
	proxy.cut()

	// A call with a deadline does not wait for longer.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := log.Append(ctx, "a", eventlog.Exact(0), newEvents(1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, err = range log.Stream(ctx, "a", 0) {
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	require.Error(t, err)

	lost := newEvents(2)
	_, err = log.Append(t.Context(), "a", eventlog.Exact(0), lost)
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	_, err = log.Head(t.Context())
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	for _, err = range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.ErrorIs(t, err, eventlog.ErrUnavailable)
	}
	require.Error(t, err)

	proxy.refuse(false)
	appended, err := log.Append(t.Context(), "a", eventlog.Exact(0), lost)
	require.NoError(t, err)
	require.Equal(t, int64(2), appended.Last)
	seen(t, log, appended)
	eventlogtest.RequireSound(t, log)
}

// seen waits until readers of the log come to what was appended: they stop below the oldest transaction that is open, and the
// server takes a moment to end that of a connection which was cut.
func seen(t *testing.T, log eventlog.Log, appended eventlog.Appended) {
	t.Helper()
	require.Eventually(t, func() bool {
		head, err := log.Head(t.Context())
		return err == nil && head >= appended.Position
	}, time.Minute, 10*time.Millisecond, "readers stand still")
}

// TestGivesUp: an append whose context ends while it waits for others has not happened. One that is being committed gets
// its outcome if that comes soon, and is told that it is unknown if it does not.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := openWith(t, url, pglog.Committers(1))
	mustAppend(t, log, "held", -1, 1)
	holder := pgtest.Connect(t, url)
	tx, err := holder.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM kintsugi.stream WHERE name = 'held' FOR UPDATE")
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	claimed := make(chan error)
	events := newEvents(1)
	go func() {
		_, err := log.Append(ctx, "held", eventlog.Exact(0), events)
		claimed <- err
	}()
	require.Eventually(t, func() bool {
		var waiting bool
		err := holder.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting)
		return err == nil && waiting
	}, time.Minute, 5*time.Millisecond, "the append waits for the lock")

	brief, cancelBrief := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancelBrief()
	_, err = log.Append(brief, "other", eventlog.NoStream{}, newEvents(1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, eventlog.ErrUnavailable, "it has not happened")

	cancel()
	err = <-claimed
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, eventlog.ErrUnavailable, "the outcome is unknown")

	require.NoError(t, tx.Rollback(t.Context()))
	appended, err := log.Append(t.Context(), "held", eventlog.Exact(0), events)
	require.NoError(t, err)
	require.Equal(t, int64(1), appended.Last)
	_, other := mustAppend(t, log, "other", -1, 1)
	seen(t, log, other)
	eventlogtest.RequireSound(t, log)
}
