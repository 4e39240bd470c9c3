package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// gitHome is a home with a repository that agents work in. Their doing is a script for each job.
type gitHome struct {
	*home
	repo    string
	scripts string
}

func newGitHome(t testing.TB) *gitHome {
	t.Helper()
	g := &gitHome{home: newHome(t), repo: filepath.Join(t.TempDir(), "shop"), scripts: t.TempDir()}
	require.NoError(t, os.Mkdir(g.repo, 0o700))
	g.git("init", "-q", "-b", "main")
	g.write("src/prices/a.txt", "a\n")
	g.write("src/pages/b.txt", "b\n")
	g.write("README.md", "shop\n")
	g.write(".gitignore", "build/\n")
	g.git("add", "-A")
	g.git("commit", "-qm", "first")
	return g
}

func (g *gitHome) git(args ...string) string {
	g.t.Helper()
	program := exec.Command("git", append([]string{"-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...)
	program.Dir, program.Env = g.repo, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.scripts, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := program.CombinedOutput()
	require.NoError(g.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (g *gitHome) write(path, content string) {
	g.t.Helper()
	whole := filepath.Join(g.repo, path)
	require.NoError(g.t, os.MkdirAll(filepath.Dir(whole), 0o700))
	require.NoError(g.t, os.WriteFile(whole, []byte(content), 0o600))
}

// agent says what the agent of a job does: a script that reads the task on its input.
func (g *gitHome) agent(job, script string) {
	g.t.Helper()
	require.NoError(g.t, os.WriteFile(filepath.Join(g.scripts, job), []byte(script), 0o600))
}

// plan writes a plan: of each job its id and what else it has. Agents may write where their scripts are, if the head has no other wall.
func (g *gitHome) plan(title, head string, jobs ...string) string {
	g.t.Helper()
	text := "title: " + title + "\nrepository: " + g.repo + "\nbase: main\nintegration: agents/" + title + "\n" + head + "jobs:\n"
	for _, job := range jobs {
		id, rest, _ := strings.Cut(job, "\n")
		text += "  - id: " + id + "\n    task: do " + id + "\n    agent: [sh, -e, " + filepath.Join(g.scripts, id) + "]\n"
		for line := range strings.Lines(rest) {
			text += "    " + line
		}
		text += "\n"
	}
	if !strings.Contains(head, "wall:") {
		text += "wall: {write: [" + g.scripts + "]}\n"
	}
	return g.file(title+".yaml", text)
}

type shownPlan struct {
	ID, Status, Commit, Place string
	Held, Merged              int
	Jobs                      []shownJob
	History                   []struct {
		Type    string
		Payload map[string]any
	}
}

type shownJob struct {
	ID, Status, Branch, Worktree, Output, Session string
	Attempt                                       int
	Checkpoint                                    *struct {
		Checkpoint int
		Kind       string
		Reason     string
		Count      int
		Allowed    []string
		Violations []struct{ Path, Change, Why string }
	}
}

func (p shownPlan) job(id string) shownJob {
	for _, job := range p.Jobs {
		if job.ID == id {
			return job
		}
	}
	return shownJob{}
}

func (g *gitHome) start(file string) string {
	g.t.Helper()
	return g.object("repo", "plan", "start", file)["id"].(string)
}

func (g *gitHome) show(id string) shownPlan {
	g.t.Helper()
	return decodeAs[shownPlan](g.t, g.ok("repo", "plan", "show", id, "-o", "json"))
}

// until waits for a plan to be as it is wanted.
func (g *gitHome) until(id, what string, is func(shownPlan) bool) shownPlan {
	g.t.Helper()
	var seen shownPlan
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if seen = g.show(id); is(seen) {
			return seen
		}
		<-time.After(20 * time.Millisecond)
	}
	require.Fail(g.t, "the plan does not come to be "+what, g.ok("repo", "plan", "show", id))
	return seen
}

func ends(p shownPlan) bool { return p.Status != "running" }

// The three answers to what a job did outside of its touch set, with a real server, real git and real processes; and
// what nobody may answer. Nothing is committed to the base branch, and the person's own worktree is left alone.
func TestRepoPlanIsAnswered(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	g.agent("accepted", "echo 1 >>src/prices/a.txt; echo 2 >>README.md")
	g.agent("relaunched", `cat >"$HOME/task-$KINTSUGI_ATTEMPT"
		if [ $KINTSUGI_ATTEMPT = 1 ]; then echo x >>src/pages/b.txt; mv src/prices/a.txt stolen.txt; git add -A; git commit -qm "mine"; exit 0; fi
		git mv stolen.txt src/prices/a.txt; git commit -qm "back"`)
	g.agent("retried", "mkdir docs; echo y >docs/y.md; echo z >z.md")
	g.agent("last", "test -e docs/y.md; echo last >last.txt; env >env.txt")
	head := g.git("rev-parse", "HEAD")
	file := g.plan("shop", "verify: [test -e README.md]\n",
		"accepted\ntouch: [src/prices/**]", "relaunched\ntouch: [src/pages/**]\nverify: [grep -q x src/pages/b.txt]", "retried\ntouch: [docs/**]",
		"last\ntouch: [last.txt, env.txt]\nneeds: [accepted, relaunched, retried]\nenvironment: {SHOWN: yes}")
	g.ok("repo", "plan", "check", file)
	id := g.start(file)
	g.dev()
	held := g.until(id, "held", ends)
	require.Equal(t, "held", held.Status)
	require.Equal(t, 3, held.Held, "each is kept")
	require.Equal(t, "pending", held.job("last").Status)
	accepted, relaunched := held.job("accepted").Checkpoint, held.job("relaunched").Checkpoint
	require.Equal(t, "touchset", accepted.Kind)
	require.Equal(t, []string{"src/prices/**"}, accepted.Allowed)
	require.Equal(t, "README.md", accepted.Violations[0].Path)
	require.Equal(t, "stolen.txt", relaunched.Violations[0].Path)
	require.Equal(t, "renamed", relaunched.Violations[0].Change)
	require.Contains(t, g.ok("repo", "plan", "diff", id, "accepted", "--held"), "+2")
	text := g.ok("repo", "plan", "show", id)
	for _, option := range []string{"plan accept " + id + " accepted", "plan relaunch " + id + " accepted", "plan retry " + id + " accepted"} {
		require.Contains(t, text, option)
	}

	told := g.objects("notification", "list", "--type", "held_job")
	require.Len(t, told, 3, "people are told of each")
	for _, one := range told {
		require.Contains(t, one["text"], "kintsugi repo plan accept "+id+" "+strings.TrimPrefix(one["title"].(string), "A coding agent's job is held: ")+" --checkpoint")
	}

	require.Contains(t, g.ends(terminal.ExitConflict, "repo", "plan", "accept", id, "last", "--reason", "x").err, "did not trip")
	number := strconv.Itoa(accepted.Checkpoint)
	g.ok("repo", "plan", "accept", id, "accepted", "--checkpoint", number, "--reason", "the readme was wrong")
	require.Contains(t, g.ends(terminal.ExitConflict, "repo", "plan", "relaunch", id, "accepted", "--checkpoint", number).err, "moved on")
	g.ok("repo", "plan", "relaunch", id, "relaunched", "--note", "keep the page")
	// Repaired by hand, once not enough: it says what remains.
	require.NoError(t, os.WriteFile(filepath.Join(held.job("retried").Worktree, "more.md"), nil, 0o600))
	g.ok("repo", "plan", "retry", id, "retried")
	again := g.until(id, "held again", func(p shownPlan) bool {
		return p.job("retried").Status == "held" && p.job("retried").Checkpoint.Checkpoint > held.job("retried").Checkpoint.Checkpoint
	})
	require.Equal(t, 2, again.job("retried").Checkpoint.Count)
	for _, name := range []string{"more.md", "z.md"} {
		require.NoError(t, os.Remove(filepath.Join(held.job("retried").Worktree, name)))
	}
	g.ok("repo", "plan", "retry", id, "retried")

	done := g.until(id, "completed", ends)
	require.Equal(t, "completed", done.Status, g.ok("repo", "plan", "show", id))
	require.Empty(t, g.objects("notification", "list", "--type", "held_job"), "what was answered needs nobody")
	require.Equal(t, 2, done.job("relaunched").Attempt)
	task, err := os.ReadFile(filepath.Join(done.Place, "jobs", "relaunched", "home", "task-2"))
	require.NoError(t, err)
	for _, says := range []string{"do relaunched", "stolen.txt", "src/pages/**", "Revert exactly", "keep the page"} {
		require.Contains(t, string(task), says)
	}
	require.Equal(t, done.Commit, g.git("rev-parse", "agents/shop"))
	require.Equal(t, ".gitignore README.md docs/y.md env.txt last.txt src/pages/b.txt src/prices/a.txt", strings.ReplaceAll(g.git("ls-tree", "-r", "--name-only", "agents/shop"), "\n", " "))
	require.Equal(t, "a\n1", g.git("show", "agents/shop:src/prices/a.txt"))
	env := g.git("show", "agents/shop:env.txt")
	require.Contains(t, env, "SHOWN=yes")
	require.NotContains(t, env, "KINTSUGI_DATA_DIR", "nothing of the server's environment")
	require.Equal(t, head, g.git("rev-parse", "main"))
	require.Empty(t, g.git("status", "--porcelain"))
	g.ok("verify")
	require.Contains(t, g.ends(terminal.ExitConflict, "repo", "plan", "cancel", id).err, "completed")
	require.Equal(t, "completed", g.objects("repo", "plan", "list")[0]["status"])
}

// A plan that cannot be is refused with the lines.
func TestRepoPlanIsChecked(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	file := g.plan("shop", "", "one\ntouch: [src/**, /etc]\nneeds: [nobody]", "two\ntuch: x")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err, `:14: there is no field "tuch" here`)
	file = g.plan("shop", "", "one\ntouch: [src/**, /etc]\nneeds: [nobody]")
	refused := g.ends(terminal.ExitUsage, "repo", "plan", "start", file).err
	require.Contains(t, refused, ":10: there is no job")
	require.Contains(t, refused, ":9: the pattern \"/etc\" is an absolute path")
	require.Less(t, strings.Index(refused, ":9:"), strings.Index(refused, ":10:"), "in the order of the lines")
	file = g.plan("shop", "", "one\ntouch: [src/**]", "two\ntouch: ['**/a.txt']")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err, `both may touch "src/a.txt"`)
	g.git("branch", "agents/shop")
	g.git("checkout", "-q", "agents/shop")
	file = g.plan("shop", "", "one\ntouch: [src/**]")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err, ":4: branch \"agents/shop\" is checked out in")
	g.git("checkout", "-q", "-b", "shelf")
	g.git("branch", "-D", "agents/shop")
	g.git("branch", "agents")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err, `:4: there is a branch "agents", so there can be no "agents/shop"`)
	g.git("branch", "-M", "agents", "agents/shop/more")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err, `:4: there are branches below "agents/shop"`)
	g.git("branch", "-D", "agents/shop/more")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "base: main", "base: HEAD~0", 1)), 0o600))
	require.Contains(t, g.ok("repo", "plan", "check", file), "from shelf~0 onto", "HEAD is the person's")
	g.git("config", "uploadpack.allowFilter", "true")
	g.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+g.repo, g.repo+"-partial")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), g.repo, g.repo+"-partial", 1)), 0o600))
	g.git("-C", g.repo+"-partial", "branch", "-f", "main", "origin/main")
	partial := g.ends(terminal.ExitUsage, "repo", "plan", "check", file).err
	require.Contains(t, partial, ":3: "+g.repo+"-partial is a partial clone")
	_, advice, found := strings.Cut(partial, "git -C")
	require.True(t, found, partial)
	require.NoError(t, exec.Command("sh", "-c", "git -C"+advice).Run(), partial)
	g.ok("repo", "plan", "check", file)
	require.Contains(t, g.ok("repo", "plan", "schema"), "may_create")
	g.ends(terminal.ExitNotFound, "repo", "plan", "show", "nothing")
}

