package projections_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// sampled is a log with a sample of a real installation, of KINTSUGI_BENCH_EVENTS events or else a hundred thousand, and
// how many it has. It is kept in the directory KINTSUGI_BENCH_DIR, if that is named, for the next time.
func sampled(b *testing.B, workflows func(events int) int) (*sqlitelog.Log, int) {
	events := 100_000
	if text := os.Getenv("KINTSUGI_BENCH_EVENTS"); text != "" {
		var err error
		events, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	file := fmt.Sprintf("events-%d-%d.db", events, workflows(events))
	log, err := sqlitelog.Open(b.Context(), filepath.Join(cmp.Or(os.Getenv("KINTSUGI_BENCH_DIR"), b.TempDir()), file), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	head, err := log.Head(b.Context())
	require.NoError(b, err)
	written := 0
	if head != eventlog.Start { // of an SQLite log, positions are numbers without gaps
		last, err := head.Number()
		require.NoError(b, err)
		written = int(last)
	}
	if written < events {
		require.Zero(b, written, "%s is half a sample: remove it", file)
		written, err = sample.Write(b.Context(), log, sample.Config{Seed: 1, Events: events, Workflows: workflows(events)})
		require.NoError(b, err)
	}
	return log, written
}

// BenchmarkQueries asks each question of the page a few hundred times, each time about another workflow and run, and
// reports the time that half, and 99 of a hundred answers take no longer than. Figures that a busy machine changes less are told
// beside it: of SQLite, how long 99 of a hundred have a processor, and of PostgreSQL what the server says of its part,
// planning and carrying out one query after the other without anybody between. A run takes
// some 13 events, and there are ten for each workflow: with KINTSUGI_BENCH_EVENTS=13000000 there are a million of them.
// They are built once, if there is a KINTSUGI_BENCH_DIR and, as KINTSUGI_BENCH_POSTGRES, a database to keep them.
func BenchmarkQueries(b *testing.B) {
	log, _ := sampled(b, func(events int) int { return events / 130 })
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			config := readmodel.Config{Dir: cmp.Or(os.Getenv("KINTSUGI_BENCH_DIR"), b.TempDir()), Log: log, Projections: projections.All(domain.NewCodec())}
			explain := func(context.Context, func(context.Context)) time.Duration { return 0 }
			if engine == "postgres" {
				if config.Database = os.Getenv("KINTSUGI_BENCH_POSTGRES"); config.Database == "" {
					config.Database = pgtest.Database(b)
				}
			}
			store, err := readmodel.Open(b.Context(), config)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, store.Close()) })
			require.NoError(b, store.CatchUp(b.Context()))
			if engine == "postgres" {
				explain = explained(b, config.Database, store.Path())
			}
			q := projections.NewQueries(store)
			workflows, err := q.Workflows(b.Context(), projections.WorkflowFilter{})
			require.NoError(b, err)
			runs, err := q.Runs(b.Context(), projections.RunFilter{Limit: 1_000_000})
			require.NoError(b, err)
			b.Logf("%d workflows, %d runs", len(workflows), len(runs))
			workflows = slices.DeleteFunc(workflows, func(one projections.Workflow) bool { return one.Version == "" }) // a draft has no script to ask for
			for name := range questions(q, "", "") {
				b.Run(name, func(b *testing.B) {
					const asked = 400
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					took, worked, server := make([]time.Duration, 0, asked), []time.Duration{}, []time.Duration{}
					for range b.N {
						took = took[:0]
						chance := rand.New(rand.NewPCG(1, 1))
						for n := range asked {
							ask := questions(q, workflows[chance.IntN(len(workflows))].ID, runs[chance.IntN(len(runs))].ID)[name]
							began, had := time.Now(), usedBy(threadOnly)
							_, err := ask(b.Context())
							took, worked = append(took, time.Since(began)), append(worked, usedBy(threadOnly)-had)
							require.NoError(b, err)
							if n%8 == 0 {
								server = append(server, explain(b.Context(), func(ctx context.Context) { _, _ = ask(ctx) }))
							}
						}
					}
					slices.Sort(took)
					slices.Sort(worked)
					slices.Sort(server)
					b.ReportMetric(float64(took[asked/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(float64(took[asked*99/100].Microseconds())/1000, "p99-ms")
					if engine == "postgres" {
						b.ReportMetric(float64(server[len(server)*99/100].Microseconds())/1000, "server-p99-ms")
					} else {
						b.ReportMetric(float64(worked[len(worked)*99/100].Microseconds())/1000, "cpu-p99-ms")
					}
					b.ReportMetric(0, "ns/op")
				})
			}
		})
	}
}

// explained has a PostgreSQL server say how long it takes to answer all queries of a question.
func explained(b *testing.B, database, schema string) func(context.Context, func(context.Context)) time.Duration {
	conn := pgtest.Connect(b, database)
	_, err := conn.Exec(b.Context(), "SET search_path = "+strings.TrimPrefix(schema, "schema "))
	require.NoError(b, err)
	return func(ctx context.Context, ask func(context.Context)) (took time.Duration) {
		ask(readmodel.Watch(ctx, func(query string, args []any) {
			for n := 1; strings.Contains(query, "?"); n++ {
				query = strings.Replace(query, "?", fmt.Sprint("$", n), 1)
			}
			var text string
			require.NoError(b, conn.QueryRow(ctx, "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY, FORMAT JSON) "+query, append([]any{pgx.QueryExecModeExec}, args...)...).Scan(&text))
			var plans []struct {
				Planning  float64 `json:"Planning Time"` // in milliseconds
				Execution float64 `json:"Execution Time"`
			}
			require.NoError(b, json.Unmarshal([]byte(text), &plans))
			took += time.Duration((plans[0].Planning + plans[0].Execution) * float64(time.Millisecond))
		}))
		return took
	}
}
