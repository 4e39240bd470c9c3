package coding_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// points are which of the points of a kill are tried: all in a campaign, else the ones that are named.
func points(all int, few ...int) []int {
	if os.Getenv("KINTSUGI_CAMPAIGN") == "" {
		return few
	}
	every := make([]int, all)
	for i := range every {
		every[i] = i + 1
	}
	return every
}

// shop is a plan of four jobs: one after two others, one that needs a second attempt, and each merge verified.
func (w *world) shop() {
	count := filepath.Join(w.scripts, "count")
	writes := func(job string) string {
		return "echo " + job + " >>" + count + "; mkdir -p " + job + "; echo " + job + " >>" + job + "/" + job
	}
	w.start(plan.Definition{Parallel: 2, Wall: plan.Wall{Write: []string{w.scripts}}, Init: "test -e README.md", Verify: []string{"test ! -e half"}, Jobs: []plan.Job{
		w.job("a", writes("a"), func(j *plan.Job) { j.Verify = []string{"test -e a/a"} }),
		w.job("b", writes("b")+"; test $(wc -l <b/b) = 2", func(j *plan.Job) { j.Attempts = 2 }),
		w.job("c", "test -e a/a; test -e b/b; "+writes("c"), func(j *plan.Job) { j.Needs = []string{"a", "b"} }),
		w.job("d", writes("d"), func(j *plan.Job) { j.Subtasks = []string{"one", "two"} }),
	}})
}

// green says that the integration branch is where a merge put it whose verification has passed, also the moment after a kill.
func (w *world) green() {
	w.t.Helper()
	at, state := w.git("rev-parse", "agents"), w.state()
	if at == state.Head {
		return
	}
	for _, job := range state.Jobs {
		if _, more := state.NextStep(job); job.Status == plan.JobMerging && job.Merge == at && !more && job.Launch == "" {
			return
		}
	}
	require.Fail(w.t, "the integration branch is at what was not verified", "%s, and the plan at %s", at, state.Head)
}

func (w *world) comesToTheSame() {
	w.t.Helper()
	w.green()
	state := w.settle()
	require.Equal(w.t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(w.t, state.Head, w.git("rev-parse", "agents"))
	text, err := os.ReadFile(filepath.Join(w.scripts, "count"))
	require.NoError(w.t, err)
	for job, launches := range map[string]int{"a": 1, "b": 2, "c": 1, "d": 2} {
		require.Equal(w.t, launches, strings.Count(string(text), job), "launches of %s", job)
		require.Equal(w.t, strings.TrimSpace(strings.Repeat(job+"\n", launches)), w.git("show", "agents:"+job+"/"+job))
	}
	require.Equal(w.t, "4", w.git("rev-list", "--count", "--first-parent", "main..agents"), "one merge for each job")
	require.Equal(w.t, w.base, w.git("rev-parse", "main"))
	require.Empty(w.t, w.git("status", "--porcelain"))
	w.events()
}

// Rule: killed with any event of a plan, it goes on in the next life to the same end: no agent is launched twice, nothing that one
// wrote is lost, nothing merged twice, and the integration branch is never at what was not verified. At the ends of a merge
// in each build, everywhere in a campaign.
func TestKilledAtAnEvent(t *testing.T) {
	t.Parallel()
	for _, point := range points(60, 22, 33) {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.shop()
			t.Logf("killed: %t", w.killed(point, 0))
			w.comesToTheSame()
		})
	}
}

// Rule: the same at every call of git, which is in the middle of making worktrees, looking at changes and merging.
func TestKilledAtACallOfGit(t *testing.T) {
	t.Parallel()
	for _, point := range points(200, 70, 95) {
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.shop()
			t.Logf("killed: %t", w.killed(0, point))
			w.comesToTheSame()
		})
	}
}
