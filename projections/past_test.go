package projections_test

import (
	"context"
	"iter"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// shorter is a log of which no more has happened yet.
type shorter struct {
	eventlog.Log
	last eventlog.Position
}

func (s *shorter) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range s.Log.All(ctx, after, filter) {
			if err == nil && record.Position > s.last || !yield(record, err) {
				return
			}
		}
	}
}

func (s *shorter) Head(context.Context) (eventlog.Position, error) { return s.last, nil }

// Every view as it was at a position is what it had been in use then, row by row.
func TestViewsOfThePastAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play(w)
	ctx, all := t.Context(), projections.All(w.codec)
	log := &shorter{Log: w.log}
	config := readmodel.Config{Dir: filepath.Join(t.TempDir(), "views"), Log: log, Projections: all}
	live, err := readmodel.Open(ctx, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, live.Close()) }()
	dump := func(into map[string][][]any) func(*readmodel.Query) error {
		return func(q *readmodel.Query) (err error) {
			for _, view := range readmodel.Views(all) {
				if into[view.Name], err = view.Rows(q, nil, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	number := 0
	for record, err := range w.log.All(ctx, eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if number++; number%23 != 0 {
			continue
		}
		log.last = record.Position
		require.NoError(t, live.CatchUp(ctx))
		was, is := map[string][][]any{}, map[string][][]any{}
		require.NoError(t, live.Read(ctx, dump(was)))
		past, err := readmodel.OpenPast(ctx, readmodel.Config{Dir: config.Dir, Log: w.log, Projections: all}, func(other eventlog.Record) bool {
			return other.Position > record.Position
		}, nil)
		require.NoError(t, err)
		require.NoError(t, past.Read(ctx, dump(is)))
		require.Equal(t, was, is, "at event %d", number)
		require.Equal(t, record.Position, past.Last().Position)
		require.NoError(t, past.Close())
	}
	require.Greater(t, number, 100)
}
