package projections_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// BenchmarkEngines builds all views from a sample of a real installation on each engine, and the first part of it with
// the same folds and tables as the naive loop would: each event by itself, its rows upserted in a transaction of its own.
// KINTSUGI_BENCH_EVENTS says how many events there are; the default is a hundred thousand. Beside the rate it reports the
// time of a processor for each event, which a busy machine does not change much, of this process, and of the sessions that
// it has with PostgreSQL, and the most memory that the process had by then.
func BenchmarkEngines(b *testing.B) {
	log, written := sampled(b, func(int) int { return 0 })
	const naiveEvents = 5_000
	for _, engine := range []string{"sqlite", "postgres"} {
		for name, events := range map[string]int{engine: written, engine + " naive": naiveEvents} {
			b.Run(name, func(b *testing.B) {
				config := readmodel.Config{Log: log, Projections: projections.All(domain.NewCodec())}
				if events != written {
					one := &oneByOne{Log: log}
					for record, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
						require.NoError(b, err)
						if one.records = append(one.records, record); len(one.records) == events {
							break
						}
					}
					config.Log = one
				}
				before := used(b)
				var server time.Duration
				for range b.N {
					config.Dir = b.TempDir()
					if engine == "postgres" {
						config.Database = pgtest.Database(b)
					}
					store, err := readmodel.Open(b.Context(), config)
					require.NoError(b, err)
					head, err := log.Head(b.Context())
					require.NoError(b, err)
					if events == written {
						require.NoError(b, store.WaitFor(b.Context(), head))
					} else {
						require.NoError(b, store.WaitFor(b.Context(), eventlog.PositionOf(naiveEvents)))
					}
					if engine == "postgres" {
						server += usedByServer(b, config.Database)
					}
					require.NoError(b, store.Close())
				}
				b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(float64((used(b)-before).Nanoseconds())/float64(events*b.N), "cpu-ns/event")
				if engine == "postgres" {
					b.ReportMetric(float64(server.Nanoseconds())/float64(events*b.N), "server-cpu-ns/event")
				}
				b.ReportMetric(peak(b), "peak-MiB")
			})
		}
	}
}

// oneByOne is a log of which one event is read at a time, from memory: reading is not what is compared.
type oneByOne struct {
	eventlog.Log
	records []eventlog.Record
}

// All implements [eventlog.Log].
func (l *oneByOne) All(_ context.Context, after eventlog.Position, _ eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, record := range l.records {
			if record.Position > after {
				yield(record, nil)
				return
			}
		}
	}
}

// used is how long this process has had a processor.
func used(b *testing.B) time.Duration {
	b.Helper()
	return usedBy(syscall.RUSAGE_SELF)
}

// threadOnly asks for the thread alone, where the system knows of that.
const threadOnly = 1

func usedBy(whom int) time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(whom, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// usedByServer is how long those have had a processor who answer this process's sessions with a database.
func usedByServer(b *testing.B, database string) (took time.Duration) {
	b.Helper()
	rows, err := pgtest.Connect(b, database).Query(b.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	require.NoError(b, err)
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(b, err)
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) { // the system does not say
			continue
		}
		require.NoError(b, err)
		_, rest, _ := strings.Cut(string(stat), ") ")
		for _, text := range strings.Fields(rest)[11:13] { // in user and system mode, in hundredths of a second
			ticks, err := strconv.Atoi(text)
			require.NoError(b, err)
			took += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return took
}

// peak is the most memory that this process has had, in MiB; 0 where the system does not say.
func peak(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(b, err)
	return float64(kib) / 1024
}
