package readmodel_test

import (
	"encoding/hex"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// choosy cannot apply some events, and keeps what it is told.
type choosy struct {
	tally
	refuses func(eventlog.Record) bool
	told    *[]readmodel.Aside
}

func (c choosy) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if err := c.tally.Apply(tx, record); err != nil {
		return err
	}
	if c.refuses(record) {
		panic("cannot be read") // as bad as it gets
	}
	return nil
}

func (c choosy) SetAside(_ *readmodel.Tx, _ eventlog.Record, aside readmodel.Aside) error {
	*c.told = append(*c.told, aside)
	return nil
}

// An event that cannot be applied costs its own stream, from there on, and no other; also after a restart. When it can
// be read again the views are as if nothing had been.
func TestAside(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, dir := newLog(t), newPlace()
		grow(t, log, 3000)
		told := []readmodel.Aside{}
		refusing := choosy{told: &told, refuses: func(record eventlog.Record) bool {
			return record.Stream == "s1" && record.Revision == 7 || record.Stream == "s3" && record.Revision == 2
		}}
		store, said := openLogged(t, dir, log, refusing)
		require.NoError(t, store.CatchUp(t.Context()))
		require.Contains(t, said.String(), "is set aside; everything else goes on")
		want := fold(t, log)
		require.Len(t, told, 2)
		shown := rows(t, store)
		require.Len(t, shown, len(want))
		for i, one := range want {
			switch one.Stream {
			case "s1":
				require.Equal(t, int64(7), shown[i].Events)
			case "s3":
				require.Equal(t, int64(2), shown[i].Events)
			default:
				require.Equal(t, one, shown[i])
			}
		}
		aside, err := store.Aside(t.Context())
		require.NoError(t, err)
		require.Len(t, aside, 2)
		require.Equal(t, readmodel.Aside{
			Stream: "s1", Revision: 7, EventID: aside[0].EventID, Type: "Counted", Reason: "panic: cannot be read", Left: want[1].Events - 7,
		}, aside[0])

		require.NoError(t, store.Close())
		store = open(t, dir, log, refusing)
		head := grow(t, log, 35)
		require.NoError(t, store.WaitFor(t.Context(), head))
		require.Len(t, told, 2, "nobody is told twice")
		again, err := store.Aside(t.Context())
		require.NoError(t, err)
		require.Greater(t, again[0].Left, aside[0].Left)

		require.NoError(t, store.Close())
		store, said = openLogged(t, dir, log, choosy{told: &told, refuses: func(eventlog.Record) bool { return false }})
		require.NoError(t, store.CatchUp(t.Context()))
		require.Contains(t, said.String(), "can be read again")
		require.Equal(t, fold(t, log), rows(t, store))
		again, err = store.Aside(t.Context())
		require.NoError(t, err)
		require.Empty(t, again)
	})
}

// wordy keeps what no index of PostgreSQL takes, of one event.
type wordy struct{ tally }

type wordRow struct {
	Word string `col:"word,key"`
}

var words = readmodel.NewTable[wordRow]("word")

func (wordy) Tables() []readmodel.Declared { return []readmodel.Declared{tallies, words} }

func (w wordy) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	word := record.ID
	if record.Stream == "s3" && record.Revision == 100 {
		var random [20_000]byte
		rand.NewChaCha8([32]byte{}).Read(random[:])
		word = hex.EncodeToString(random[:])
	}
	words.Insert(tx, wordRow{word})
	return w.tally.Apply(tx, record)
}

// While views are built, events are folded before it is known that those before them could be written. One that cannot
// be is found nonetheless, and costs no other stream anything.
func TestUnwritableIsFoundAmongWhatIsFoldedAhead(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	grow(t, log, 3000)
	store := open(t, pgtest.Database(t), log, wordy{})
	store.Limit(40, 100_000)
	require.NoError(t, store.CatchUp(t.Context()))
	aside, err := store.Aside(t.Context())
	require.NoError(t, err)
	require.Len(t, aside, 1)
	require.Equal(t, "s3", aside[0].Stream)
	require.Equal(t, int64(100), aside[0].Revision)
	want := fold(t, log)
	want[3].Events, want[3].Last = 100, rows(t, store)[3].Last
	require.Equal(t, want, rows(t, store))
}

// A trouble that is not the event's sets nothing aside: it is told, and tried again.
func TestNothingIsSetAsideForAnotherTrouble(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	grow(t, log, 30)
	trouble := error(syscall.ENOSPC)
	store := open(t, t.TempDir(), log, tally{before: func(eventlog.Record) error { return trouble }})
	require.ErrorIs(t, store.CatchUp(t.Context()), syscall.ENOSPC)
	trouble = nil
	require.NoError(t, store.CatchUp(t.Context()))
	require.Equal(t, fold(t, log), rows(t, store))
}