// Misbehaving agents: each leaves the integration branch as it was, and its job says what it did.
func TestRepoPlanWithBadAgents(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	g.agent("nothing", "true")
	g.agent("daemons", `setsid sh -c 'echo $$ >>"$HOME/pids"; while :; do echo x >>src/late.txt; sleep 0.01; done' >/dev/null 2>&1 &
		until [ -s "$HOME/pids" ]; do sleep 0.01; done; mkdir -p d; echo d >d/d.txt; git config core.hooksPath /tmp/evil`)
	g.agent("fails", "echo it does not work; exit 3")
	g.agent("base", "echo 1 >base.txt; git add -A; git commit -qm x; git update-ref refs/heads/main HEAD; ln -s /etc link")
	g.agent("trespasser", `until [ -e "$HOME/../../victim/launches" ]; do sleep 0.01; done; echo evil >../victim/src/prices/a.txt; echo t >t.txt`)
	g.agent("victim", `until grep -q evil src/prices/a.txt; do sleep 0.01; done; mkdir v; echo v >v/v.txt`)
	main := g.git("rev-parse", "main")
	g.dev()
	id := g.start(g.plan("bad", "parallel: 8\nwall: {off: true}\n", "nothing\ntouch: [n/**]\nmay_change_nothing: true", "daemons\ntouch: ['d/**']\nneeds: [nothing]", "fails\ntouch: [f/**]", "base\ntouch: [base.txt, link]", "trespasser\ntouch: [t.txt]", "victim\ntouch: [v/**]"))
	held := g.until(id, "held", ends)
	why := map[string]string{}
	for _, job := range held.Jobs {
		why[job.ID] = job.Status
		if job.Checkpoint != nil {
			why[job.ID] += " " + job.Checkpoint.Kind
			for _, violation := range job.Checkpoint.Violations {
				why[job.ID] += " " + violation.Path
			}
		}
	}
	require.Equal(t, "merged", why["nothing"])
	require.Contains(t, why["fails"], "held job_failed")
	require.Contains(t, held.job("fails").Checkpoint.Reason, "exit status 3")
	require.Equal(t, "held touchset link refs/heads/main", strings.ReplaceAll(why["base"], " .git/config", ""))
	require.Equal(t, "held touchset src/prices/a.txt", strings.ReplaceAll(why["victim"], " .git/config", ""), "what another did in its worktree is held there")
	require.Contains(t, fmt.Sprint(why), ".git/config")
	require.Contains(t, why["daemons"], "held touchset")
	requireNoProcess(t, filepath.Join(held.Place, "jobs", "daemons", "home", "pids"))
	require.Equal(t, "a", g.git("show", "agents/bad:src/prices/a.txt"))
	require.Equal(t, main, g.git("rev-parse", "agents/bad~0^{commit}~"+strconv.Itoa(held.Merged)), "only merges are on it")
	g.ok("repo", "plan", "cancel", id, "--reason", "enough")
	require.Equal(t, "cancelled", g.show(id).Status)
}

