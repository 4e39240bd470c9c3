package readmodel_test

import (
	"context"
	"iter"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// shifted is a copy of a log whose events have other positions, as another backend gives them.
type shifted struct{ eventlog.Log }

func (l shifted) here(position eventlog.Position, by int64) eventlog.Position {
	if position == eventlog.Start || position == eventlog.End {
		return position
	}
	number, err := position.Number()
	if err != nil {
		panic(err)
	}
	if by < 0 {
		return eventlog.PositionOf(number / 1000)
	}
	return eventlog.PositionOf(number * 1000)
}

func (l shifted) records(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range records {
			record.Position = l.here(record.Position, 1)
			if !yield(record, err) {
				return
			}
		}
	}
}

func (l shifted) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return l.records(l.Log.All(ctx, l.here(after, -1), filter))
}

func (l shifted) AllBackward(ctx context.Context, before eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	number, err := before.Number()
	if err != nil {
		panic(err)
	}
	if before != eventlog.End {
		before = eventlog.PositionOf((number + 999) / 1000)
	}
	return l.records(l.Log.AllBackward(ctx, before, filter))
}

func (l shifted) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return l.records(l.Log.Stream(ctx, stream, from))
}

func (l shifted) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := l.Log.Head(ctx)
	return l.here(head, 1), err
}

// counted is a tally without positions, which a move changes, and how many events it was given.
type counted struct {
	tally
	applied *int
}

func (p counted) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	*p.applied++
	record.Position = eventlog.Start
	return p.tally.Apply(tx, record)
}

func foldCounted(t *testing.T, log eventlog.Log) []row {
	t.Helper()
	all := fold(t, log)
	for i := range all {
		all[i].Last = ""
	}
	return all
}

// After the log was moved the views go on where they were: nothing is applied twice or left
// out, also where the copy gives other positions, and back again.
func TestMovedLog(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	applied := 0
	projection := counted{applied: &applied}
	total := 0
	for i, there := range []eventlog.Log{log, shifted{log}, shifted{log}, log} {
		store, said := openLogged(t, dir, there, projection)
		require.Equal(t, eventlog.Start, store.Position(), "a position of the other log means nothing here")
		grow(t, log, 300)
		total += 300
		head, err := there.Head(t.Context())
		require.NoError(t, err)
		require.NoError(t, store.WaitFor(t.Context(), head))
		require.Equal(t, head, store.Position())
		require.Equal(t, total, applied, "life %d", i)
		require.Equal(t, foldCounted(t, there), rows(t, store))
		require.NotContains(t, said.String(), "another log")
		require.NoError(t, store.Close())
	}
}

// Views for a copied log begin with those of the other copy, if they have a directory of their own.
func TestInherit(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	head := grow(t, log, 500)
	applied := 0
	projection := counted{applied: &applied}
	begin := func(there eventlog.Log, dir string, from ...string) (*readmodel.Store, *lockedBuffer) {
		t.Helper()
		store, said := openInheriting(t, dir, there, from, projection)
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, foldCounted(t, there), rows(t, store))
		return store, said
	}
	first, _ := begin(log, t.TempDir())
	require.Equal(t, 500, applied)

	// While the other is open, and in use.
	moved, said := begin(shifted{log}, t.TempDir(), "/nowhere", filepath.Dir(first.Path()))
	require.Equal(t, 500, applied, "nothing was applied again")
	require.Equal(t, shifted{log}.here(head, 1), moved.Position())
	require.Empty(t, said.String())
	grow(t, log, 3)
	require.NoError(t, moved.CatchUp(t.Context()))
	require.NoError(t, first.CatchUp(t.Context()))
	require.Equal(t, 506, applied)

	// The one that is furthest is taken of several; a generation that is there already stays.
	grow(t, log, 2)
	require.NoError(t, first.CatchUp(t.Context()))
	require.Equal(t, 508, applied)
	_, _ = begin(log, t.TempDir(), filepath.Dir(moved.Path()), filepath.Dir(first.Path()))
	require.Equal(t, 508, applied)
	_, _ = begin(shifted{log}, filepath.Dir(moved.Path()), filepath.Dir(first.Path()))
	require.Equal(t, 510, applied, "its own views were two behind")

	// Those of another log are of no use, nor are views that went further than the copy did.
	other := newLog(t)
	grow(t, other, 40)
	applied = 0
	_, said = begin(other, t.TempDir(), filepath.Dir(first.Path()))
	require.Equal(t, 40, applied)
	require.Empty(t, said.String())
}
