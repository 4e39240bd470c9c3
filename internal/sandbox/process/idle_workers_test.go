package process

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var shelved = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)

// Rule: workflows that run once do not drive out the workers of those that run again and again,
// and have few kept among them.
func TestShelfKeepsThoseThatComeAgain(t *testing.T) {
	t.Parallel()
	s := idleWorkers{limit: 20}
	use := func(affinity string) (again bool) {
		worker := s.take(affinity)
		if again = worker != nil; !again {
			worker = &process{}
		}
		s.put(affinity, worker, shelved)
		return again
	}
	for i := range 10 { // more than are kept of the new
		use(fmt.Sprint("busy", i))
	}
	for i := range 10 {
		use(fmt.Sprint("busy", i))
	}
	for i := range 1000 {
		require.False(t, use(fmt.Sprint("once", i)))
		require.True(t, use(fmt.Sprint("busy", i%10)), "after %d others", i)
		require.LessOrEqual(t, s.len(), 10+newKept)
	}
	require.Len(t, s.new, newKept)
}

// Rule: a worker is kept once or given back once, never for another workflow, and never more than
// the limit; of a workflow's workers the one used last is taken.
func TestShelfLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := idleWorkers{limit: rapid.IntRange(1, 12).Draw(t, "limit")}
		kept := map[*process]int{} // when it was put
		drop := func(gone []*process) {
			for _, worker := range gone {
				require.Contains(t, kept, worker)
				delete(kept, worker)
			}
		}
		for now := range rapid.IntRange(1, 100).Draw(t, "steps") {
			affinity := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}).Draw(t, "affinity")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				worker := &process{}
				kept[worker] = now
				drop(s.put(affinity, worker, shelved.Add(time.Duration(now))))
			case 2, 3:
				newest := -1
				for worker, at := range kept {
					if worker.affinity == affinity {
						newest = max(newest, at)
					}
				}
				worker := s.take(affinity)
				require.Equal(t, newest >= 0, worker != nil)
				if worker != nil {
					require.Equal(t, affinity, worker.affinity)
					drop([]*process{worker})
				}
			case 4:
				before := rapid.IntRange(0, now).Draw(t, "before")
				drop(s.expire(shelved.Add(time.Duration(before))))
				for _, at := range kept {
					require.GreaterOrEqual(t, at, before)
				}
			}
			require.Len(t, kept, s.len())
			require.LessOrEqual(t, s.len(), s.limit)
			require.LessOrEqual(t, len(s.seen)+len(s.before), 8*s.limit)
		}
		drop(s.clear())
		require.Empty(t, kept)
	})
}
