package projections_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Every row of the views is what the log says, and nothing of how or when they were built: those that followed a
// stored history in turns, with a restart now and then, are those that are built of it at once.
func TestViewsOfStoredHistoriesAreTheLog(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../testdata/histories/good/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			codec := domain.NewCodec()
			dir := t.TempDir()
			log, err := sqlitelog.Open(t.Context(), filepath.Join(dir, "events.db"), sqlitelog.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, log.Close()) })
			config := readmodel.Config{Dir: filepath.Join(dir, "views"), Log: log, Projections: projections.All(codec)}

			open := func() *readmodel.Store {
				store, err := readmodel.Open(t.Context(), config)
				require.NoError(t, err)
				return store
			}
			stores := []*readmodel.Store{open(), open()}
			t.Cleanup(func() { require.NoError(t, errors.Join(stores[0].Close(), stores[1].Close())) })
			turn := 0
			follow := func() { // one after the other, so that each finds what it has in memory out of date; one is started anew
				turn++
				of := turn % 3 % 2
				if turn%5 == 0 {
					require.NoError(t, stores[of].Close())
					stores[of] = open()
				}
				require.NoError(t, stores[of].CatchUp(t.Context()))
			}
			file, err := os.Open(path)
			require.NoError(t, err)
			t.Cleanup(func() { _ = file.Close() })
			count := 0
			for one, err := range jsonl.Read(file) {
				require.NoError(t, err)
				expected := eventlog.Expected(eventlog.NoStream{})
				if one.Revision > 0 {
					expected = eventlog.At(one.Revision - 1)
				}
				_, err = log.Append(t.Context(), one.Stream, expected, []eventlog.Event{one.Event})
				require.NoError(t, err)
				if count++; count%7 == 0 {
					follow()
				}
			}
			follow()
			found, err := readmodel.Compare(t.Context(), config, nil)
			require.NoError(t, err)
			require.True(t, found.Same, "%+v", found)
			require.Positive(t, found.Rows)
		})
	}
}
