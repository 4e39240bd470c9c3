package readmodel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

func list(t *testing.T, place string, log eventlog.Log, version int) []readmodel.Generation {
	t.Helper()
	all, err := readmodel.List(t.Context(), configOf(place, log, version))
	require.NoError(t, err)
	return all
}

func configOf(place string, log eventlog.Log, version int) readmodel.Config {
	config := at(place)
	config.Log, config.Projections = log, []readmodel.Projection{tally{version: version}}
	return config
}

// Two old generations are kept, those used last; older ones go when a new one is live, but none that is in use. The
// operator is told the truth of each.
func TestOldGenerations(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, place := newLog(t), newPlace()
		grow(t, log, 35)
		inUse := open(t, place, log, tally{version: 1})
		require.NoError(t, inUse.CatchUp(t.Context()))
		for version := 2; version <= 5; version++ {
			store := open(t, place, log, tally{version: version})
			require.NoError(t, store.CatchUp(t.Context()))
			require.NoError(t, store.Close())
		}
		grow(t, log, 7)
		all := list(t, place, log, 5)
		require.Len(t, all, 4, "this one, two old ones, and one in use: %v", all)
		require.True(t, all[0].Current)
		for _, one := range all {
			require.Equal(t, readmodel.StateLive, one.State)
			require.Equal(t, int64(7), one.Behind)
			require.Equal(t, int64(7), one.Rows)
			require.Positive(t, one.Bytes)
			require.False(t, one.Used.IsZero())
			require.Empty(t, one.Error)
		}
		used := 0
		for _, one := range all[1:] {
			err := readmodel.Drop(t.Context(), configOf(place, log, 5), one.Name)
			if one.InUse {
				used++
				require.ErrorContains(t, err, "in use by another process")
				continue
			}
			require.NoError(t, err)
		}
		require.Equal(t, 1, used)
		_, refused := errors.AsType[*readmodel.InUseError](readmodel.Drop(t.Context(), configOf(place, log, 5), all[0].Name))
		require.True(t, refused, "the one of this program")
		_, unknown := errors.AsType[*readmodel.UnknownGenerationError](readmodel.Drop(t.Context(), configOf(place, log, 5), "views_0"))
		require.True(t, unknown)
		require.Len(t, list(t, place, log, 5), 2)

		require.NoError(t, inUse.CatchUp(t.Context()), "the old program goes on")
		require.Equal(t, fold(t, log), rows(t, inUse))
	})
}

// A generation that was not built to its end is not read, also by another process and after a restart.
func TestHalfBuilt(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, place := newLog(t), newPlace()
		grow(t, log, 30)
		stopped := errors.New("stopped")
		half := open(t, place, upTo{log, 20, stopped})
		require.ErrorIs(t, half.CatchUp(t.Context()), stopped)
		require.NoError(t, half.Close())
		for range 2 {
			store := open(t, place, log)
			_, building := errors.AsType[*readmodel.BuildingError](store.Read(t.Context(), func(*readmodel.Query) error { return nil }))
			require.True(t, building)
			require.Equal(t, readmodel.StateBuilding, list(t, place, log, 0)[0].State)
			require.NoError(t, store.Close())
		}
		store := open(t, place, log)
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, fold(t, log), rows(t, store))
		require.Equal(t, readmodel.StateLive, list(t, place, log, 0)[0].State)
	})
}

// A process that opens views, or asks how far they are, does not wait for their writer, which takes long while they are built.
func TestOpensWhileAnotherWrites(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, place := newLog(t), newPlace()
		grow(t, log, 5)
		looked := 0
		writing := open(t, place, log, tally{before: func(eventlog.Record) error {
			beside := open(t, place, log)
			require.Equal(t, readmodel.StateBuilding, list(t, place, log, 0)[0].State)
			looked++
			return beside.Close()
		}})
		require.NoError(t, writing.CatchUp(t.Context()))
		require.Equal(t, 5, looked)
	})
}

// A caller that waits in vain is told which views are behind, by how much and since when.
func TestLag(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	head := grow(t, log, 30)
	ctx, cancel := context.WithCancel(t.Context())
	stuck := tally{before: func(record eventlog.Record) error {
		cancel()
		return ctx.Err()
	}}
	store := open(t, t.TempDir(), log, stuck)
	lag, is := errors.AsType[*readmodel.LagError](store.WaitFor(ctx, head))
	require.True(t, is)
	require.ErrorIs(t, lag, context.Canceled)
	require.Equal(t, int64(30), lag.Behind)
	require.False(t, lag.Since.IsZero())
	require.ErrorContains(t, lag, store.Path()+` is at "", 30 events behind, since `)
}
