package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// healedOf is what the Healer came to for a job, by its session.
func (g *gitHome) healedOf(plan, job string) []string {
	g.t.Helper()
	shown := decodeAs[struct {
		Plan, Job string
		Blocked   map[string]string
		Healings  []struct{ Trigger, Outcome string }
	}](g.t, g.ok("healer", "show", plan+"-"+job, "-o", "json"))
	require.Equal(g.t, []string{plan, job}, []string{shown.Plan, shown.Job}, "it leads back to its plan")
	var came []string
	for _, one := range shown.Healings {
		came = append(came, one.Trigger+" "+one.Outcome)
	}
	if len(shown.Blocked) > 0 {
		came = append(came, "blocked")
	}
	return came
}

// Rule: a plan has the Healer called for a failed job. A job whose check the server saw pass goes on, through the
// touch set and the verification like all work; every other one is held, with the outcome of the healing, and nothing
// that an agent wrote is lost.
func TestRepoPlanIsHealed(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	const again = `if [ ! -e "$HOME/again" ]; then : >"$HOME/again"; `
	g.agent("mended", again+"mkdir m; echo 3 >m/m; exit 0; fi; cat >$HOME/told; echo 4 >m/m")
	g.agent("crashed", again+"mkdir c; echo half >c/half; exit 3; fi; echo 4 >c/c")
	g.agent("reaching", again+"mkdir r; echo 3 >r/r; exit 0; fi; echo 4 >r/r; echo 5 >>README.md")
	g.agent("hopeless", again+`mkdir h; echo 3 >h/h; exit 0; fi; if [ -e "$HOME/more" ]; then echo 4 >h/h; exit 0; fi; : >"$HOME/more"; echo tried >h/tried`)
	g.agent("flaky", "mkdir f; echo 4 >f/f")
	id := g.start(g.plan("heal", "healer: {clean: true}\n",
		"flaky\ntouch: ['f/**']\nverify: ['[ -e $HOME/ran ] || { : >$HOME/ran; exit 1; }']",
		"mended\ntouch: ['m/**']\nverify: [grep -qx 4 m/m]", "crashed\ntouch: ['c/**']\nverify: [test -e c/c]",
		"reaching\ntouch: ['r/**']\nverify: [grep -qx 4 r/r]", "hopeless\ntouch: ['h/**']\nverify: [grep -qx 4 h/h]"))
	g.dev()
	held := g.until(id, "held", ends)
	require.Equal(t, 3, held.Merged, g.ok("repo", "plan", "show", id))
	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "mended"))
	told, err := os.ReadFile(filepath.Join(held.Place, "jobs", "mended", "home", "told"))
	require.NoError(t, err)
	for _, says := range []string{"do mended", "m/**", "grep -qx 4 m/m", "Do not commit"} {
		require.Contains(t, string(told), says)
	}
	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "flaky"))
	require.Contains(t, g.ok("repo", "plan", "show", id), "is flaky: it failed, and it passed when the server ran it again")
	require.Equal(t, []string{"job_failed resolved"}, g.healedOf(id, "crashed"))
	require.Equal(t, "half", g.git("show", "agents/heal:c/half"))

	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "reaching"))
	require.Equal(t, "touchset", held.job("reaching").Checkpoint.Kind, "a healer accepts nothing")
	require.Equal(t, "README.md", held.job("reaching").Checkpoint.Violations[0].Path)

	require.Equal(t, []string{"verification_failed contained", "blocked"}, g.healedOf(id, "hopeless"))
	require.Equal(t, "test_failure", held.job("hopeless").Checkpoint.Kind)
	text := g.ok("repo", "plan", "show", id)
	require.Contains(t, text, "The Healer: contained")
	require.Contains(t, text, "kintsugi healer show "+id+"-hopeless")
	require.NoFileExists(t, filepath.Join(held.job("hopeless").Worktree, "h", "tried"))
	kept := ""
	for ref := range strings.Lines(g.git("for-each-ref", "--format=%(refname)", "refs/kintsugi/heal/"+id+"-hopeless")) {
		kept += g.git("ls-tree", "-r", "--name-only", strings.TrimSpace(ref))
	}
	require.Contains(t, kept, "h/tried", "what it took away is kept")
	require.Empty(t, g.objects("notification", "list", "--type", "healing"), "one thing is told once, as a job that is held")
	require.Len(t, g.objects("notification", "list", "--type", "held_job"), 2)

	g.ok("repo", "plan", "relaunch", id, "hopeless", "--note", "it is 4")
	g.ok("repo", "plan", "accept", id, "reaching", "--reason", "the readme, too")
	done := g.until(id, "completed", ends)
	require.Equal(t, "completed", done.Status, g.ok("repo", "plan", "show", id))
	require.Equal(t, []string{"verification_failed contained"}, g.healedOf(id, "hopeless"), "who answers lets it go on")
	g.ok("verify")
}

// Rule: a mistake in what the Healer may do is refused with its line; without a word in the plan the repository's file holds.
func TestRepoPlanNamesTheHealersLimits(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	for text, says := range map[string]string{
		"healer:\n  enabeld: true\n":               `:6: there is no field "enabeld" here`,
		"healer:\n  mode: bold\n":                  ":6: ",
		"healer:\n  clean: true\n  progress: /x\n": `:7: progress "/x" is no file in the repository`,
		"healer:\n  timeout: soon\n":               `:6: timeout "soon" is no time like 10m`,
	} {
		require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "check", g.plan("shop", text, "one\ntouch: [src/**]")).err, says)
	}
	limits := func(head string) any {
		return g.object("repo", "plan", "check", g.plan("shop", head, "one\ntouch: [src/**]"))["healer"]
	}
	require.Nil(t, limits(""), "nobody said anything")
	g.write(".kintsugi/healer.yaml", "mode: aggressive\n")
	require.Equal(t, "aggressive", limits("").(map[string]any)["mode"])
	require.Equal(t, "conservative", limits("healer: {}\n").(map[string]any)["mode"])
}
