package loop

import (
	"container/heap"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Rule: who came first is taken first, nobody is lost, and a queue that is never empty does not grow.
func TestQueue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue[int]
		var model []int
		most := 0
		for i, push := range rapid.SliceOf(rapid.Bool()).Draw(t, "pushes") {
			if push {
				q.push(i)
				model = append(model, i)
			} else if len(model) > 0 {
				require.Equal(t, model[0], q.pop())
				model = model[1:]
			}
			most = max(most, len(model))
			require.Equal(t, len(model), q.len())
			require.LessOrEqual(t, len(q.items), 2*most)
		}
	})
}

// Rule: the first is never later than any other, and each lane knows its place, wherever others are
// taken out.
func TestTimers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all timers
		var in []*lane
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(in) == 0 || rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				of := &lane{wakeAt: time.Unix(int64(rapid.IntRange(0, 50).Draw(t, "at")), 0)}
				in = append(in, of)
				heap.Push(&all, of)
			} else {
				i := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				of := in[i]
				in = slices.Delete(in, i, i+1)
				heap.Remove(&all, of.timer-1)
				require.Zero(t, of.timer)
			}
			require.ElementsMatch(t, in, all)
			for i, of := range all {
				require.Equal(t, i+1, of.timer)
				require.False(t, of.wakeAt.Before(all[0].wakeAt))
			}
		}
	})
}
