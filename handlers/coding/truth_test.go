package coding_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

// Rule: an agent that is launched again because its merge was red works on that merge: what failed fails there, too, and it is told
// both sides. Nothing of its work is lost on the way.
func TestARedMergeIsRelaunchedAsTheMerge(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("lib/names", "old\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "lib")
	w.base = w.git("rev-parse", "HEAD")
	uses := `if [ $KINTSUGI_ATTEMPT = 1 ]; then mkdir use; echo old >use/use; exit 0; fi
		test "$(cat use/use lib/names | tr '\n' ' ')" = "old new "
		merge=$(git rev-parse HEAD)
		grep -q "git diff $merge^2...$merge^1" "$KINTSUGI_TASK_FILE"
		[ $KINTSUGI_ATTEMPT = 3 ] || grep -q "no such name" "$KINTSUGI_TASK_FILE"
		git diff $merge^2...$merge^1 | grep -q +new
		git diff $merge^1...$merge^2 | grep -q +old
		[ $KINTSUGI_ATTEMPT = 3 ] || { echo half >use/half; exit 1; }
		test -e use/half; rm use/half; cp lib/names use/use`
	w.start(plan.Definition{Verify: []string{"test ! -e use/use || grep -qxf lib/names use/use || { echo no such name; exit 1; }"}, Jobs: []plan.Job{
		w.job("rename", "echo new >lib/names", func(j *plan.Job) { j.Touch = []string{"lib/**"} }),
		w.job("use", "until git show agents:lib/names | grep -q new; do sleep 0.01; done; "+uses, func(j *plan.Job) { j.Attempts = 3 }),
	}})
	held := w.settle().Jobs["use"]
	require.Equal(t, plan.KindTestFailure, held.Held.Kind, "%+v", held.Held)
	require.Equal(t, plan.JobMerging, held.From)
	w.on(plan.Relaunch{Job: "use"})
	state := w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(t, 3, state.Jobs["use"].Attempt, "the attempt between kept the merge, and what it had done")
	require.Equal(t, "new", w.git("show", "agents:use/use"))
	w.events()
}

// Rule: what init and verify write into a worktree is theirs: no job is held for it, no commit has it, and what a check left is not
// there for the next agent. A change that an agent makes to init's files is its work.
func TestWhatInitAndVerifyWriteIsTheirs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("lock", "1\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "lock")
	w.base = w.git("rev-parse", "HEAD")
	verifies := func(j *plan.Job) {
		j.Verify = []string{"mkdir -p cover/deep; echo x >cover/deep/out; echo z >>a/a", "test -e cover/deep/out"}
	}
	w.start(plan.Definition{Init: "echo 2 >lock; echo new >made", Jobs: []plan.Job{
		w.job("a", "test $(cat lock)$(cat made) = 2new; mkdir a; echo a >a/a; git add -A; git commit -qm a", verifies),
		w.job("c", "mkdir c; echo c >c/c; echo more >>made"),
		w.job("d", `[ $KINTSUGI_ATTEMPT = 2 ] || { mkdir d; echo d >d/d; exit 0; }; test ! -e cover; echo fine >d/d`, func(j *plan.Job) {
			j.Attempts, j.Verify = 2, []string{"mkdir -p cover; echo x >cover/out; grep -q fine d/d"}
		}),
		w.job("e", "true"),
	}})
	state := w.settle()
	require.Equal(t, []string{"lock", "made"}, state.Jobs["a"].SetupChanged)
	require.Equal(t, plan.JobMergedIn, state.Jobs["a"].Status, "%+v", state.Jobs["a"].Held)
	require.Equal(t, plan.JobMergedIn, state.Jobs["d"].Status, "%+v", state.Jobs["d"].Held)
	require.Equal(t, plan.KindNoChange, state.Jobs["e"].Held.Kind)
	require.Len(t, state.Jobs["c"].Held.Violations, 1)
	require.Equal(t, "made", state.Jobs["c"].Held.Violations[0].Path)
	require.Equal(t, "README.md a/a d/d lock", strings.ReplaceAll(w.git("ls-tree", "-r", "--name-only", "agents"), "\n", " "))
	require.Equal(t, "1", w.git("show", "agents:lock"))
	for _, id := range []string{"a", "d"} {
		status := w.git("-C", state.Jobs[id].Worktree, "status", "--porcelain", "--untracked-files=all")
		require.Equal(t, "M lock\n?? made", status, "only init's is left in the worktree of %s", id)
	}
	require.NotEmpty(t, w.git("for-each-ref", "refs/kintsugi/kept/p1/a"), "what a check wrote is kept")
	w.events()
}

// Rule: what a person repaired before an init is run again is not init's.
func TestARepairBeforeInitIsNotInits(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.start(plan.Definition{Init: "echo $$ >left; test -e repaired", Jobs: []plan.Job{
		w.job("a", "mkdir a; echo a >a/a", func(j *plan.Job) { j.Touch = []string{"a/**", "repaired"} }),
	}})
	held := w.settle().Jobs["a"]
	require.Equal(t, plan.KindJobFailed, held.Held.Kind)
	require.NoError(t, os.WriteFile(filepath.Join(held.Worktree, "repaired"), nil, 0o600))
	w.on(plan.Retry{Job: "a"})
	state := w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(t, "README.md a/a repaired", strings.ReplaceAll(w.git("ls-tree", "-r", "--name-only", "agents"), "\n", " "))
	w.events()
}

// Rule: work in a submodule that is in no repository but the worktree's is held and kept in the repository itself, whether it was
// committed there or not; a commit that a remote has passes.
func TestWorkInASubmoduleIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	lib := filepath.Join(filepath.Dir(w.dir), "lib")
	w.git("init", "-q", "-b", "main", lib)
	for _, text := range []string{"one", "two"} {
		require.NoError(t, os.WriteFile(filepath.Join(lib, "lib.txt"), []byte(text+"\n"), 0o600))
		w.git("-C", lib, "add", "-A")
		w.git("-C", lib, "commit", "-qm", text)
	}
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor/lib")
	w.git("-C", "vendor/lib", "checkout", "-q", "HEAD~1")
	w.git("add", "-A")
	w.git("commit", "-qm", "lib")
	w.base = w.git("rev-parse", "HEAD")
	filled := "git -c protocol.file.allow=always submodule --quiet update --init; cd vendor/lib; "
	touching := func(j *plan.Job) { j.Touch = append(j.Touch, "vendor/lib") }
	after := func(j *plan.Job) { j.Needs = []string{"newer"} }
	w.start(plan.Definition{Parallel: 1, Jobs: []plan.Job{
		w.job("committed", filled+"echo mine >>lib.txt; git commit -qam mine", touching, after),
		w.job("loose", filled+"echo loose >>lib.txt; cd ../..; mkdir loose; echo x >loose/x", after),
		w.job("newer", filled+"git checkout -q origin/main", touching),
	}})
	state := w.settle()
	require.Equal(t, plan.JobMergedIn, state.Jobs["newer"].Status, "%+v", state.Jobs["newer"].Held)
	for id, want := range map[string]string{"committed": "two\nmine", "loose": "two\nloose"} {
		held := state.Jobs[id].Held
		require.Equal(t, plan.KindTouchset, held.Kind, "%s: %+v", id, held)
		require.Len(t, held.Violations, 1)
		require.Equal(t, "vendor/lib", held.Violations[0].Path)
		require.NoError(t, os.RemoveAll(state.Jobs[id].Worktree))
		require.NoError(t, os.RemoveAll(filepath.Join(w.dir, ".git", "worktrees", id)))
		require.Equal(t, want, w.git("show", strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/kintsugi/kept/p1/"+id))[0]+":lib.txt"))
	}
	w.git("fsck", "--no-dangling", "--strict")
	w.events()
}

// Rule: a file of Git LFS that is no pointer is held, and so is one that a filter of the repository would have changed. A pointer
// that an agent committed passes, though its worktree has the file itself.
func TestFiltersThatWereNotRunAreHeld(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write(".gitattributes", "*.bin filter=lfs\n*.up filter=up\n*.nobody filter=unknown\n")
	w.git("config", "filter.up.clean", "tr a-z A-Z")
	w.git("add", "-A")
	w.git("commit", "-qm", "attributes")
	w.base = w.git("rev-parse", "HEAD")
	w.start(plan.Definition{Jobs: []plan.Job{
		w.job("raw", "mkdir raw; echo big >raw/a.bin; echo x >raw/x.nobody; : >raw/empty.bin"),
		w.job("up", "mkdir up; echo small >up/a.up"),
		w.job("right", `mkdir right; echo big >right/a.bin
			printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 4\n' $(sha256sum <right/a.bin | cut -d' ' -f1) >pointer
			git update-index --add --cacheinfo 100644,$(git hash-object -w pointer),right/a.bin
			rm pointer; git commit -qm right`),
	}})
	state := w.settle()
	require.Equal(t, []plan.Violation{{Path: "raw/a.bin", Change: "added", Why: "it belongs to Git LFS and is no pointer: commit it where git-lfs is installed"}}, state.Jobs["raw"].Held.Violations)
	require.Contains(t, state.Jobs["up"].Held.Violations[0].Why, `filter "up" (tr a-z A-Z)`)
	require.Equal(t, plan.JobMergedIn, state.Jobs["right"].Status, "%+v", state.Jobs["right"].Held)
	require.Contains(t, w.git("show", "agents:right/a.bin"), "oid sha256:")
	w.events()
}

// Rule: a lock that an agent left which was ended in the middle of git does not stop the next attempt, a worktree that is gone is made
// again from its branch when a person says so, and what git writes for itself is nobody's doing.
func TestWhatAnEndedAgentLeftIsInNobodysWay(t *testing.T) {
	t.Parallel()
	w := setup(t)
	gone := `[ $KINTSUGI_ATTEMPT = 1 ] && { echo kept >kept; git add -A; git commit -qm kept; rm -rf "$PWD"; exit 0; }; `
	w.start(plan.Definition{Wall: plan.Wall{Off: true}, Jobs: []plan.Job{
		w.job("lock", `[ $KINTSUGI_ATTEMPT = 2 ] || { : >"$(git rev-parse --git-dir)/index.lock"; : >"$(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD).lock"; exit 1; }
			mkdir lock; echo x >lock/x; git add -A; git commit -qm x`, func(j *plan.Job) { j.Attempts = 2 }),
		w.job("gone", gone+"test -e kept; mkdir gone; echo x >gone/x", func(j *plan.Job) { j.Touch = []string{"kept", "gone/**"} }),
		w.job("lost", strings.ReplaceAll(gone, "kept", "lost"), func(j *plan.Job) { j.Touch = []string{"lost"} }),
		w.job("gc", "mkdir gc; echo x >gc/x; git gc -q || git gc -q; git update-server-info", func(j *plan.Job) { j.Needs = []string{"lock"} }), // gc stops at a lock of a branch
	}})
	state := w.settle()
	for _, id := range []string{"lock", "gc"} {
		require.Equal(t, plan.JobMergedIn, state.Jobs[id].Status, "%s: %+v", id, state.Jobs[id].Held)
	}
	for _, id := range []string{"gone", "lost"} {
		require.Contains(t, state.Jobs[id].Held.Reason, "the worktree is gone")
	}
	w.on(plan.Relaunch{Job: "gone"})
	w.on(plan.Retry{Job: "lost"})
	state = w.settle()
	require.Equal(t, plan.StatusCompleted, state.Status, "%+v", state.Held())
	require.Equal(t, "README.md gc/x gone/x kept lock/x lost", strings.ReplaceAll(w.git("ls-tree", "-r", "--name-only", "agents"), "\n", " "))
	w.events()
}

// Rule: a changed file that holds the value of a secret that the job was given is held, in whatever spelling, and nothing that is kept
// has the value itself.
func TestASecretInAChangedFileIsHeld(t *testing.T) {
	t.Parallel()
	w := setup(t)
	knows := func(j *plan.Job) { j.Secrets = map[string]string{"TOKEN": "key"} }
	w.start(plan.Definition{Jobs: []plan.Job{
		w.job("leaks", `mkdir leaks; echo "it is $TOKEN!" >leaks/plain; printf "user:$TOKEN" | base64 >leaks/encoded; echo fine >leaks/fine`, knows),
		w.job("keeps", "mkdir keeps; echo fine >keeps/fine; : >keeps/empty; ln -s fine keeps/link", knows),
	}})
	state := w.settle()
	held := state.Jobs["leaks"].Held
	var paths []string
	for _, one := range held.Violations {
		paths = append(paths, one.Path)
		require.Contains(t, one.Why, `the secret "key"`)
	}
	require.Equal(t, []string{"leaks/encoded", "leaks/plain"}, paths)
	require.Equal(t, plan.JobMergedIn, state.Jobs["keeps"].Status, "%+v", state.Jobs["keeps"].Held)
	text, err := json.Marshal(state)
	require.NoError(t, err)
	require.NotContains(t, string(text), secretValue)
}
