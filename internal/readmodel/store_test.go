package readmodel_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Catching up applies every event once, in several batches, and goes on where it was after a reopen.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, dir := newLog(t), newPlace()
		store := open(t, dir, log)
		require.NoError(t, store.CatchUp(t.Context()), "an empty log")
		require.Equal(t, eventlog.Start, store.Position())
		for _, n := range []int{2500, 1, 7} {
			head := grow(t, log, n)
			require.NoError(t, store.CatchUp(t.Context()))
			require.Equal(t, head, store.Position())
			require.Equal(t, fold(t, log), rows(t, store))
			require.NoError(t, store.Close())
			store = open(t, dir, log)
			require.Equal(t, eventlog.Start, store.Position(), "after a reopen the log has to be looked at first")
			require.NoError(t, store.WaitFor(t.Context(), head))
			require.Equal(t, head, store.Position())
		}
	})
}

// A failure between the rows and the checkpoint undoes both.
func TestAppliesOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log := newLog(t)
		grow(t, log, 300)
		failed := 0
		store := open(t, newPlace(), log, tally{before: func(record eventlog.Record) error {
			if record.Position >= "0000000000000000150" && failed < 3 {
				failed++
				return fmt.Errorf("stopped here: %w", syscall.ENOSPC)
			}
			return nil
		}})
		for range 3 {
			err := store.CatchUp(t.Context())
			require.ErrorContains(t, err, "projection tally failed on Counted")
			require.ErrorContains(t, err, "stopped here")
			require.ErrorContains(t, err, "position 0000000000000000150")
			_, building := errors.AsType[*readmodel.BuildingError](store.Read(t.Context(), func(*readmodel.Query) error { return nil }))
			require.True(t, building)
		}
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, fold(t, log), rows(t, store))
	})
}

// A process that is killed while it applies leaves rows and checkpoint of the same event.
func TestKill(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		logPath, dir := filepath.Join(t.TempDir(), "events.db"), newPlace()
		log := openLog(t, logPath)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		for range 10 {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), logVariable+"="+logPath, viewsVariable+"="+dir)
			var stderr strings.Builder
			child.Stderr = &stderr
			require.NoError(t, child.Start())
			for range random.IntN(60) {
				grow(t, log, 1+random.IntN(40))
			}
			require.NoError(t, child.Process.Kill())
			require.Error(t, child.Wait())
			require.Empty(t, stderr.String())
		}
		store := open(t, dir, log)
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, fold(t, log), rows(t, store))
	})
}

// A process that is killed while it builds, again and again and each time a bit further, leaves what the next goes on
// with, and in the end the views are those that are built at once.
func TestKilledWhileBuilding(t *testing.T) {
	t.Parallel()
	rounds := 10
	if os.Getenv("KINTSUGI_CAMPAIGN") != "" {
		rounds = 100
	}
	onEngines(t, func(t *testing.T, newPlace func() string) {
		logPath, place := filepath.Join(t.TempDir(), "events.db"), newPlace()
		log := openLog(t, logPath)
		grow(t, log, 3000)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		for round := range rounds {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), logVariable+"="+logPath, viewsVariable+"="+place, buildVariable+"="+strconv.Itoa(round%4*5))
			var stderr strings.Builder
			child.Stderr = &stderr
			require.NoError(t, child.Start())
			for range random.IntN(25) { // it is killed wherever it is then
				grow(t, log, 1+random.IntN(10))
			}
			require.NoError(t, child.Process.Kill())
			_ = child.Wait() // it may have ended
			require.Empty(t, stderr.String())
		}
		store := open(t, place, log, anything{})
		require.NoError(t, store.CatchUp(t.Context()))
		built := open(t, t.TempDir(), log, anything{})
		require.NoError(t, built.CatchUp(t.Context()))
		require.Equal(t, everyItem(t, built), everyItem(t, store))
	})
}

// Two that apply to one file do not apply anything twice.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log, dir := newLog(t), newPlace()
		one, two := open(t, dir, log), open(t, dir, log)
		require.Equal(t, one.Path(), two.Path())
		run(t, one)
		run(t, two)
		var head eventlog.Position
		for range 50 {
			head = grow(t, log, 20)
		}
		require.NoError(t, one.WaitFor(t.Context(), head))
		require.NoError(t, two.WaitFor(t.Context(), head))
		require.Equal(t, fold(t, log), rows(t, one))
		require.Equal(t, fold(t, log), rows(t, two))
	})
}

