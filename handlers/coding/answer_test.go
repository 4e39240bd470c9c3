package coding_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: of several answers to one checkpoint that are given at the same moment exactly one counts; all others are told that
// the checkpoint has moved on, and change nothing.
func TestOneAnswerCounts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.start(plan.Definition{Jobs: []plan.Job{w.job("a", "mkdir -p a; echo a >a/a; echo x >beside")}})
	held := w.settle().Jobs["a"]
	require.Equal(t, plan.KindTouchset, held.Held.Kind)
	answers := []plan.Command{
		plan.Accept{Job: "a", Checkpoint: 1, Reason: "it is right"}, plan.Relaunch{Job: "a", Checkpoint: 1}, plan.Retry{Job: "a", Checkpoint: 1},
	}
	errs := make([]error, 4*len(answers))
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range errs {
		all.Go(func() {
			<-begin
			_, errs[i] = commandsOn(w.log).OnPlan(t.Context(), "p1", answers[i%len(answers)], person())
		})
	}
	close(begin)
	all.Wait()
	taken := 0
	for _, err := range errs {
		if err == nil {
			taken++
			continue
		}
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.ErrorIs(t, err, plan.ErrStale)
		require.ErrorContains(t, err, `job "a" is not held at checkpoint 1 any more`)
	}
	require.Equal(t, 1, taken)
	counted := 0
	for _, one := range w.events() {
		if one == plan.TypeJobAccepted || one == plan.TypeJobRelaunched || one == plan.TypeJobRetried {
			counted++
		}
	}
	require.Equal(t, 1, counted)
}

// Rule: a plan is worked on by the node whose directory it is in, and by no other that sees the same log and the same disk: two would
// take each other's worktrees away.
func TestAPlanIsItsNodes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.start(plan.Definition{Jobs: []plan.Job{w.job("a", "true")}})
	for data, works := range map[string]int{w.data: 1, t.TempDir(): 0} {
		worker, err := workerOn(data, w.Commands)
		require.NoError(t, err)
		require.Len(t, worker.Due("p1", w.state()), works)
	}
}
