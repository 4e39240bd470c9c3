package healer_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// Rule: the server runs the check that failed again, and only if it passes the failure is resolved. The agent's
// changes are in the tree and in no commit.
func TestResolved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.doing("cat > prompt.txt; echo 4 > price.txt")
	healing := w.heal(healer.Call{Task: "say the price"})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.True(t, healing.Ended.Continue)
	require.Equal(t, "4\n", w.read("price.txt"))
	require.Equal(t, w.base, w.git("rev-parse", "main"))
	require.Contains(t, w.read("prompt.txt"), "price.txt:1: want 4, got 5")
	require.Contains(t, w.read("prompt.txt"), "say the price")
	require.Equal(t, []string{"SessionOpened", "CheckRan", "HealerInvoked", "CheckRan", "SpellStarted", "SpellApplied", "CheckRan", "HealerConcluded"}, w.events())
	before := ref(t, cast(t, healing, session.RetryMinimal), "before")
	require.Equal(t, "5", w.git("show", before+":price.txt"), "what was there before the agent is kept")

	report := w.report(1)
	require.Len(t, report.Steps, 5)
	require.Equal(t, "resolved", report.Extra["outcome"])
	require.False(t, w.invoke(healer.Call{}), "nothing fails any more")
}

// Rule: a check that passes when it is run again is flaky, and that is said; the work that was in the tree stays there.
func TestAFlakyCheckIsSaidToBeFlaky(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.write("new.txt", "new\n")
	w.doing("echo the agent has nothing to do here > price.txt")
	healing := w.heal(healer.Call{Check: session.Check{Name: "tests", Command: `[ -e build/ran ] || { mkdir -p build; : > build/ran; echo "timed out"; exit 1; }`}})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.True(t, healing.Ended.Flaky)
	require.Contains(t, healing.Ended.Reason, "tests is flaky: it failed, and it passed when the server ran it again")
	require.Empty(t, healing.Casts)
	require.Equal(t, "5\n", w.read("price.txt"))
	require.Equal(t, "new\n", w.read("new.txt"))
	require.Equal(t, []string{"SessionOpened", "CheckRan", "HealerInvoked", "CheckRan", "HealerConcluded"}, w.events())

	require.Equal(t, true, w.report(1).Extra["flaky"])
}

// Rule: a failure that cannot be mended is contained: the tree is clean, every byte of it is kept, the subtask is
// blocked with a task for a person, and the next session is told.
func TestContained(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.write("new/file.txt", "new\n")
	w.write("staged.txt", "staged\n")
	w.git("add", "staged.txt")
	w.write("staged.txt", "changed since\n")
	w.write("progress.md", "# Progress\n")
	w.write("build/out", "ignored\n")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.False(t, healing.Ended.Continue)
	require.Equal(t, "?? progress.md", w.git("status", "--porcelain"))
	require.Contains(t, w.read("progress.md"), "# Progress\n\n<!-- kintsugi: healing 1 of session s1 -->")
	require.Equal(t, "ignored\n", w.read("build/out"))
	rewound := cast(t, healing, session.RewindUncommitted)
	files := ref(t, rewound, "files")
	for path, content := range map[string]string{"price.txt": "5", "new/file.txt": "new", "staged.txt": "changed since"} {
		require.Equal(t, content, w.git("show", files+":"+path))
	}
	require.Equal(t, "staged", w.git("show", ref(t, cast(t, healing, session.RetryMinimal), "staged")+":staged.txt"))
	require.Contains(t, w.state().Blocked["prices"], files)

	again := w.heal(healer.Call{})
	require.Equal(t, session.Skipped, again.Ended.Outcome)
	require.Contains(t, again.Ended.Reason, "blocked until")
}

