package readmodel_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// BenchmarkBuild measures building a generation from the log with one small upsert for each event.
func BenchmarkBuild(b *testing.B) {
	const streams, each = 100, 200
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	defer log.Close()
	for stream := range streams {
		batch := make([]eventlog.Event, each)
		for i := range batch {
			batch[i] = eventlog.Event{ID: uuid.NewString(), Type: "Counted", SchemaVersion: 1, Payload: make([]byte, 300), Metadata: make([]byte, 150)}
		}
		_, err := log.Append(b.Context(), fmt.Sprintf("s%d", stream), eventlog.NoStream{}, batch)
		require.NoError(b, err)
	}
	for b.Loop() {
		store, err := readmodel.Open(b.Context(), readmodel.Config{Dir: b.TempDir(), Log: log, Projections: []readmodel.Projection{tally{}}})
		require.NoError(b, err)
		require.NoError(b, store.CatchUp(b.Context()))
		require.NoError(b, store.Close())
	}
	b.ReportMetric(float64(b.N*streams*each)/b.Elapsed().Seconds(), "events/s")
}