func requireNoProcess(t *testing.T, pids string) {
	t.Helper()
	text, err := os.ReadFile(pids)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(line) + "/stat")
		require.True(t, err != nil || strings.Contains(string(stat), ") Z "), "%s", stat)
	}
}

// A server that is killed while an agent works: the next life waits for that agent, and launches none again.
func TestRepoPlanSurvivesAKill(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	gate, count := filepath.Join(g.scripts, "gate"), filepath.Join(g.scripts, "count")
	g.agent("slow", "echo x >>"+count+"; until [ -e "+gate+" ]; do sleep 0.02; done; mkdir s; echo s >s/s.txt")
	id := g.start(g.plan("kill", "", "slow\ntouch: ['s/**']\nverify: [test -e s/s.txt]"))
	first := g.dev()
	require.Eventually(t, func() bool { _, err := os.Stat(count); return err == nil }, patience, 5*time.Millisecond)
	require.NoError(t, first.command.Process.Kill())
	first.wait()
	require.NoError(t, os.WriteFile(gate, nil, 0o600)) // it ends while nobody watches
	g.dev()
	require.Equal(t, "completed", g.until(id, "completed", ends).Status)
	text, err := os.ReadFile(count)
	require.NoError(t, err)
	require.Equal(t, "x\n", string(text))
	require.Equal(t, "s", g.git("show", "agents/kill:s/s.txt"))
}

