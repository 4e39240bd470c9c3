package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// BenchmarkDecode reads every event of a log in order and decodes it, as whoever follows the log does: metadata
// by [event.ReadMetadata], the payload by encoding/json into its Go type.
func BenchmarkDecode(b *testing.B) {
	w, events := recorded(b, 1_000)
	for b.Loop() {
		for record, err := range w.log.All(b.Context(), "", eventlog.Everything) {
			if err == nil {
				_, err = event.ReadMetadata(record.Metadata)
			}
			if err == nil {
				_, err = w.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}

// recorded is a log of runs with ten calls each, and how many events it has.
func recorded(b *testing.B, runs int) (w *world, events int) {
	w = newWorld(b)
	w.create("w", "w")
	calls := make([]call, 10)
	for i := range calls {
		calls[i] = call{tool: "web.getJSON", args: `["https://api.example.test/"]`, result: `{"data":[1,2,3]}`}
	}
	calls[3] = call{tool: "kv.set", args: `["last",1]`}
	calls[6] = call{tool: "files.append", args: `["log.txt","line\n"]`}
	for i := range runs {
		w.succeed("w", manual(fmt.Sprintf("r%d", i)), calls...)
	}
	for _, err := range w.log.All(b.Context(), "", eventlog.Everything) {
		require.NoError(b, err)
		events++
	}
	return w, events
}
