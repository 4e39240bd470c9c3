package projections_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// BenchmarkEngines builds all views from a sample of a real installation on each engine, beside a loop that does the least
// a projection could do for each event: one upsert of one row, a thousand in a transaction. KINTSUGI_BENCH_EVENTS says how
// many events there are; the default is a hundred thousand. Beside the rate it reports the time of a processor for each
// event, which a busy machine does not change, of this process alone.
func BenchmarkEngines(b *testing.B) {
	log, written := sampled(b, func(int) int { return 0 })
	used := func(b *testing.B) time.Duration {
		var usage syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	var before time.Duration
	rate := func(b *testing.B) {
		b.ReportMetric(float64(written*b.N)/b.Elapsed().Seconds(), "events/s")
		b.ReportMetric(float64((used(b)-before).Nanoseconds())/float64(written*b.N), "cpu-ns/event")
	}
	build := func(b *testing.B, config readmodel.Config) {
		config.Log, config.Projections = log, projections.All(domain.NewCodec())
		store, err := readmodel.Open(b.Context(), config)
		require.NoError(b, err)
		require.NoError(b, store.CatchUp(b.Context()))
		require.NoError(b, store.Close())
	}
	b.Run("sqlite", func(b *testing.B) {
		before = used(b)
		for range b.N {
			build(b, readmodel.Config{Dir: b.TempDir()})
		}
		rate(b)
	})
	b.Run("sqlite naive", func(b *testing.B) {
		before = used(b)
		for i := range b.N {
			conn, err := sqlite.OpenConn(filepath.Join(b.TempDir(), fmt.Sprint(i)), sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenWAL)
			require.NoError(b, err)
			require.NoError(b, sqlitex.ExecuteScript(conn, "CREATE TABLE seen (stream TEXT PRIMARY KEY, events INTEGER, data TEXT) WITHOUT ROWID", nil))
			n := 0
			for record, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
				require.NoError(b, err)
				if n%1000 == 0 {
					if n > 0 {
						require.NoError(b, sqlitex.Execute(conn, "COMMIT", nil))
					}
					require.NoError(b, sqlitex.Execute(conn, "BEGIN", nil))
				}
				n++
				require.NoError(b, sqlitex.Execute(conn, "INSERT INTO seen VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET events = events + 1, data = excluded.data",
					&sqlitex.ExecOptions{Args: []any{record.Stream, string(record.Payload)}}))
			}
			require.NoError(b, sqlitex.Execute(conn, "COMMIT", nil))
			require.NoError(b, conn.Close())
		}
		rate(b)
	})
	b.Run("postgres", func(b *testing.B) {
		before = used(b)
		for range b.N {
			build(b, readmodel.Config{Database: pgtest.Database(b)})
		}
		rate(b)
	})
	b.Run("postgres naive", func(b *testing.B) {
		before = used(b)
		for range b.N {
			conn := pgtest.Connect(b, pgtest.Database(b))
			_, err := conn.Exec(b.Context(), "CREATE TABLE seen (stream TEXT PRIMARY KEY, events BIGINT, data TEXT)")
			require.NoError(b, err)
			n := 0
			var tx pgx.Tx
			for record, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
				require.NoError(b, err)
				if n%1000 == 0 {
					if tx != nil {
						require.NoError(b, tx.Commit(b.Context()))
					}
					tx, err = conn.Begin(b.Context())
					require.NoError(b, err)
				}
				n++
				_, err = tx.Exec(b.Context(), "INSERT INTO seen VALUES ($1, 1, $2) ON CONFLICT (stream) DO UPDATE SET events = seen.events + 1, data = excluded.data",
					record.Stream, string(record.Payload))
				require.NoError(b, err)
			}
			require.NoError(b, tx.Commit(b.Context()))
		}
		rate(b)
	})
}
