package projections_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// sampled is a log with a sample of a real installation, of KINTSUGI_BENCH_EVENTS events or else a hundred thousand, and
// how many it has.
func sampled(b *testing.B, workflows func(events int) int) (*sqlitelog.Log, int) {
	events := 100_000
	if text := os.Getenv("KINTSUGI_BENCH_EVENTS"); text != "" {
		var err error
		events, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	written, err := sample.Write(b.Context(), log, sample.Config{Seed: 1, Events: events, Workflows: workflows(events)})
	require.NoError(b, err)
	return log, written
}

// BenchmarkQueries asks each question of the page a few hundred times, each time about another workflow and run, and
// reports the time that 99 of a hundred answers take no longer than. A run takes some 13 events, and there are ten for
// each workflow: with KINTSUGI_BENCH_EVENTS=13000000 there are a million of them.
func BenchmarkQueries(b *testing.B) {
	log, _ := sampled(b, func(events int) int { return events / 130 })
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			config := readmodel.Config{Dir: b.TempDir(), Log: log, Projections: projections.All(domain.NewCodec())}
			if engine == "postgres" {
				config.Database = pgtest.Database(b)
			}
			store, err := readmodel.Open(b.Context(), config)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, store.Close()) })
			require.NoError(b, store.CatchUp(b.Context()))
			q := projections.NewQueries(store)
			workflows, err := q.Workflows(b.Context(), projections.WorkflowFilter{})
			require.NoError(b, err)
			runs, err := q.Runs(b.Context(), projections.RunFilter{Limit: 1_000_000})
			require.NoError(b, err)
			b.Logf("%d workflows, %d runs", len(workflows), len(runs))
			for name := range questions(q, "", "") {
				b.Run(name, func(b *testing.B) {
					const asked = 400
					took := make([]time.Duration, 0, asked)
					for range b.N {
						took = took[:0]
						chance := rand.New(rand.NewPCG(1, 1))
						for range asked {
							ask := questions(q, workflows[chance.IntN(len(workflows))].ID, runs[chance.IntN(len(runs))].ID)[name]
							began := time.Now()
							_, err := ask(b.Context())
							took = append(took, time.Since(began))
							require.NoError(b, err)
						}
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[asked*99/100].Microseconds())/1000, "p99-ms")
					b.ReportMetric(0, "ns/op")
				})
			}
		})
	}
}