// The server is killed each time it has written something of a plan, or of the healing of one of its jobs: the work is the
// same in the end, each agent was launched once, and no byte that one wrote is lost. In make test a slice of it; in make
// campaign after every event.
func TestRepoPlanSurvivesKillsAnywhere(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	every := 16 // events that a life may write
	if os.Getenv("KINTSUGI_CAMPAIGN") != "" {
		every = 1
	}
	count := filepath.Join(g.scripts, "count")
	jobs := []string{"a\ntouch: ['a/**']\nverify: [test -e a/a]", "b\ntouch: ['b/**']\nverify: [test 2 = $(wc -l <b/b)]", "c\ntouch: ['c/**']\nneeds: [a, b]\nverify: [test -e a/a]", "d\ntouch: ['d/**']\nsubtasks: [one, two]"}
	for _, job := range []string{"a", "b", "c", "d"} {
		g.agent(job, "echo "+job+" >>"+count+"; mkdir -p "+job+"; echo "+job+" >>"+job+"/"+job)
	}
	id := g.start(g.plan("kills", "healer: {}\ninit: test -e README.md\nverify: [test -e README.md]\n", jobs...))
	written := func(p shownPlan) int {
		count := len(p.History)
		if p.job("b").Session != "" {
			if events := g.run("history", "session-"+p.job("b").Session, "-o", "json"); events.code == terminal.ExitOK {
				count += len(decodeAs[[]any](t, events.out))
			}
		}
		return count
	}
	kills := 0
	for seen := 1; ; kills++ {
		server := g.dev()
		now := g.until(id, "further", func(p shownPlan) bool { return written(p) >= seen+every || ends(p) })
		require.NoError(t, server.command.Process.Kill())
		server.wait()
		if seen = written(now); ends(now) {
			require.Equal(t, "completed", now.Status, g.ok("repo", "plan", "show", id))
			break
		}
	}
	require.Positive(t, kills)
	text, err := os.ReadFile(count)
	require.NoError(t, err)
	for job, launches := range map[string]int{"a": 1, "b": 2, "c": 1, "d": 2} {
		require.Equal(t, launches, strings.Count(string(text), job), job)
		require.Equal(t, strings.TrimSpace(strings.Repeat(job+"\n", launches)), g.git("show", "agents/kills:"+job+"/"+job))
	}
	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "b"))
	require.Contains(t, g.git("for-each-ref", "refs/kintsugi/heal/"+id+"-b"), "-before-", "what was there before the healing")
	g.ok("verify")
	t.Logf("%d kills, %d events", kills, written(g.show(id)))
}

