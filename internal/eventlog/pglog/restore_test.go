package pglog_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// spendTransactions makes a cluster old: its transaction ids are beyond those of a new one.
func spendTransactions(t testing.TB, server *pgtest.Server) {
	t.Helper()
	server.Exec(t, "postgres", "DO $$ BEGIN FOR i IN 1 .. 3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
}

// copyInto dumps a database of one server into an empty one of another.
func copyInto(t testing.TB, from *pgtest.Server, url string, to *pgtest.Server, empty string) {
	t.Helper()
	dump := filepath.Join(from.Dir(), "dump.sql")
	from.Run(t, "pg_dump", "--dbname="+url, "--file="+dump)
	to.Run(t, "psql", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--dbname="+empty, "--file="+dump)
}

func epochOf(t testing.TB, position eventlog.Position) int64 {
	t.Helper()
	number, err := position.Number()
	require.NoError(t, err)
	return number >> 57
}

func streamNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("s%d", i)
	}
	return names
}

// TestRestore: a log that was dumped and restored into a new cluster, whose transaction ids start again from low
// numbers, gives an old checkpoint everything that comes, a replay everything that was, and
// knows what is repeated.
func TestRestore(t *testing.T) {
	t.Parallel()
	old, fresh := pgtest.Start(t), pgtest.Start(t)
	spendTransactions(t, old)
	url := old.Database(t)
	log := open(t, url)
	var before []string
	var first []eventlog.Event
	var firstPlace eventlog.Appended
	for _, stream := range streamNames(4) {
		events, appended := mustAppend(t, log, stream, -1, 5)
		before = append(before, idsOf(events...)...)
		if first == nil {
			first, firstPlace = events, appended
		}
	}
	checkpoint, err := log.Head(t.Context())
	require.NoError(t, err)
	stale := log // stays open
	restored := fresh.Database(t)
	copyInto(t, old, url, fresh, restored)

	// The control: by the transaction ids alone every event would be in the future, and hidden.
	var hidden int
	require.NoError(t, pgtest.Connect(t, restored).QueryRow(t.Context(), `SELECT count(*) FROM kintsugi.event
		WHERE position >= (SELECT max(base) FROM kintsugi.incarnation) + (pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 15)`).Scan(&hidden))
	require.Equal(t, len(before), hidden, "the new cluster is not younger: this test guards nothing")

	log = open(t, restored)
	require.Equal(t, before, idsAfter(t, log, eventlog.Start))
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, checkpoint, head)
	require.Empty(t, idsAfter(t, log, checkpoint))
	again, err := log.Append(t.Context(), "s0", eventlog.NoStream{}, first)
	require.NoError(t, err)
	firstPlace.Repeated = true
	require.Equal(t, firstPlace, again)

	var since []string
	for _, stream := range []string{"s0", "s1"} {
		events, appended := mustAppend(t, log, stream, 4, 1)
		require.Equal(t, int64(2), epochOf(t, appended.Position))
		since = append(since, idsOf(events...)...)
	}
	events, _ := mustAppend(t, log, "new", -1, 2)
	since = append(since, idsOf(events...)...)
	require.Equal(t, since, idsAfter(t, log, checkpoint))
	require.Equal(t, append(before, since...), idsAfter(t, log, eventlog.Start))
	eventlogtest.RequireSound(t, log)

	// A second start in the same cluster changes nothing.
	require.NoError(t, log.Close())
	log = open(t, restored)
	events, appended := mustAppend(t, log, "s3", 4, 1)
	require.Equal(t, int64(2), epochOf(t, appended.Position))
	since = append(since, idsOf(events...)...)
	checkpoint = appended.Position

	// It is moved back, into the database of a log that is still open: to be there again is to be elsewhere, too.
	pgtest.Exec(t, url, "DROP SCHEMA kintsugi CASCADE")
	copyInto(t, fresh, restored, old, url)
	events, appended = mustAppend(t, stale, "s3", 5, 1)
	require.Equal(t, int64(3), epochOf(t, appended.Position))
	require.Equal(t, idsOf(events...), idsAfter(t, stale, checkpoint))
	require.Equal(t, append(append(before, since...), idsOf(events...)...), idsAfter(t, stale, eventlog.Start))
}