// Rule: files that git does not know go only if the policy says so; then it is not contained, and says why.
func TestUntrackedFilesStayUnlessAllowed(t *testing.T) {
	t.Parallel()
	w := setup(t, func(p *session.Policy) { p.Clean = false })
	w.write("new.txt", "new\n")
	w.write("price.txt", "5\n")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Unresolved, healing.Ended.Outcome)
	require.Contains(t, healing.Ended.Reason, "not clean")
	require.Equal(t, "new\n", w.read("new.txt"))
	require.Equal(t, "3\n", w.read("price.txt"))
	_, err := w.config.Commands.OnSession(t.Context(), "s1", session.Unblock{Subtask: "prices"}, person())
	require.NoError(t, err)
	// The same failure, after an unresolved one, by another word of who calls.
	w.write("price.txt", "5\n")
	again := w.heal(healer.Call{})
	require.Equal(t, session.Skipped, again.Ended.Outcome)
	require.Contains(t, again.Ended.Reason, "exactly like this")
}

// Rule: nothing is lost that an agent hid: files that its own list of ignored files named are kept before they go.
func TestFilesThatAnIgnoreFileHidAreKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write(".gitignore", "build/\nsecret-work/\n")
	w.write("secret-work/a.txt", "hours of work\n")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.NoFileExists(t, filepath.Join(w.dir, "secret-work", "a.txt"))
	found := false
	for _, kept := range cast(t, healing, session.RewindUncommitted).Kept {
		found = found || w.git("ls-tree", "-r", "--name-only", kept.Commit, "secret-work") == "secret-work/a.txt"
	}
	require.True(t, found)
}

// Rule: a repository inside the tree would be lost, for git keeps its name only: nothing is touched, and a person is asked.
func TestARepositoryInsideIsNotTouched(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("inner/a.txt", "inner\n")
	w.git("init", "-q", "inner")
	w.git("-C", "inner", "add", "-A")
	w.git("-C", "inner", "commit", "-qm", "inner")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Unresolved, healing.Ended.Outcome)
	require.Contains(t, cast(t, healing, session.RewindUncommitted).Detail, "inner is a repository of its own")
	require.Equal(t, "inner\n", w.read("inner/a.txt"))
}

// Rule: nothing is committed while a check fails: commits of the Healer's agent are kept, and taken back from the
// branch.
func TestCommitsOfAnAgentAreTakenBack(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.doing(`cat > /dev/null; echo 6 > price.txt; git checkout -qb elsewhere; git -c user.name=a -c user.email=a@b commit -qam done`)
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.Equal(t, w.base, w.git("rev-parse", "main"))
	require.Equal(t, "main", w.git("symbolic-ref", "--short", "HEAD"))
	require.Equal(t, "6", w.git("show", ref(t, cast(t, healing, session.RetryMinimal), "head")+":price.txt"))
}

// Rule: an agent of the Healer that changes what it may not is taken back with all that it did, which is kept; also if the check
// passes with it.
func TestAnAgentThatReachesTooFar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does    string
		protect []string
		path    string
	}{
		"the policy":     {"mkdir -p .kintsugi; echo 'enabled: false' > .kintsugi/healer.yaml", nil, ".kintsugi/healer.yaml"},
		"protected":      {"echo x > tests/a.txt", []string{"tests"}, "tests/a.txt"},
		"renamed away":   {"mkdir -p .kintsugi; mv other.txt .kintsugi/other.txt", nil, ".kintsugi/other.txt"},
		"a symlink":      {"ln -s /etc/passwd link", nil, "link"},
		"by a .git file": {"git init -q deep; cd deep; git -c user.name=a -c user.email=a@b commit -qm x --allow-empty", nil, "deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, func(p *session.Policy) { p.Protected = append(p.Protected, c.protect...) })
			w.write("tests/a.txt", "a\n")
			w.write("price.txt", "5\n")
			w.doing("cat > /dev/null; echo 4 > price.txt; " + c.does)
			healing := w.heal(healer.Call{})
			require.NotEqual(t, session.Resolved, healing.Ended.Outcome)
			retried := cast(t, healing, session.RetryMinimal)
			require.False(t, retried.Applied)
			require.Contains(t, retried.Detail, c.path)
			if name != "by a .git file" { // a repository inside cannot be kept, so it is not touched
				require.Equal(t, "4", w.git("show", ref(t, retried, "refused")+":price.txt"))
				require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
			}
		})
	}
}

