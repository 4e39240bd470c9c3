package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A run that waits for an answer is cancelled from the command line: what it had written is listed, also later, and the workflow is as it was.
func TestARunIsCancelledFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Asks", `async function main() { await kv.set("n", 1); return await ask("Go on?"); }`)
	h.ends(terminal.ExitEscalated, "workflow", "run", "Asks")
	asks := h.objects("run", "list")[0]["id"].(string)
	said := h.ok("run", "cancel", asks, "--reason", "not needed")
	require.Equal(t, "Run "+asks+" is cancelled: not needed.\nIt had written, and that stays:\n  kv.set [\"n\",1]\n", said)
	require.Contains(t, h.ok("run", "show", asks), said)
	require.Contains(t, h.ok("run", "list", "--status", "cancelled"), asks)
	require.Contains(t, h.ok("notification", "list"), "Nothing needs you.")
	require.Contains(t, h.ok("history", "Asks"), "RunCancelled")
	require.Contains(t, h.ok("workflow", "show", "Asks"), "active")
	require.Contains(t, h.ends(terminal.ExitConflict, "run", "cancel", asks).err, "was cancelled already")
	h.ok("verify")
}

// A cancellation is acknowledged by another process than the one that executes the run, and stays when that is killed right then: the
// next server sends nothing more of the run.
func TestACancelledRunStaysSoThroughAKill(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev()
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(1), "--detach")
	gate.await(t)
	of := h.objects("run", "list")[0]["id"].(string)
	require.Contains(t, h.ok("run", "cancel", of), "/started")
	require.NoError(t, server.command.Process.Kill())
	<-server.ended
	gate.release()
	h.dev()
	require.Equal(t, of, h.status("cancelled")["id"])
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(2))
	require.Len(t, h.outside.requests("POST /started"), 2)
	require.Len(t, h.outside.requests("POST /done"), 1)
}
