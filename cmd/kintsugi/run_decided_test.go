package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// The outcome of a decision about a half-done run is printed as JSON on request: it goes on, starts again, or stays.
func TestHalfDoneRunsAreDecidedInJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	half := "async function main() { await web.postJSON('BASE/a', {}); null.x }"
	whole := h.file("whole.js", h.outside.local("async function main() { await web.postJSON('BASE/a', {}); await web.postJSON('BASE/b', {}); return 1 }"))
	for _, what := range []string{"continue", "restart", "leave"} {
		h.create(what, half)
		h.ok("workflow", "settings", what, "--auto-fix", "off")
		h.run("workflow", "run", "--repair", what)
		h.ok("script", "save", what, "--file", whole)
		run := h.objects("run", "list", "--workflow", what)[0]["id"].(string)
		args := []string{"run", what, run}
		if what == "restart" {
			args = append(args, "--yes") // nobody types here
		}
		require.NotEmpty(t, h.object(args...)["run"], what)
	}
	require.Len(t, h.outside.requests("POST /a"), 4, "what went on and what was left wrote it once, what began again twice")
	require.Len(t, h.outside.requests("POST /b"), 2)
}

// A run that waits for its retry holds its workflow no longer than its person wants: it tries now, or is given up.
func TestARunThatWaitsForItsRetryIsDecidedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	waiting := func(title string) (run string) {
		h.create(title, orders)
		h.outside.answer("/orders", 503, `{}`)
		told := h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", title, "--input", day(1)).out
		run = h.objects("run", "list", "--workflow", title)[0]["id"].(string)
		for _, text := range []string{told, h.ok("run", "show", run)} {
			require.Contains(t, text, "'kintsugi run continue "+run+"' tries now, 'kintsugi run leave "+run+"' gives it up")
		}
		require.NotEmpty(t, h.object("run", "show", run)["retry_at"])
		h.outside.answer("/orders", 200, oldOrders(1))
		return run
	}
	require.Contains(t, h.ok("run", "continue", waiting("Continued")), "succeeded on version 1.0")
	require.Len(t, h.outside.requests("POST /started"), 1)

	run := waiting("Left")
	require.Contains(t, h.ok("run", "leave", run, "--note", "done by hand"), "stays as it is")
	require.Contains(t, h.ok("run", "show", run), "It is over. To have it tried again: kintsugi run retry "+run)
	require.Contains(t, h.ok("history", "Left"), "done by hand")
	require.Contains(t, h.ok("run", "retry", run), "succeeded on version 1.0")
	require.Len(t, h.outside.requests("POST /started"), 2)
	h.ends(terminal.ExitConflict, "run", "retry", run)
	h.ok("workflow", "run", "--repair", "Left", "--input", day(2))
}

// A person who gives access again is told which run goes on with it, and what it had done.
func TestGivingAccessNamesTheRunThatGoesOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() {
		await web.postJSON("BASE/started", {});
		return web.getJSON("BASE/me", { headers: { authorization: "Bearer " + secret("SHOP") } });
	}`)
	set := []string{"secret", "set", "SHOP", "--workflow", "Orders", "--host", h.outside.host()}
	require.Equal(t, terminal.ExitOK, h.runWith("old\n", set...).code)
	h.outside.answer("/me", 401, `{}`)
	goesOn := func() string {
		run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
		return "Run " + run + " goes on where it stopped: 1 write done."
	}
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders")
	require.Contains(t, h.ok("workflow", "activate", "Orders"), goesOn())
	h.ends(terminal.ExitEscalated, "run", "continue", h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string))
	h.outside.answer("/me", 200, `{}`)
	require.Contains(t, h.runWith("new\n", set...).out, goesOn())
}
