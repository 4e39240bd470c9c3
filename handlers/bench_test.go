package handlers_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// BenchmarkFailureToFix is the time from the end of a failed run to its applied fix, with
// templates and 20 recorded successes: rehearsal, evidence, search, gate, three appends.
func BenchmarkFailureToFix(b *testing.B) {
	n := newWorld(b).inWorkers().open(nil)
	defer n.close()
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		id := n.create(orders, workflow.Settings{})
		for i := range 20 {
			n.outside.answer("/orders", 200, oldOrders(i, 2*i, i%3))
			n.runs(id, fmt.Sprintf(`{"day":"2026-03-%02d"}`, i+1))
		}
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.admit(id, `{"day":"2026-04-01"}`)
		b.StartTimer()
		require.NoError(b, n.settle(b.Context()))
		b.StopTimer()
		took = append(took, n.fromFailureToFix(id))
		require.Equal(b, "1.1", n.state(id).Active.String())
		b.StartTimer()
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-failure-to-fix-p50")
}

// fromFailureToFix is how long it took from the end of the run that failed last to the
// fix that was applied last, by the times of the events.
func (n *node) fromFailureToFix(id string) time.Duration {
	n.t.Helper()
	var failed, applied time.Time
	streams := []string{workflow.Stream(id), run.Stream(n.lastFailed(id))}
	for one, err := range n.commands.History(context.Background(), streams) {
		require.NoError(n.t, err)
		switch e := one.Event.(type) {
		case run.RunEnded:
			if e.Failure != nil {
				failed = one.Metadata.RecordedAt
			}
		case workflow.FixApplied:
			applied = one.Metadata.RecordedAt
		}
	}
	return applied.Sub(failed)
}

func median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}