// Rule: type errors are mended in the files that they name, and in no other.
func TestTypeErrorsAreMendedWhereTheyAre(t *testing.T) {
	t.Parallel()
	check := session.Check{Name: "types", Command: `grep -qx 4 price.ts || { echo "price.ts(1,1): error TS2322: no"; exit 2; }`}
	for name, c := range map[string]struct {
		does    string
		outcome session.Outcome
	}{
		"there":     {"echo 4 > price.ts", session.Resolved},
		"elsewhere": {"echo 4 > price.ts; echo any > other.txt", session.Contained},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.doing("cat > /dev/null; " + c.does)
			w.write("price.ts", "x\n")
			w.git("add", "-A")
			w.git("commit", "-qm", "types")
			healing := w.heal(healer.Call{Check: check})
			require.Equal(t, c.outcome, healing.Ended.Outcome, healing.Ended.Reason)
			require.Equal(t, session.FixTypecheck, healing.Casts[0].Spell)
			require.Equal(t, "other\n", w.read("other.txt"))
		})
	}
}

// Rule: before new work begins, what an earlier session left is put away and kept, and the work goes on.
func TestLeftDirty(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("half.txt", "half\n")
	healing := w.heal(healer.Call{Trigger: session.LeftDirty, Check: session.Check{Name: session.CleanTree}})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.Empty(t, w.git("status", "--porcelain"))
	require.Equal(t, "half", w.git("show", ref(t, cast(t, healing, session.RewindUncommitted), "files")+":half.txt"))
}

// Rule: back to the last green commit only where the server saw a check pass and the policy lets a branch move; the
// old head is kept. The rewind alone resolves nothing, for the work is gone from it.
func TestRewindToTheLastGreenCommit(t *testing.T) {
	t.Parallel()
	w := setup(t, func(p *session.Policy) { p.Mode, p.HardReset, p.PerSession = session.Aggressive, true, 5 })
	w.write("price.txt", "4\n")
	w.git("commit", "-qam", "green")
	green := w.git("rev-parse", "HEAD")
	require.False(t, w.invoke(healer.Call{}))
	w.write("price.txt", "7\n")
	w.git("commit", "-qam", "red")
	red := w.git("rev-parse", "HEAD")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Contained, healing.Ended.Outcome, healing.Ended.Reason)
	require.Contains(t, healing.Ended.Reason, "without the work")
	require.Equal(t, green, w.git("rev-parse", "main"))
	require.Equal(t, red, w.git("rev-parse", ref(t, cast(t, healing, session.RewindToGreen), "head")))

	forbidden := setup(t, func(p *session.Policy) { p.Mode, p.HardReset = session.Aggressive, false })
	healing = forbidden.heal(healer.Call{})
	require.Contains(t, cast(t, healing, session.RewindToGreen).Detail, "hard_reset: false")
	require.Equal(t, forbidden.base, forbidden.git("rev-parse", "main"))
}

