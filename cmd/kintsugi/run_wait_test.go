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
