package loop

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Rule: who came first is taken first, nobody is lost, and a line that is never empty does not grow.
func TestLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l line[int]
		var model []int
		most := 0
		for i, push := range rapid.SliceOf(rapid.Bool()).Draw(t, "pushes") {
			if push {
				l.push(i)
				model = append(model, i)
			} else if len(model) > 0 {
				require.Equal(t, model[0], l.pop())
				model = model[1:]
			}
			most = max(most, len(model))
			require.Equal(t, len(model), l.len())
			require.LessOrEqual(t, len(l.items), 2*most)
		}
	})
}

type dated struct{ at, place int }

// Rule: the first is never later than any other, and each item knows its place, wherever others are
// taken out.
func TestHeap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := heap[*dated]{
			before: func(a, b *dated) bool { return a.at < b.at },
			moved:  func(item *dated, place int) { item.place = place },
		}
		var in []*dated
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(in) == 0 || rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				item := &dated{at: rapid.IntRange(0, 50).Draw(t, "at")}
				in = append(in, item)
				h.push(item)
			} else {
				i := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				item := in[i]
				in = slices.Delete(in, i, i+1)
				h.remove(item.place)
				require.Zero(t, item.place)
			}
			require.Equal(t, len(in), h.len())
			for i, item := range h.items {
				require.Equal(t, i+1, item.place)
				require.Contains(t, in, item)
				require.GreaterOrEqual(t, item.at, h.first().at)
				require.GreaterOrEqual(t, item.at, h.items[max((i+1)/2-1, 0)].at)
			}
		}
	})
}