// Another schema or version is another file beside the old one, with the same content; the old one still works.
func TestGenerations(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 100)
	old := open(t, dir, log)
	require.NoError(t, old.CatchUp(t.Context()))
	paths := map[string]bool{old.Path(): true}
	for _, changed := range []tally{{version: 2}, {table: readmodel.NewTable[row]("tally", readmodel.Index("events"))}} {
		store := open(t, dir, log, changed)
		require.False(t, paths[store.Path()], "a generation of its own")
		paths[store.Path()] = true
		require.Equal(t, eventlog.Start, store.Position())
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, rows(t, old), rows(t, store))
	}
	grow(t, log, 10)
	require.NoError(t, old.CatchUp(t.Context()))
	require.Equal(t, fold(t, log), rows(t, old))
}

// The order in which a program lists its projections does not make another generation.
func TestGenerationIsASet(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	a, b := renamed{tally{table: readmodel.NewTable[row]("a")}, "a"}, renamed{tally{table: readmodel.NewTable[row]("b")}, "b"}
	one := open(t, dir, log, a, b)
	two := open(t, dir, log, b, a)
	require.Equal(t, one.Path(), two.Path())
}

type renamed struct {
	tally
	name string
}

func (p renamed) Name() string { return p.name }

// WaitFor gives read-your-writes, whether the store is running or not.
func TestWaitFor(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		for name, running := range map[string]bool{"running": true, "not running": false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				log := newLog(t)
				store := open(t, newPlace(), log)
				if running {
					run(t, store)
				}
				for range 20 {
					head := grow(t, log, 3)
					require.NoError(t, store.WaitFor(t.Context(), head))
					require.GreaterOrEqual(t, store.Position(), head)
					require.Equal(t, fold(t, log), rows(t, store))
				}
			})
		}
		t.Run("for what comes later", func(t *testing.T) {
			t.Parallel()
			log := newLog(t)
			head := grow(t, log, 1)
			later := head[:len(head)-1] + "2"
			store := open(t, newPlace(), log)
			waited := make(chan error, 1)
			go func() { waited <- store.WaitFor(t.Context(), later) }()
			require.NoError(t, store.WaitFor(t.Context(), head))
			require.Equal(t, later, grow(t, log, 1))
			require.NoError(t, <-waited)
		})
		t.Run("in vain", func(t *testing.T) {
			t.Parallel()
			log := newLog(t)
			head := grow(t, log, 1)
			store := open(t, newPlace(), log)
			ctx, cancel := context.WithCancel(t.Context())
			waited := make(chan error, 1)
			go func() { waited <- store.WaitFor(ctx, "9") }()
			require.NoError(t, store.WaitFor(t.Context(), head))
			cancel()
			err := <-waited
			require.ErrorIs(t, err, context.Canceled)
		})
	})
}

// Run ends without an error when it is told to, and with one when the log cannot be read.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	head := grow(t, log, 1)
	store := open(t, t.TempDir(), log)
	stop := run(t, store)
	require.NoError(t, store.WaitFor(t.Context(), head))
	require.NoError(t, stop())

	failing := open(t, t.TempDir(), log)
	require.NoError(t, log.Close())
	require.ErrorIs(t, failing.Run(t.Context()), eventlog.ErrClosed)
}

// While the disk is full Run tries again, and says so once.
func TestRunRetries(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log := newLog(t)
		head := grow(t, log, 1)
		full := 0
		store, said := openLogged(t, newPlace(), log, tally{before: func(eventlog.Record) error {
			if full < 3 {
				full++
				return syscall.ENOSPC
			}
			return nil
		}})
		stop := run(t, store)
		require.Eventually(t, func() bool { return store.Position() == head }, time.Minute, 10*time.Millisecond)
		require.NoError(t, stop())
		require.Equal(t, 1, strings.Count(said.String(), "views cannot be written, trying again"))
		require.Equal(t, 1, strings.Count(said.String(), "views are written again"))
	})
}

