package handlers_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// BenchmarkRuns is whole runs through the log: admitted, claimed, executed in a worker with
// three local calls, journaled, settled.
func BenchmarkRuns(b *testing.B) {
	for _, workflows := range []int{1, 16} {
		b.Run(fmt.Sprintf("workflows=%d", workflows), func(b *testing.B) {
			n := newWorld(b).open(nil)
			defer n.close()
			ids := make([]string, workflows)
			for i := range ids {
				ids[i] = n.create(`async function main(input) {
  const n = (await kv.get('n')) || 0;
  await kv.set('n', n + 1);
  await files.write('last.txt', 'run ' + n);
  return n;
}`, workflow.Settings{})
			}
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- n.loop().Run(ctx) }()
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var group sync.WaitGroup
			for _, id := range ids {
				group.Go(func() {
					for left.Add(-1) >= 0 {
						n.await(id, n.admit(id, `{}`))
					}
				})
			}
			group.Wait()
			b.StopTimer()
			stop()
			require.NoError(b, <-ended)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// BenchmarkFailureToFix is the time from the end of a failed run to its applied fix, with
// templates and 20 recorded successes: rehearsal, evidence, search, gate, three appends.
func BenchmarkFailureToFix(b *testing.B) {
	n := newWorld(b).open(nil)
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

// await returns when a run is settled.
func (n *node) await(id, of string) {
	hint, release := n.log.Wake()
	defer release()
	for {
		if _, settled := n.state(id).Run(of); settled {
			return
		}
		<-hint
	}
}

// fromFailureToFix is how long it took from the end of the run that failed last to the
// fix that was applied last, by the times of the events.
func (n *node) fromFailureToFix(id string) time.Duration {
	n.t.Helper()
	var failed, applied time.Time
	streams := []string{commands.WorkflowStream(id), commands.RunStream(n.lastFailed(id))}
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
