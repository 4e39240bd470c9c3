package pglog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// batchesOf makes appends of two events each to streams by turns, and gives the ids in their order.
func batchesOf(n int, after int64, streams ...string) (batches []eventlog.Batch, ids []string) {
	for i := range n {
		events := newEvents(2)
		batches = append(batches, eventlog.Batch{
			Stream: streams[i%len(streams)], Expected: eventlog.At(after + 2*int64(i/len(streams))), Events: events,
		})
		ids = append(ids, idsOf(events...)...)
	}
	return batches, ids
}

// TestAppendInOrderIsOneTransaction: all of the appends come to be at the same moment, as many as they may be.
func TestAppendInOrderIsOneTransaction(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	batches, ids := batchesOf(eventlog.MaxAppendEvents/2, -1, "c", "a", "b")
	require.NoError(t, log.AppendInOrder(t.Context(), batches))
	require.Equal(t, ids, idsAfter(t, log, eventlog.Start))
	var transactions int
	require.NoError(t, pgtest.Connect(t, url).QueryRow(t.Context(), "SELECT count(DISTINCT xmin::text) FROM kintsugi.event").Scan(&transactions))
	require.Equal(t, 1, transactions)
}

// TestAppendInOrderOverLostConnections: whenever a connection is lost, before the appends took effect or
// after it, they are there once and in order.
func TestAppendInOrderOverLostConnections(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	log := open(t, url)
	mustAppend(t, log, "first", -1, 1)
	after, err := log.Head(t.Context())
	require.NoError(t, err)
	var want []string
	for round := range 12 {
		batches, ids := batchesOf(6, 4*int64(round)-1, "c", "a", "b")
		want = append(want, ids...)
		if at := round % 6; at < 5 { // the answers are: begun, the position, streams, events, committed
			eaten := proxy.loseAnswerAfter(at)
			require.NoError(t, log.AppendInOrder(t.Context(), batches))
			<-eaten
			continue
		}
		proxy.cut()
		require.NoError(t, log.AppendInOrder(t.Context(), batches))
	}
	require.Equal(t, want, idsAfter(t, log, after))
	eventlogtest.RequireSound(t, log)
}

// TestAppendInOrderInADeadlock: appends in order take streams in any order, so another transaction can wait for
// them while they wait for it. The server ends one of the two; the appends are made in the end.
func TestAppendInOrderInADeadlock(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	mustAppend(t, log, "a", -1, 1)
	mustAppend(t, log, "b", -1, 1)
	holder, watcher := pgtest.Connect(t, url), pgtest.Connect(t, url)
	tx, err := holder.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM kintsugi.stream WHERE name = 'b' FOR UPDATE")
	require.NoError(t, err)

	batches, ids := batchesOf(2, 0, "a", "b")
	result := make(chan error, 1)
	go func() { result <- log.AppendInOrder(t.Context(), batches) }()
	require.Eventually(t, func() bool {
		var waiting bool
		err := watcher.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting)
		return err == nil && waiting
	}, time.Minute, 5*time.Millisecond, "the appends have a and wait for b")
	_, _ = tx.Exec(t.Context(), "SELECT FROM kintsugi.stream WHERE name = 'a' FOR UPDATE") // one of the two gets an error
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-result)
	records := idsAfter(t, log, eventlog.Start)
	require.Equal(t, ids, records[2:])
	eventlogtest.RequireSound(t, log)
}

// TestAppendInOrderKeepsPositionsRising: a transaction that got its positions before another one appended to a stream,
// and comes to the stream after it, does not put a later revision at an earlier position.
func TestAppendInOrderKeepsPositionsRising(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	other := open(t, url)
	mustAppend(t, other, "b", -1, 1)
	proxy, through := newProxy(t, url)
	log := open(t, through)
	held, release := proxy.holdAnswerAfter(1) // the second one is the position
	defer release()
	batches, ids := batchesOf(2, 1, "b") // on what is not there yet
	batches[1].Stream, batches[1].Expected = "a", eventlog.NoStream{}
	result := make(chan error, 1)
	go func() { result <- log.AppendInOrder(t.Context(), batches) }()
	<-held
	mustAppend(t, other, "b", 0, 1)
	release()
	require.NoError(t, <-result)
	require.Equal(t, ids, idsAfter(t, other, eventlog.Start)[2:])
	eventlogtest.RequireSound(t, other)
}
