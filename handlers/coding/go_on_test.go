package coding_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: what runs for a job that is stopped or dropped is ended. A stopped one is held, and goes on with what it did; without a dropped
// one the plan is completed.
func TestAJobIsStoppedOrDropped(t *testing.T) {
	t.Parallel()
	w := setup(t)
	waits := `mkdir -p $KINTSUGI_JOB; echo half >$KINTSUGI_JOB/x; [ $KINTSUGI_ATTEMPT = 2 ] || { : >ready; sleep 1000; }`
	ready := func(j *plan.Job) { j.Touch = append(j.Touch, "ready") }
	w.start(plan.Definition{Jobs: []plan.Job{w.job("stops", waits, ready), w.job("drops", "mkdir drops; : >drops/x; sleep 1000")}})
	settled := make(chan plan.State, 1)
	go func() { settled <- w.settle() }()
	for id, file := range map[string]string{"stops": "ready", "drops": "drops/x"} {
		require.Eventually(t, func() bool {
			_, err := os.Stat(filepath.Join(w.data, "plans", "p1", "trees", id, file))
			return err == nil
		}, time.Minute, time.Millisecond)
	}
	w.on(plan.Stop{Job: "stops", Reason: "it sleeps"})
	w.on(plan.Drop{Job: "drops"})
	state := <-settled
	held := state.Jobs["stops"].Held
	require.Equal(t, plan.KindStopped, held.Kind)
	require.Equal(t, "it was stopped: it sleeps", held.Reason)
	require.Empty(t, state.Jobs["drops"].Launch, "what ran for it has ended")
	w.on(plan.Relaunch{Job: "stops"})
	state = w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(t, "half", w.git("show", "agents:stops/x"))
	w.events()
}

// Rule: files of the person's checkout that change while an agent is at work that no wall keeps from them are named in the history, and
// a branch that a job moved is held with the commit where it was.
func TestWhatAnAgentDoesOutsideIsTold(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("mine.txt", "begun\n")
	w.write("README.md", "SHOP\n") // as long as it was, so that it is read
	w.write(".git/info/attributes", "*.md filter=ran\n")
	w.git("config", "filter.ran.clean", "pwd >>"+w.scripts+"/ran; cat")
	w.start(plan.Definition{Parallel: 1, Wall: plan.Wall{Off: true}, Jobs: []plan.Job{
		w.job("outside", "mkdir outside; echo x >outside/x; echo evil >>"+w.dir+"/README.md; rm "+w.dir+"/mine.txt"),
		w.job("within", "mkdir within; echo x >within/x", func(j *plan.Job) { j.Needs = []string{"outside"} }),
		w.job("moves", "mkdir moves; echo x >moves/x; git add -A; git commit -qm x; git update-ref refs/heads/main HEAD", func(j *plan.Job) { j.Needs = []string{"within"} }),
	}})
	state := w.settle()
	outside := map[string][]string{}
	for record, err := range w.log.Stream(t.Context(), plan.Stream("p1"), 0) {
		require.NoError(t, err)
		happened, err := domain.NewCodec().Decode(record.Type, record.SchemaVersion, record.Payload)
		require.NoError(t, err)
		if ended, is := happened.(plan.StepEnded); is && len(ended.Outside) > 0 {
			outside[ended.Job] = ended.Outside
		}
	}
	require.Equal(t, []string{"README.md", "mine.txt"}, outside["outside"])
	require.NotContains(t, outside, "within")
	ran, err := os.ReadFile(filepath.Join(w.scripts, "ran")) // by the agents' own git, in their worktrees
	require.True(t, err == nil || os.IsNotExist(err), "%v", err)
	require.NotContains(t, strings.Split(string(ran), "\n"), w.dir, "the server runs nothing that the repository names")
	require.NotEmpty(t, outside["moves"], "its files do not follow a branch that is moved")
	require.Equal(t, []plan.Violation{{
		Path: "refs/heads/main", Change: "moved", Why: "a job commits to its own branch only; put it back to " + w.base + ": git update-ref refs/heads/main " + w.base,
	}}, state.Jobs["moves"].Held.Violations)
}
