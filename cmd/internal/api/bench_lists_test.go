package api_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands/sample"
)

// BenchmarkListsAndGets asks for lists and single things at 200 a second, whether the answer before has come or not, of as many
// workflows as KINTSUGI_BENCH_WORKFLOWS says (100,000 is what the goal is for), with ten events for each.
func BenchmarkListsAndGets(b *testing.B) {
	const perSecond = 200
	workflows, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_BENCH_WORKFLOWS"), "1000"))
	require.NoError(b, err)
	dir := b.TempDir()
	address, err := app.ParseStore("", dir)
	require.NoError(b, err)
	log, err := app.OpenLog(b.Context(), address, patience, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	_, err = sample.Write(b.Context(), log, sample.Config{Seed: 1, Workflows: workflows, Events: 10 * workflows, ByHand: true})
	require.NoError(b, err)
	require.NoError(b, log.Close())
	s := serveIn(b, dir, nil)
	head, err := s.node.Log.Head(b.Context())
	require.NoError(b, err)
	require.NoError(b, s.node.Views.WaitFor(b.Context(), head))
	first := func(path string) string {
		var found struct{ Items []struct{ ID string } }
		require.NoError(b, json.Unmarshal(s.ok(http.MethodGet, path, nil).body, &found))
		return found.Items[0].ID
	}
	one, run := first("/workflows?limit=1"), first("/runs?limit=1")
	questions := []string{
		"/workflows", "/workflows?limit=200", "/workflows/" + one, "/workflows/" + one + "/timeline", "/runs", "/runs?workflow=" + one, "/runs/" + run,
		"/fixes", "/notifications",
	}
	var mu sync.Mutex
	var took []time.Duration
	var asking sync.WaitGroup
	pace := time.NewTicker(time.Second / perSecond)
	defer pace.Stop()
	b.ResetTimer()
	before := cpu(b)
	for i := range max(b.N, perSecond) {
		due := <-pace.C
		asking.Go(func() {
			s.ok(http.MethodGet, questions[i%len(questions)], nil)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(due))
		})
	}
	asking.Wait()
	slices.Sort(took)
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(len(took)), "cpu-ms/question")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
	b.Logf("%d workflows", workflows)
}
