package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A workflow that starts on another one's outcome does so on the server, with what came of it.
func TestWorkflowTrigger(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Source", "--id", "w-source", "--script", h.file("s.js", "function main(input) { return { n: input.n } }"))
	h.create("Target", `async function main(input) { return web.postJSON("BASE/told", input.output); }`)
	require.Contains(t, h.ok("workflow", "trigger", "Target"), "starts on no other workflow")
	set := h.object("workflow", "trigger", "Target", "--on", "Source", "--outcome", "any")
	require.Equal(t, []any{map[string]any{"source": "w-source", "title": "Source", "outcomes": []any{"failed", "succeeded"}}}, set["triggers"])
	require.Contains(t, h.ok("workflow", "trigger", "Target"), "Source (w-source): failed, succeeded")

	require.Contains(t, h.ok("workflow", "show", "Target"), "Starts on workflow w-source: failed, succeeded")
	require.Contains(t, h.ok("workflow", "show", "Source"), "Starts workflow ")

	p := h.dev()
	h.ok("workflow", "run", "--repair", "Source", "--input", `{"n":7}`)
	require.Eventually(t, func() bool { return len(h.outside.requests("POST /told")) == 1 }, patience, 20*time.Millisecond)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
	runs := h.objects("run", "list", "--workflow", "Target")
	require.Len(t, runs, 1)
	require.Equal(t, "event", runs[0]["trigger"])

	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "trigger", "Target", "--on", "Source", "--outcome", "late").err, `"late" is not one`)
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "trigger", "Target", "--outcome", "any").err, "name it with --on")
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "trigger", "Target", "--on", "Nobody").err, `no workflow "Nobody"`)
	require.Contains(t, h.ok("workflow", "trigger", "Target", "--remove", "Source"), "starts on no other workflow")
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "trigger", "Target", "--remove", "Source").err, "does not start on workflow")
}

// A sent input becomes one run for each key, waits, or is skipped with the reason.
func TestWorkflowSend(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--id", "w", "--script", h.file("s.js", "function main(input) { return input }"))
	first := h.object("workflow", "send", "W", "--input", `{"n":1}`, "--key", "order-1")
	require.Equal(t, "run", first["outcome"])
	again := h.object("workflow", "send", "W", "--input", `{"n":1}`, "--key", "order-1")
	require.Equal(t, true, again["repeated"])
	require.Equal(t, first["run"], again["run"])
	require.Equal(t, "queued", h.object("workflow", "send", "W", "--input", `{"n":2}`)["outcome"])
	require.Contains(t, h.ok("workflow", "show", "W"), "Inputs that wait, in order: 1\n")
	require.Len(t, h.object("workflow", "show", "W")["queued"], 1)
	// An input that never ran is given up, over the command line and by a coding agent; a run that is no input is left to its person.
	for i, leave := range []func(run string){
		func(run string) {
			require.Contains(t, h.ok("run", "leave", run, "--note", "ordered by phone"), "is given up")
		},
		func(run string) {
			h.stdio("--scope", "read,decide").ok("leave_input", map[string]any{"run": run, "note": "ordered by phone"})
		},
	} {
		waits := h.object("workflow", "send", "W", "--input", `{"n":9}`)["run"].(string)
		leave(waits)
		require.Len(t, h.object("workflow", "show", "W")["queued"], 1, i)
		require.Contains(t, h.ok("history", "W"), "ordered by phone")
		require.Contains(t, h.ends(terminal.ExitNotFound, "run", "leave", "--queued", waits).err, "no input of a run")
	}
	h.stdio().ok("retry_workflow", map[string]any{"workflow": "W"})
	h.ok("workflow", "run", "--repair", "W", "--input", `{"n":3}`) // first goes on with what waits
	require.Len(t, h.objects("run", "list", "--status", "succeeded"), 3)

	h.ok("workflow", "pause", "W")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "send", "W").out, "It is skipped: the workflow is paused")
	h.ok("workflow", "archive", "W")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "send", "w").out, "archived")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "send", "w").out, "It is dropped")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "send", "w", "--input", "{").err, "is not JSON")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "send", "w", "--key", " x").err, "begins or ends with a space")
}
