package projections_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The cost of agents is counted at each answer, over all threads, and not once more when a thread is
// closed; a sum that only the closing knows is counted then.
func TestSpentSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	answer := func(id string, usd float64) time.Time {
		did := w.did(w.commands.AppendAnswer(ctx, id, thread.AppendAnswer{
			Text: "…", Usage: thread.Usage{Model: "m", Input: 10, Output: 1, CostUSD: usd},
		}, executor))
		return did.Events[0].Metadata.RecordedAt
	}
	spent := func(since time.Time) float64 {
		w.catchUp()
		usd, err := w.queries.Spent(ctx, since)
		require.NoError(t, err)
		return usd
	}
	require.Zero(t, spent(noon))
	for _, id := range []string{"a", "b"} {
		w.did(w.commands.OpenThread(ctx, thread.Open{Thread: id, Workflow: "w", Kind: thread.KindMaintainer, Task: "t-" + id}, executor))
	}
	answer("a", 0.25)
	second := answer("b", 0.5)
	require.InDelta(t, 0.75, spent(noon), 1e-9)
	require.InDelta(t, 0.5, spent(second), 1e-9)
	require.Zero(t, spent(second.Add(time.Millisecond)))
	w.did(w.commands.MissModel(ctx, "a", thread.MissModel{Model: "m", Kind: "unavailable", Usage: &thread.Usage{Model: "m", Input: 9, CostUSD: 0.125}}, executor))
	require.InDelta(t, 0.875, spent(noon), 1e-9, "what was lost to a time-out may be paid")
	w.did(w.commands.CloseThread(ctx, "a", thread.Close{Outcome: "fixed", Tokens: 20, CostUSD: 0.375}, executor))
	require.InDelta(t, 0.875, spent(noon), 1e-9)
	w.did(w.commands.CloseThread(ctx, "b", thread.Close{Outcome: "fixed", Tokens: 11, CostUSD: 0.625}, executor))
	require.InDelta(t, 1, spent(noon), 1e-9)
}

// A model without a price is counted in tokens: that is said, and never taken for nothing.
func TestWhatHasNoPriceIsCountedInTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.did(w.commands.OpenThread(ctx, thread.Open{Thread: "a", Workflow: "w", Kind: thread.KindMaintainer, Task: "t"}, executor))
	for _, used := range []thread.Usage{
		{Model: "own", Input: 100, Output: 11}, {Model: "own", Input: 200, Output: 22}, {Model: "other", Input: 1, Output: 1}, {Model: "priced", Input: 10, Output: 1, CostUSD: 0.5},
	} {
		w.did(w.commands.AppendAnswer(ctx, "a", thread.AppendAnswer{Text: "…", Usage: used}, executor))
	}
	closed := w.did(w.commands.CloseThread(ctx, "a", thread.Close{Outcome: "fixed", Tokens: 345, CostUSD: 0.5}, executor))
	w.catchUp()
	uncounted, err := w.queries.Uncounted(ctx, noon)
	require.NoError(t, err)
	require.Equal(t, []projections.Uncounted{{Model: "other", Tokens: 2}, {Model: "own", Tokens: 333}}, uncounted)
	uncounted, err = w.queries.Uncounted(ctx, closed.Events[0].Metadata.RecordedAt)
	require.NoError(t, err)
	require.Empty(t, uncounted)
	require.NotNil(t, uncounted, "as JSON an empty list is []")
}