// TestMovesUnderOpenLog: a log that is open while another cluster takes the place of its own, under the same
// address, does not go on with the old epoch.
func TestMovesUnderOpenLog(t *testing.T) {
	t.Parallel()
	old, fresh := pgtest.Start(t), pgtest.Start(t)
	spendTransactions(t, old)
	url := old.Database(t)
	writer, reader := open(t, url), open(t, url)
	events, _ := mustAppend(t, writer, "a", -1, 3)
	before := idsOf(events...)
	require.Equal(t, before, idsAfter(t, reader, eventlog.Start))
	fresh.Exec(t, "postgres", "CREATE DATABASE "+databaseOf(url)+" TEMPLATE template0")
	copyInto(t, old, url, fresh, fresh.URL(databaseOf(url)))
	old.Stop(t, "fast")
	fresh.TakePort(t, old)

	require.Equal(t, before, idsAfter(t, reader, eventlog.Start))
	events, appended := mustAppend(t, writer, "a", 2, 1)
	require.Equal(t, int64(2), epochOf(t, appended.Position))
	require.Equal(t, append(before, idsOf(events...)...), idsAfter(t, reader, eventlog.Start))
}

// TestPromotion: when a standby is promoted that had not got the last events, the ids of their transactions are used
// again. A reader that has read the lost events misses none of the new ones.
func TestPromotion(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t)
	url := primary.Database(t)
	log := open(t, url)
	kept, _ := mustAppend(t, log, "a", -1, 2)
	standby := primary.Standby(t)
	_, lost := mustAppend(t, log, "a", 1, 5)
	spendTransactions(t, primary)
	_, lost = mustAppend(t, log, "a", lost.Last, 1)
	require.NoError(t, log.Close())
	primary.Stop(t, "fast")

	promoted := standby.URL(databaseOf(url))
	_, err := pglog.Open(t.Context(), promoted, pglog.Options{})
	require.ErrorContains(t, err, "standby")
	standby.Promote(t)
	log = open(t, promoted)
	require.Equal(t, idsOf(kept...), idsAfter(t, log, eventlog.Start))
	fresh, appended := mustAppend(t, log, "a", 1, 1)
	require.Greater(t, appended.Position, lost.Position)
	require.Equal(t, idsOf(fresh...), idsAfter(t, log, lost.Position))
	require.Equal(t, int64(1), epochOf(t, appended.Position), "a promotion costs no epoch")
}

// TestLimits: a log whose positions are used up refuses to write, says why, and can be read.
func TestLimits(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)

	full := server.Database(t)
	log := open(t, full)
	require.NoError(t, log.Close())
	pgtest.Exec(t, full, `INSERT INTO kintsugi.incarnation VALUES (63::bigint << 57, 1, '00000001')`)
	_, err := pglog.Open(t.Context(), full, pglog.Options{})
	require.ErrorContains(t, err, "63 database clusters")
	require.ErrorContains(t, err, "Copy the log into a new database")

	last := server.Database(t)
	log = open(t, last)
	require.NoError(t, log.Close())
	pgtest.Exec(t, last, `INSERT INTO kintsugi.incarnation VALUES (62::bigint << 57, 1, '00000001')`)
	log = open(t, last)
	events, appended := mustAppend(t, log, "a", -1, 1)
	require.Equal(t, int64(63), epochOf(t, appended.Position), "the last epoch is used")
	require.Equal(t, idsOf(events...), idsAfter(t, log, eventlog.Start))

	// An old log in a cluster that has seen 2^42 transactions.
	const tooMany = 1 << 42
	server.Stop(t, "fast")
	server.Run(t, "pg_resetwal", "--epoch="+strconv.Itoa(tooMany>>32), "--pgdata="+server.Data())
	server.Restart(t)
	_, err = log.Append(t.Context(), "a", eventlog.Exact(0), newEvents(1))
	require.ErrorContains(t, err, "beyond what positions can hold")
	require.ErrorContains(t, err, "Copy the log")
	require.Equal(t, idsOf(events...), idsAfter(t, log, eventlog.Start))
}