// Rule: a plan is gone on with: a job is added, another dropped, the work is taken into the base and the worktrees are removed. People
// are told how when it is done, and nothing that is merged nowhere is lost.
func TestRepoPlanIsTaken(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	g.git("config", "user.name", "P") // the merge is the person's own
	g.git("config", "user.email", "p@example.com")
	g.agent("first", "echo 1 >>src/prices/a.txt")
	g.agent("hopeless", "echo half >hopeless.txt; exit 1")
	g.agent("more", "test $(wc -l <src/prices/a.txt) = 2; echo 2 >>src/prices/a.txt")
	file := g.plan("shop", "", "first\ntouch: [src/prices/**]", "hopeless\ntouch: [hopeless.txt]")
	id := g.start(file)
	g.dev()
	g.until(id, "held", ends)
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "add", id, file).err, "has all jobs of the file already")
	file = g.plan("shop", "", "first\ntouch: [src/prices/**]", "hopeless\ntouch: [hopeless.txt]", "more\ntouch: [src/prices/**]\nneeds: [first]")
	g.ok("repo", "plan", "add", id, file)
	g.until(id, "held again", func(p shownPlan) bool { return p.Status == "held" && p.job("more").Status == "merged" })
	require.Contains(t, g.ends(terminal.ExitConflict, "repo", "plan", "clean", id).err, "is not over")
	g.ok("repo", "plan", "drop", id, "hopeless", "--reason", "it never works")
	g.until(id, "completed", func(p shownPlan) bool { return p.Status == "completed" })
	told := g.objects("notification", "list", "--type", "plan_done")
	require.Len(t, told, 1)
	require.Contains(t, told[0]["text"], "kintsugi repo plan take "+id)

	g.write("other.txt", "x\n")
	g.git("add", "-A")
	g.git("commit", "-qm", "meanwhile")
	require.Contains(t, g.ok("repo", "plan", "show", id), "has moved on since the plan began: 1 commits")
	require.Contains(t, g.ok("repo", "plan", "take", id), "this merge is not verified")
	require.Equal(t, "1\n2", strings.Join(strings.Fields(g.git("show", "main:src/prices/a.txt"))[1:], "\n"))
	require.FileExists(t, filepath.Join(g.repo, "other.txt"))
	require.Empty(t, g.git("status", "--porcelain", "--untracked-files=no"), "the files followed")
	require.Contains(t, g.ok("repo", "plan", "take", id), "has all that the plan did")
	require.Empty(t, g.objects("notification", "list", "--type", "plan_done"))
	g.git("branch", "release", "main^1~1")
	require.Contains(t, g.ok("repo", "plan", "take", id, "--into", "release"), "verification passed")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "take", id, "--into", "nowhere").err, "has no branch")

	cleaned := g.ok("repo", "plan", "clean", id)
	require.Contains(t, cleaned, "Worktrees removed: 3. Merged branches removed: 3.")
	require.Equal(t, "half", g.git("show", strings.Fields(g.git("for-each-ref", "--format=%(refname)", "refs/kintsugi/kept"))[0]+":hopeless.txt"))
	require.NotContains(t, g.git("worktree", "list"), id)
	require.Contains(t, g.ok("repo", "plan", "clean", id), "Worktrees removed: 0.")
	g.ok("repo", "plan", "show", id)
}
