package readmodel_test

import (
	"context"
	"iter"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// renewing counts what is not erased, and has the views built anew for one type of event.
type renewing struct{ tally }

func (renewing) Renews(record eventlog.Record) bool { return record.Type == "Erased" }

func (p renewing) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if eventlog.IsErased(record.Payload) {
		return nil
	}
	return p.tally.Apply(tx, record)
}

// Erased words are in no view, whether they had it, or are built later, and in none of an older program; they are built anew once
// for each time.
func TestRenew(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, place := newLog(t), newPlace()
		grow(t, log, 500)
		older := open(t, place, log, tally{version: 1})
		require.NoError(t, older.CatchUp(t.Context()))
		require.NoError(t, older.Close())
		applied := 0
		counting := renewing{tally{before: func(eventlog.Record) error { applied++; return nil }}}
		store := open(t, place, log, counting)
		require.NoError(t, store.CatchUp(t.Context()))
		config := configOf(place, log, 0)
		config.Projections = []readmodel.Projection{counting}
		for i, stream := range []string{"s0", "s3"} {
			_, err := log.Erase(t.Context(), []eventlog.Part{{Stream: stream, Last: eventlog.Newest}})
			require.NoError(t, err)
			_, err = log.Append(t.Context(), "erased-"+stream, eventlog.NoStream{}, []eventlog.Event{{ID: uuid.NewString(), Type: "Erased", SchemaVersion: 1, Payload: []byte("{}")}})
			require.NoError(t, err)
			grow(t, log, 20)
			applied = 0
			require.NoError(t, store.CatchUp(t.Context()))
			left := fold(t, remaining{log})
			require.Equal(t, left, rows(t, store))
			total := 0
			for _, one := range left {
				total += int(one.Events)
			}
			require.Less(t, applied, 2*total, "it is built anew once")
			all, err := readmodel.List(t.Context(), config)
			require.NoError(t, err)
			require.Len(t, all, 1)
			compared, err := readmodel.Compare(t.Context(), config, nil)
			require.NoError(t, err)
			require.True(t, compared.Same, "%d: %+v", i, compared)
			require.NoError(t, store.Close())
			store = open(t, place, log, counting)
			require.NoError(t, store.CatchUp(t.Context()))
		}
	})
}

// remaining is the events of a log that are not erased.
type remaining struct{ eventlog.Log }

// All implements [eventlog.Log].
func (l remaining) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if !eventlog.IsErased(record.Payload) && !yield(record, err) {
				return
			}
		}
	}
}
