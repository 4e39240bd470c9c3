package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// BenchmarkRebuild is building all read models from a log of 200 runs with ten calls each.
func BenchmarkRebuild(b *testing.B) {
	w := newWorld(b)
	w.create("w", "w")
	calls := make([]call, 10)
	for i := range calls {
		calls[i] = call{tool: "web.getJSON", args: `["https://api.example.test/"]`, result: `{"data":[1,2,3]}`}
	}
	calls[3] = call{tool: "kv.set", args: `["last",1]`}
	calls[6] = call{tool: "files.append", args: `["log.txt","line\n"]`}
	for i := range 200 {
		w.succeed("w", manual(fmt.Sprintf("r%d", i)), calls...)
	}
	events := 0
	for _, err := range w.log.All(b.Context(), "", eventlog.Everything) {
		require.NoError(b, err)
		events++
	}
	for b.Loop() {
		require.NoError(b, w.store.Rebuild(b.Context()))
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