// Rule: an agent goes on in its own session, whose id its own record says; nothing in it becomes an option.
func TestResume(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.policy.Agent.Resume = []string{"sh", w.agent, "--resume", session.SessionMark}
	w.doing(`cat > /dev/null; echo "$2" > resumed.txt; echo 4 > price.txt`)
	record := filepath.Join(w.data, "trajectory.json")
	require.NoError(t, os.WriteFile(record, []byte(`{"schema_version":"ATIF-v1.6","session_id":"agent-7","agent":{"name":"a","version":"1"},"steps":[
		{"step_id":1,"timestamp":"2025-10-16T14:30:00","source":"agent","message":[{"type":"text","text":"try"}],"tool_calls":[{"tool_call_id":"c","function_name":"bash","arguments":{}}],"observation":{"results":[
			{"source_call_id":"c","content":"Error: no"},{"source_call_id":"c","content":"Error: no"},{"source_call_id":"c","content":"Error: no",
				"subagent_trajectory_ref":[{"session_id":"delegate to tester","trajectory_path":"../outside.json"}]}]}}]}`), 0o600))
	healing := w.heal(healer.Call{Trigger: session.JobFailed, Subtask: "prices", Trajectory: record})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
	require.Equal(t, "agent-7\n", w.read("resumed.txt"))
	require.Equal(t, []string{"bash"}, healing.Failure.Repeated)

	require.Equal(t, []string{"delegate to tester"}, healing.Failure.Subagents)
	w.report(1)

	bad := setup(t)
	bad.policy.Agent.Resume = w.policy.Agent.Resume
	healing = bad.heal(healer.Call{AgentSession: "--dangerous"})
	require.Contains(t, cast(t, healing, session.RetryResume).Detail, "no id of an agent")
}

// Rule: locks that dead programs left are moved aside, and young ones are not.
func TestDoctor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	lock := filepath.Join(w.dir, ".git", "index.lock")
	check := session.Check{Name: "init", Command: "test ! -e .git/index.lock || { echo 'index.lock: permission denied'; exit 1; }"}
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	healing := w.heal(healer.Call{Trigger: session.InitFailed, Check: check})
	require.NotEqual(t, session.Resolved, healing.Ended.Outcome)
	require.FileExists(t, lock)

	old := setup(t)
	lock = filepath.Join(old.dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(lock, past, past))
	healing = old.heal(healer.Call{Trigger: session.InitFailed, Check: check})
	require.Equal(t, session.Resolved, healing.Ended.Outcome, healing.Ended.Reason)
}

// Rule: a healer that always claims success comes to no better end than the tree and the check do.
func TestAHealerThatClaimsSuccess(t *testing.T) {
	t.Parallel()
	honest, liar := setup(t), setup(t)
	liar.healer = healer.Lying(liar.config)
	for _, w := range []*world{honest, liar} {
		require.Equal(t, session.Contained, w.heal(healer.Call{}).Ended.Outcome, "the tree is as clean as it was")
	}
	dirty := setup(t)
	dirty.healer = healer.Lying(dirty.config)
	dirty.write("price.txt", "5\n")
	healing := dirty.heal(healer.Call{})
	require.Equal(t, session.Unresolved, healing.Ended.Outcome, "the liar rewound nothing")
	for _, w := range []*world{honest, liar, dirty} {
		w.events() // each history can have happened
	}
}

// Rule: nothing is written through a link that leads out of the repository.
func TestTheProgressFileIsNoWayOut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	outside := filepath.Join(w.data, "outside.md")
	require.NoError(t, os.WriteFile(outside, []byte("mine\n"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(w.dir, "progress.md")))
	w.git("add", "-A")
	w.git("commit", "-qm", "link")
	healing := w.heal(healer.Call{})
	require.False(t, cast(t, healing, session.UpdateProgress).Applied)
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "mine\n", string(text))
}

// Rule: an agent's own record that cannot be read refuses nothing where nobody gave it by hand, and that nothing is known is said; a
// pipe is not waited for.
func TestARecordThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := setup(t)
	torn, pipe := filepath.Join(w.data, "torn.json"), filepath.Join(w.data, "pipe.json")
	require.NoError(t, os.WriteFile(torn, []byte(`{"schema_version":"ATIF-v1.7","steps":[{"st`), 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for path, says := range map[string]string{torn: "this is no trajectory", pipe: "it is no file", filepath.Join(w.data, "gone.json"): "no such file"} {
		failure := session.Failure{}
		require.ErrorContains(t, healer.FromTrajectory(path, &failure), says)
	}
	healing := w.heal(healer.Call{Trajectory: torn, MayBeUnread: true})
	require.Contains(t, healing.Failure.Unread, "torn.json: atif: this is no trajectory")
	require.Empty(t, healing.Failure.Trajectory)
	w.report(1)
}
