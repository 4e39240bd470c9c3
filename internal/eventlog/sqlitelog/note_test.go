package sqlitelog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// unsynced are the options of a log that forgets with the power, and is faster.
var unsynced = Options{pragma: "synchronous = off"}

func openAgain(t *testing.T, path string) *Log {
	t.Helper()
	log, err := Open(t.Context(), path, unsynced)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func newBatch(n int) []eventlog.Event {
	batch := make([]eventlog.Event, n)
	for i := range batch {
		batch[i] = newEvent(10)[0]
	}
	return batch
}

// Every id of a stream is known to every process at any time: whichever appended it, in batches of any size, and
// noted it or left that to others, and whatever was forgotten in between.
func TestNotedIDsAreAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			logs := []*Log{newLog(t, unsynced)}
			for range 2 {
				logs = append(logs, openAgain(t, logs[0].path))
			}
			var appends [][]eventlog.Event
			var firsts []int64
			for next := int64(0); next < maxRead+100; {
				log := logs[random.IntN(len(logs))]
				switch random.IntN(8) { // nothing is appended now, so the writers are at rest
				case 0:
					log.writer.known.forget()
				case 1: // an older program leaves no notes
					require.NoError(t, sqlitedb.Exec(log.writer.conn, "DELETE FROM noted_ids WHERE place > (SELECT avg(place) FROM noted_ids)"))
					for _, log := range logs {
						log.writer.known.forget()
					}
				}
				if len(appends) > 0 {
					i := random.IntN(len(appends))
					again := appends[i]
					appended, err := log.Append(t.Context(), "a", eventlog.At(firsts[i]-1), again)
					require.NoError(t, err)
					require.True(t, appended.Repeated)

					event := again[random.IntN(len(again))]
					_, err = log.Append(t.Context(), "a", eventlog.Exact(next-1), []eventlog.Event{newEvent(10)[0], event})
					require.ErrorAs(t, err, new(*eventlog.ConflictError))
					event.Payload = nil
					_, err = log.Append(t.Context(), "a", eventlog.Exact(next-1), []eventlog.Event{event})
					require.ErrorAs(t, err, new(*eventlog.ContentError))
				}
				batch := newBatch(1 + random.IntN(3*noteIDs))
				_, err := log.Append(t.Context(), "a", eventlog.At(next-1), batch)
				require.NoError(t, err)
				appends, firsts = append(appends, batch), append(firsts, next)
				next += int64(len(batch))
			}
			farthest, err := sqlitedb.Int(logs[0].writer.conn, "SELECT max(place) FROM noted_ids")
			require.NoError(t, err)
			require.Less(t, farthest, place(2, 0), "the places of the next stream")
		})
	}
}

// A writer that opens a stream reads few of its events: the notes have the ids of the others.
func TestNotesSpareEvents(t *testing.T) {
	t.Parallel()
	log := newLog(t, unsynced)
	late := openAgain(t, log.path).writer.known // nothing is appended there, so its writer is at rest
	for _, size := range []int{1, 7, noteIDs, 3 * noteIDs} {
		name := fmt.Sprint(size)
		for next := int64(0); next < 4*noteIDs; next += int64(size) {
			_, err := log.Append(t.Context(), name, eventlog.At(next-1), newBatch(size))
			require.NoError(t, err)
		}
		known, err := late.stream(name)
		require.NoError(t, err)
		require.Len(t, idsOf(known), int(known.last+1))
		require.Less(t, len(known.tail), noteIDs)
	}
}

// A writer that knows a stream up to somewhere near a note gets the ids of all later events.
func TestNotesAfterWhatIsKnown(t *testing.T) {
	t.Parallel()
	log := newLog(t, unsynced)
	early := openAgain(t, log.path).writer.known // nothing is appended there, so its writer is at rest
	for first := noteIDs - 2; first <= noteIDs+2; first++ {
		name := fmt.Sprint(first)
		for revision := range 3 * noteIDs {
			if revision == first {
				known, err := early.stream(name)
				require.NoError(t, err)
				require.Len(t, idsOf(known), first)
			}
			_, err := log.Append(t.Context(), name, eventlog.At(int64(revision-1)), newBatch(1))
			require.NoError(t, err)
		}
	}
	early.changes++ // as the writer finds out
	for first := noteIDs - 2; first <= noteIDs+2; first++ {
		known, err := early.stream(fmt.Sprint(first))
		require.NoError(t, err)
		require.Len(t, idsOf(known), 3*noteIDs)
		require.Equal(t, int64(3*noteIDs-1), known.last)
	}
}

// There is a note for so many ids only, and what one process has noted, another one does not note again.
func TestNotesAreFew(t *testing.T) {
	t.Parallel()
	log := newLog(t, unsynced)
	other := openAgain(t, log.path)
	notes := func() int64 {
		n, err := sqlitedb.Int(log.writer.conn, "SELECT count(*) FROM noted_ids")
		require.NoError(t, err)
		return n
	}
	next := int64(0)
	grow := func(log *Log, n int) {
		_, err := log.Append(t.Context(), "a", eventlog.At(next-1), newBatch(n))
		require.NoError(t, err)
		next += int64(n)
	}
	for range noteIDs - 1 {
		grow(log, 1)
	}
	require.Zero(t, notes())
	grow(other, 1)
	require.Equal(t, int64(1), notes())
	grow(other, noteIDs)
	require.Equal(t, int64(2), notes())
	grow(log, 1)
	require.Equal(t, int64(2), notes())
}

// The first append to a log of an older program writes the notes that it lacks.
func TestNotesOfAnOldLog(t *testing.T) {
	t.Parallel()
	log := newLog(t, unsynced)
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, newBatch(500))
	require.NoError(t, err)
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "DROP TABLE noted_ids"))
	require.NoError(t, log.Close())

	log = openAgain(t, log.path)
	_, err = log.Append(t.Context(), "a", eventlog.Exact(499), newBatch(1))
	require.NoError(t, err)
	known, err := openAgain(t, log.path).writer.known.stream("a")
	require.NoError(t, err)
	require.Len(t, idsOf(known), 501)
	require.Empty(t, known.tail)
}

// The notes of an append that is rolled back go with it.
func TestNotesAreRolledBack(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{maxPages: 60})
	err := log.AppendInOrder(t.Context(), []eventlog.Batch{
		{Stream: "a", Expected: eventlog.NoStream{}, Events: newBatch(2 * noteIDs)},
		{Stream: "a", Expected: eventlog.Exact(2*noteIDs - 1), Events: newEvent(300 << 10)}, // has no room
	})
	require.ErrorIs(t, err, eventlog.ErrFull)
	_, err = log.Append(t.Context(), "a", eventlog.NoStream{}, newBatch(noteIDs))
	require.NoError(t, err)
	known, err := openAgain(t, log.path).writer.known.stream("a")
	require.NoError(t, err)
	require.Len(t, idsOf(known), noteIDs)
	require.Equal(t, int64(noteIDs-1), known.last)
}

// idsOf are the ids that are remembered of a stream, each once.
func idsOf(known *stream) map[uint64]struct{} {
	ids := maps.Clone(known.ids)
	for _, id := range known.noted {
		ids[id] = struct{}{}
	}
	return ids
}
