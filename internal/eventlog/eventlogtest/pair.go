package eventlogtest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// These are the promises of [eventlog.PairAppender], which [eventlog.AppendPair] has to keep with every log.

// pairOrders are streams' names in either order: a backend may care about it.
var pairOrders = [][2]string{{"a", "b"}, {"d", "c"}}

func appendsPairs(t testing.TB, log eventlog.Log) {
	for _, of := range pairOrders {
		first, second := events(2, "first of %s", of[0]), events(3, "second of %s", of[0])
		done, err := eventlog.AppendPair(t.Context(), log, batch(of[0], -1, first...), batch(of[1], -1, second...))
		require.NoError(t, err)
		require.Len(t, done, 2)
		again, err := eventlog.AppendPair(t.Context(), log, batch(of[0], -1, first...), batch(of[1], -1, second...))
		require.NoError(t, err)
		for i, of := range [][]eventlog.Event{first, second} {
			require.Equal(t, int64(len(of)-1), done[i].Last)
			require.False(t, done[i].Repeated)
			done[i].Repeated = true
		}
		require.Equal(t, done, again)
		stored := readAll(t, log)
		require.Equal(t, append(idsOf(first), idsOf(second)...), ids(stored[len(stored)-5:]))
		require.Equal(t, done[0].Position, stored[len(stored)-4].Position)
		require.Equal(t, done[1].Position, stored[len(stored)-1].Position)
	}
	RequireSound(t, log)
}

func endsPairsAtRefusal(t testing.TB, log eventlog.Log) {
	for _, of := range pairOrders {
		appendEvents(t, log, of[0], eventlog.NoStream{}, event("there of %s", of[0]))
		done, err := eventlog.AppendPair(t.Context(), log, batch(of[0], -1, event("late of %s", of[0])), batch(of[1], -1, event("behind of %s", of[0])))
		requireConflict(t, err, of[0], -1, 0)
		require.Empty(t, done)

		appendEvents(t, log, of[1], eventlog.NoStream{}, event("there of %s", of[1]))
		done, err = eventlog.AppendPair(t.Context(), log, batch(of[0], 0, event("right of %s", of[0])), batch(of[1], -1, event("late of %s", of[1])))
		requireConflict(t, err, of[1], -1, 0)
		require.Len(t, done, 1)
		stored := readAll(t, log)
		require.Equal(t, []string{event("there of %s", of[0]).ID, event("there of %s", of[1]).ID, event("right of %s", of[0]).ID}, ids(stored[len(stored)-3:]))
		require.Equal(t, stored[len(stored)-1].Position, done[0].Position)
	}
	_, err := eventlog.AppendPair(t.Context(), log, batch("a", 1, event("good")), batch("b", 0))
	require.ErrorIs(t, err, eventlog.ErrEmptyBatch)
	require.Len(t, readAll(t, log), 6)
	RequireSound(t, log)
}

// Several pairs come at once, with single appends to the same streams between them. The second append of each is
// there only after its own first, and every caller is told so.
func pairsAmongOthers(t testing.TB, log eventlog.Log) {
	const writers, rounds = 8, 25
	var all sync.WaitGroup
	told := make([]map[string]bool, writers)
	for w := range writers {
		told[w] = map[string]bool{}
		all.Go(func() {
			for round := range rounds {
				first, second := event("first %d/%d", w, round), event("second %d/%d", w, round)
				// All writers contend for the second stream.
				done, err := eventlog.AppendPair(t.Context(), log, batch(fmt.Sprintf("m%d", w), int64(round-1), first), batch("z", int64(round-1), second))
				if len(done) > 0 {
					told[w][first.ID] = true
				}
				if told[w][second.ID] = err == nil; err != nil && len(done) == 0 {
					t.Errorf("the first of a pair was refused: %v", err)
				}
			}
		})
	}
	all.Wait()
	there, at := map[string]bool{}, map[string]int{}
	for i, record := range readAll(t, log) {
		there[record.ID], at[record.ID] = true, i
	}
	for w := range writers {
		for round := range rounds {
			first, second := event("first %d/%d", w, round).ID, event("second %d/%d", w, round).ID
			require.True(t, there[first])
			require.Equal(t, told[w][first], there[first])
			require.Equal(t, told[w][second], there[second])
			if there[second] {
				require.Less(t, at[first], at[second])
			}
		}
	}
	RequireSound(t, log)
}
