package coding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// Rule: behind the wall an agent works with git in its worktree as ever, and reaches neither the person's checkout, nor other worktrees,
// nor the repository's own settings, nor the data directory. A plan can open more, or have no wall, and the history says which it was.
func TestAgentsAreWalledIn(t *testing.T) {
	t.Parallel()
	if !launch.Walls() {
		t.Log("this kernel has no landlock: the wall was not tried")
		return
	}
	w := setup(t)
	open := t.TempDir()
	try := fmt.Sprintf(`
		top=$(git rev-parse --path-format=absolute --git-common-dir)/..
		cd "$(git rev-parse --show-toplevel)"; mkdir "$KINTSUGI_JOB"; cd "$KINTSUGI_JOB"; : >out
		try() { if sh -c "$2" 2>/dev/null; then echo "$1" >>out; fi; }
		try checkout "echo evil >>$top/README.md"; try read "cat $top/README.md"; try config 'git config evil.is yes'
		try hook "echo true >$top/.git/hooks/pre-commit"; try log 'cat %[1]s/events.db'; try verdict "echo >$KINTSUGI_TRAJECTORY/../../launches/x"
		try open 'echo x >>%[2]s/x'; try other "ls %[1]s/plans/p1/trees"; try home 'echo x >~/x'; try temporary 'mktemp'; try trajectory "echo x >$KINTSUGI_TRAJECTORY"
		git add -A; git commit -qm one; git switch -qc side; echo more >>out; git commit -qam two; git stash list; git log --oneline main..HEAD | wc -l >>out`, w.data, open)
	w.start(plan.Definition{Init: `cat "$(git rev-parse --path-format=absolute --git-common-dir)/../README.md"`, Wall: plan.Wall{Write: []string{open}}, Jobs: []plan.Job{
		w.job("in", try, func(j *plan.Job) { j.Verify = []string{"! cat " + w.dir + "/README.md"} }),
	}})
	state := w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.True(t, state.Jobs["in"].Last.Result.Walled)
	require.Equal(t, "open home temporary trajectory more 2", strings.Join(strings.Fields(w.git("show", "agents:in/out")), " "))
	require.Empty(t, w.git("status", "--porcelain"))

	t.Run("off", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		w.start(plan.Definition{Wall: plan.Wall{Off: true}, Jobs: []plan.Job{w.job("in", "mkdir in; cat "+w.dir+"/README.md >in/x")}})
		state := w.settle()
		require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
		require.False(t, state.Jobs["in"].Last.Result.Walled)
	})
}

// Rule: a worktree, that of merges too, has what the plan copies and links from the person's checkout; what git does not ignore there
// is no job's work, so the job is held until it is. Each job has ports of its own, the same ones at each launch.
func TestWorktreesHaveWhatTheyNeed(t *testing.T) {
	t.Parallel()
	begin := func(ignored string) (*world, plan.State) {
		w := setup(t)
		w.write(".gitignore", ".env\nconf/\n"+ignored+"\n")
		w.git("add", "-A")
		w.git("commit", "-qm", "ignore")
		w.base = w.git("rev-parse", "HEAD")
		w.write(".env", "KEY=1\n")
		w.write("conf/deep/a", "a\n")
		w.write("web/node_modules/lib", "lib\n")
		uses := func(id string) plan.Job {
			return w.job(id, "test -e .env -a -e conf/deep/a -a -e web/node_modules/lib; echo mine >>.env; (echo x >web/node_modules/new) 2>/dev/null || true; "+
				"mkdir -p $KINTSUGI_JOB; echo $PORT >>$KINTSUGI_JOB/ports; echo $API_PORT >>$KINTSUGI_JOB/ports; [ $KINTSUGI_ATTEMPT = 2 ]", func(j *plan.Job) {
				j.Ports, j.Attempts = []string{"PORT", "API_PORT"}, 2
				j.Verify = []string{"test -e .env -a -e web/node_modules/lib"}
			})
		}
		w.start(plan.Definition{Copy: []string{".env", "conf"}, Link: []string{"web/node_modules"}, Jobs: []plan.Job{uses("a"), uses("b")}})
		state := w.settle()
		return w, state
	}
	_, state := begin("node_modules/")
	for _, id := range []string{"a", "b"} {
		require.Contains(t, state.Jobs[id].Held.Reason, "without a slash at its end")
	}
	w, state := begin("node_modules")
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	ports := map[string]bool{}
	for _, id := range []string{"a", "b"} {
		lines := strings.Fields(w.git("show", "agents:"+id+"/ports"))
		require.Len(t, lines, 4)
		require.Equal(t, lines[:2], lines[2:])
		ports[lines[0]], ports[lines[1]] = true, true
	}
	require.Len(t, ports, 4)
	text, err := os.ReadFile(filepath.Join(w.dir, ".env"))
	require.NoError(t, err)
	require.Equal(t, "KEY=1\n", string(text))
	if launch.Walls() {
		require.NoFileExists(t, filepath.Join(w.dir, "web", "node_modules", "new"))
	}
}
