package pglog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestGap: while 32 transactions at a time append, 5% of which roll back, a reader that goes on from the
// last position it saw gets each committed event once. The control beside it, a reader without the
// watermark, loses some: they commit after a later position was seen.
func TestGap(t *testing.T) {
	t.Parallel()
	const writers = 32
	transactions := max(crash.Rounds(60), 40)
	url := pgtest.Database(t)
	log := open(t, url)

	committed := make([][]string, writers)
	failures := make([]error, writers)
	conns := make([]*pgx.Conn, writers)
	for i := range conns {
		conns[i] = pgtest.Connect(t, url)
	}
	var group sync.WaitGroup
	for writer, conn := range conns {
		group.Go(func() { committed[writer], failures[writer] = appendSlowly(t.Context(), conn, writer, transactions) })
	}

	ended := make(chan struct{})
	var readers sync.WaitGroup
	var withMark, without []string
	var errWithMark, errWithout error
	readers.Go(func() { withMark, errWithMark = follow(t.Context(), log, ended) })
	naive := pgtest.Connect(t, url)
	readers.Go(func() { without, errWithout = followWithoutWatermark(t.Context(), naive, ended) })
	group.Wait()
	close(ended)
	readers.Wait()
	require.NoError(t, errors.Join(append(failures, errWithMark, errWithout)...))

	var all []string
	for _, ids := range committed {
		all = append(all, ids...)
	}
	require.ElementsMatch(t, all, withMark)
	require.Subset(t, all, without)
	require.Less(t, len(without), len(all), "the reader without the watermark loses nothing: this test guards nothing")
	t.Logf("%d events committed; read %d with the watermark, %d without", len(all), len(withMark), len(without))
}

// appendSlowly makes transactions that stay open for a moment. It gives the ids of the events it committed.
func appendSlowly(ctx context.Context, conn *pgx.Conn, writer, transactions int) (committed []string, err error) {
	stream, next := fmt.Sprintf("s%d", writer), 0
	for range transactions {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return committed, err
		}
		id := uuid.NewString()
		var position *int64
		if err := tx.QueryRow(ctx, "SELECT kintsugi.append_one($1, $2, $3, 'Tested', 1, '', '')", stream, next-1, id).Scan(&position); err != nil {
			return committed, err
		}
		if position == nil {
			return committed, fmt.Errorf("%s is not at revision %d", stream, next-1)
		}
		if _, err := tx.Exec(ctx, "SELECT pg_sleep($1)", rand.Float64()*0.003); err != nil {
			return committed, err
		}
		if rand.IntN(20) == 0 {
			if err := tx.Rollback(ctx); err != nil {
				return committed, err
			}
			continue
		}
		if err := tx.Commit(ctx); err != nil {
			return committed, err
		}
		committed = append(committed, id)
		next++
	}
	return committed, nil
}

// follow reads the log again and again from where it was, and once more when the writers have ended.
func follow(ctx context.Context, log eventlog.Log, ended <-chan struct{}) (ids []string, err error) {
	after := eventlog.Start
	for last := false; !last; {
		last = isClosed(ended)
		for record, err := range log.All(ctx, after, eventlog.Everything) {
			if err != nil {
				return ids, err
			}
			ids, after = append(ids, record.ID), record.Position
		}
	}
	return ids, nil
}