// A rebuild gives the same views, and ends at the head.
func TestRebuild(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log := newLog(t)
		head := grow(t, log, 1500)
		store := open(t, newPlace(), log)
		require.NoError(t, store.CatchUp(t.Context()))
		before := rows(t, store)
		require.NoError(t, store.Rebuild(t.Context()))
		require.Equal(t, before, rows(t, store))
		require.Equal(t, head, store.Position())
	})
}

// Views that another process empties are filled from the beginning.
func TestRebuildBesideAnother(t *testing.T) {
	t.Parallel()
	path, dir := filepath.Join(t.TempDir(), "events.db"), t.TempDir()
	log, theirs := openLog(t, path), openLog(t, path)
	grow(t, log, 100)
	other, store := open(t, dir, theirs), open(t, dir, log)
	require.NoError(t, store.CatchUp(t.Context()))

	head := grow(t, log, 10)
	require.NoError(t, theirs.Close()) // so that they do no more than empty them
	require.ErrorIs(t, other.Rebuild(t.Context()), eventlog.ErrClosed)
	require.NoError(t, store.CatchUp(t.Context()))
	require.Equal(t, head, store.Position())
	require.Equal(t, fold(t, log), rows(t, store))
}

// Views of another log are rebuilt, as those in a file are of whichever log is beside it. In a database they may be
// another installation's: they are left alone.
func TestOtherLog(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		for name, events := range map[string]int{"as long": 40, "longer": 90, "shorter": 5, "empty": 0} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				first, dir := newLog(t), newPlace()
				grow(t, first, 40)
				store := open(t, dir, first)
				require.NoError(t, store.CatchUp(t.Context()))
				require.NoError(t, store.Close())

				second := newLog(t)
				grow(t, second, events)
				store, said := openLogged(t, dir, second)
				if strings.HasPrefix(store.Path(), "schema ") {
					require.ErrorContains(t, store.CatchUp(t.Context()), "is of another installation")
					require.NoError(t, store.Close())
					grow(t, first, 3)
					store = open(t, dir, first)
					require.NoError(t, store.CatchUp(t.Context()))
					require.Equal(t, fold(t, first), rows(t, store))
					return
				}
				require.NoError(t, store.CatchUp(t.Context()))
				require.Equal(t, fold(t, second), rows(t, store))
				require.Contains(t, said.String(), "another log")
			})
		}
	})
}

// The same log is not taken for another one, whatever batch the checkpoint ends.
func TestSameLog(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	for _, n := range []int{1, 1, 5, 1000, 1001} {
		grow(t, log, n)
		store, said := openLogged(t, dir, log)
		require.NoError(t, store.CatchUp(t.Context()))
		require.NoError(t, store.Close())
		require.Empty(t, said.String())
	}
}

// After Close everything says so.
func TestClose(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log := newLog(t)
		head := grow(t, log, 1)
		store := open(t, newPlace(), log)
		require.NoError(t, store.Close())
		require.NoError(t, store.Close())
		require.ErrorIs(t, store.CatchUp(t.Context()), readmodel.ErrClosed)
		require.ErrorIs(t, store.WaitFor(t.Context(), head), readmodel.ErrClosed)
		require.ErrorIs(t, store.Run(t.Context()), readmodel.ErrClosed)
		require.ErrorIs(t, store.Rebuild(t.Context()), readmodel.ErrClosed)
		require.ErrorIs(t, store.Read(t.Context(), func(*readmodel.Query) error { return nil }), readmodel.ErrClosed)
		require.NoError(t, log.Close())

		open := open(t, newPlace(), log)
		require.ErrorIs(t, open.Run(t.Context()), eventlog.ErrClosed)
	})
}

// A mistake in what the store is made of is said at once.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, err := readmodel.Open(t.Context(), readmodel.Config{})
	for _, fault := range []string{"Config.Dir and Config.Database are missing", "Log is missing", "Projections is empty"} {
		require.ErrorContains(t, err, fault)
	}
	log := newLog(t)
	_, err = readmodel.Open(t.Context(), readmodel.Config{Dir: t.TempDir(), Log: log, Projections: []readmodel.Projection{tally{}, tally{}}})
	require.ErrorContains(t, err, `two projections are named "tally"`)
	_, err = readmodel.Open(t.Context(), readmodel.Config{Dir: t.TempDir(), Log: log, Projections: []readmodel.Projection{tally{}, renamed{tally{}, "other"}}})
	require.ErrorContains(t, err, `two tables are named "tally"`)
}
