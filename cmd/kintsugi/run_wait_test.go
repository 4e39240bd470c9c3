package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A person who waits for some time only needs a server that goes on with the run; a run that has ended by then is told as without it.
func TestARunIsWaitedForFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Quick", `async function main() { return 7 }`)
	h.create("Asks", `async function main() { return await ask("Go on?") }`)
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "Quick", "--wait", "20s").err, "no server runs here")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "Quick", "--wait", "2m").err, "from 0s to 1m0s")
	h.dev()
	require.Contains(t, h.ok("workflow", "run", "Quick", "--wait", "1m"), "succeeded on version 1.0.\n7\n")
	require.Contains(t, h.ok("workflow", "run", "Quick", "--wait", "0s"), "Admitted run")
	require.Contains(t, h.ends(terminal.ExitEscalated, "workflow", "run", "Asks", "--wait", "1m").out, "It asks you something")
}

// Labels are given to a workflow and to a run, and lists are chosen by them, by time and by the text of an error.
func TestListsAreChosenByLabelFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Labelled", `async function main(input) { if (input.bad) throw new Error("no such Order"); return 1 }`)
	h.create("Other", `async function main() { return 1 }`)
	require.Contains(t, h.ok("workflow", "settings", "Labelled", "--label", "team=billing", "--label", "env=prod"), "labels         env=prod, team=billing")
	require.Contains(t, h.ok("workflow", "settings", "Labelled", "--label", "env="), "labels         team=billing")
	h.ok("workflow", "run", "Labelled", "--label", "order=4711")
	h.ends(terminal.ExitRunFailed, "workflow", "run", "Labelled", "--input", `{"bad":true}`)
	h.ok("workflow", "run", "Other")
	require.Len(t, h.objects("run", "list", "--label", "team=billing"), 2)
	labelled := h.objects("run", "list", "--label", "team=billing", "--label", "order=4711", "--since", "2h")
	require.Len(t, labelled, 1)
	require.Contains(t, h.ok("run", "show", labelled[0]["id"].(string)), "Labels    order=4711, team=billing")
	require.Len(t, h.objects("run", "list", "--error", "SUCH ORDER"), 1)
	require.Empty(t, h.objects("run", "list", "--until", "2h"))
	require.Len(t, h.objects("workflow", "list", "--label", "team=billing"), 1)
	require.Contains(t, h.ends(terminal.ExitUsage, "run", "list", "--label", "team").err, "is no label")
}