// followWithoutWatermark does what follow does, with everything that is committed.
func followWithoutWatermark(ctx context.Context, conn *pgx.Conn, ended <-chan struct{}) (ids []string, err error) {
	after := int64(0)
	for last := false; !last; {
		last = isClosed(ended)
		rows, err := conn.Query(ctx, "SELECT id::text, position FROM kintsugi.event WHERE position > $1 ORDER BY position", after)
		if err != nil {
			return ids, err
		}
		var id string
		if _, err := pgx.ForEachRow(rows, []any{&id, &after}, func() error {
			ids = append(ids, id)
			return nil
		}); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestOpenTransaction: a transaction that has written, in any database of the cluster, and stays open holds back
// readers of everything that was appended since, makes them skip nothing, and is named to the operator.
func TestOpenTransaction(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t) // it would hold back the tests beside it
	url := server.Database(t)
	var warnings strings.Builder
	options := pglog.Impatient(time.Second, 20*time.Millisecond)
	options.Logger = slog.New(slog.NewTextHandler(&warnings, nil))
	log := openWith(t, url, options)
	before, _ := mustAppend(t, log, "a", -1, 1)
	require.Equal(t, idsOf(before...), idsAfter(t, log, eventlog.Start))
	lag, err := log.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, lag.Newest, lag.Settled)

	elsewhere := pgtest.Connect(t, server.URL("postgres"))
	_, err = elsewhere.Exec(t.Context(), "CREATE TABLE t (i int); BEGIN; INSERT INTO t VALUES (1)", pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	since, appended := mustAppend(t, log, "a", 0, 2)
	require.Equal(t, idsOf(before...), idsAfter(t, log, eventlog.Start), "nothing that could be overtaken is read")
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	require.Less(t, head, appended.Position)
	records := 0
	for _, err := range log.Stream(t.Context(), "a", 0) {
		require.NoError(t, err)
		records++
	}
	require.Equal(t, 3, records, "a stream is read to its end at any time")

	lag, err = log.Lag(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, lag.Settled)
	require.Equal(t, appended.Position, lag.Newest)
	require.NotNil(t, lag.Oldest)
	require.Equal(t, int(elsewhere.PgConn().PID()), lag.Oldest.PID)
	require.Equal(t, "postgres", lag.Oldest.Database)
	require.Equal(t, 1, strings.Count(warnings.String(), fmt.Sprintf("pid=%d", elsewhere.PgConn().PID())), "one stall is one warning")

	// A listener is woken by the end of the transaction, though no append comes with it.
	hint, release := log.Wake()
	defer release()
	_, err = elsewhere.Exec(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	for caughtUp := false; !caughtUp; {
		select {
		case <-hint:
		case <-time.After(time.Minute):
			require.Fail(t, "no hint came")
		}
		head, err := log.Head(t.Context())
		require.NoError(t, err)
		caughtUp = head == appended.Position
	}
	require.Equal(t, append(idsOf(before...), idsOf(since...)...), idsAfter(t, log, eventlog.Start))
}

// TestOvertaken: an event whose transaction began first comes first, however late it commits.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := openWith(t, url, pglog.Impatient(time.Second, 20*time.Millisecond))
	slow := pgtest.Connect(t, url)
	tx, err := slow.Begin(t.Context())
	require.NoError(t, err)
	slowID := uuid.NewString()
	_, err = tx.Exec(t.Context(), "SELECT kintsugi.append_one('slow', -1, $1, 'Tested', 1, '', '')", slowID)
	require.NoError(t, err)
	fast, _ := mustAppend(t, log, "fast", -1, 1)
	require.Empty(t, idsAfter(t, log, eventlog.Start))
	require.NoError(t, tx.Commit(t.Context()))
	require.Eventually(t, func() bool { return len(idsAfter(t, log, eventlog.Start)) == 2 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, []string{slowID, fast[0].ID}, idsAfter(t, log, eventlog.Start))
}

// TestOrderInStream: a transaction that is older than the last event of a stream cannot append to it, so that
// positions never contradict revisions, however the writers are interleaved.
func TestOrderInStream(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	old := pgtest.Connect(t, url)
	tx, err := old.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT pg_current_xact_id()")
	require.NoError(t, err)
	mustAppend(t, log, "a", -1, 1)
	var position *int64
	require.NoError(t, tx.QueryRow(t.Context(), "SELECT kintsugi.append_one('a', 0, $1, 'Tested', 1, '', '')", uuid.NewString()).Scan(&position))
	require.Nil(t, position, "it would stand before the event that it follows")
	var positions []int64
	require.NoError(t, tx.QueryRow(t.Context(), "SELECT kintsugi.append_all('{a,b}', '{0,-1}', '{1,1}', '{1,2}', '{a,b}', '{1,0}', $1, '{T,T}', '{1,1}', '{a,b}', '{c,d}')",
		[]string{uuid.NewString(), uuid.NewString()}).Scan(&positions))
	require.Zero(t, positions[0], "nor with others")
	require.Positive(t, positions[1])
	require.NoError(t, tx.Commit(t.Context()))
	mustAppend(t, log, "a", 0, 1)
	mustAppend(t, log, "b", 0, 1)
}
