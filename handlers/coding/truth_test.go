package coding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: an agent that ended well and left nothing (it had no credit, or took its work away again) is no success: its job is held
// with its last words, and what needs the job does not begin.
func TestAJobThatChangedNothingIsHeld(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.start(plan.Definition{Parallel: 1, Verify: []string{"test -e README.md"}, Jobs: []plan.Job{
		w.job("credit", `[ $KINTSUGI_ATTEMPT = 1 ] && echo "Credit balance is too low" && exit 0; grep -q "balance is too low" "$KINTSUGI_TASK_FILE"; mkdir credit; echo x >credit/x`, func(j *plan.Job) { j.Attempts = 3 }),
		w.job("stash", "mkdir stash; echo x >stash/x; git add -A; git stash -q"),
		w.job("reset", "mkdir reset; echo x >reset/x; git add -A; git commit -qm x; git reset -q --hard HEAD~1"),
		w.job("after", "mkdir after; echo x >after/x", func(j *plan.Job) { j.Needs = []string{"credit", "stash", "reset"} }),
		w.job("free", "true", func(j *plan.Job) { j.MayChangeNothing = true }),
	}})
	state := w.settle()
	require.Equal(t, "it ended well and changed nothing; the end of its output: Credit balance is too low", state.Jobs["credit"].Held.Reason)
	for _, id := range []string{"credit", "stash", "reset"} {
		require.Equal(t, plan.KindNoChange, state.Jobs[id].Held.Kind, id)
		require.Equal(t, 1, state.Jobs[id].Attempt, id)
	}
	require.Equal(t, plan.JobMergedIn, state.Jobs["free"].Status)
	require.Equal(t, plan.JobPending, state.Jobs["after"].Status)
	w.on(plan.Retry{Job: "reset"})
	require.Equal(t, plan.KindNoChange, w.settle().Jobs["reset"].Held.Kind, "nobody repaired anything")
	w.on(plan.Relaunch{Job: "credit"})
	w.on(plan.Accept{Job: "stash", Reason: "it was done before"})
	w.on(plan.Accept{Job: "reset", Reason: "it was done before"})
	state = w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(t, "x", w.git("show", "agents:credit/x"))
	w.events()
}
