package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A server prints what happens, with titles: the failure, the mending, the fix. --quiet prints nothing.
func TestDevTellsWhatHappens(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	server := h.dev()
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(9))
	server.says("Orders: fixed: ")
	for _, want := range []string{"Orders: run failed: ", "Orders: mending: version 1.0, fix 1 of 3", "Orders: fix applied: version 1.1"} {
		server.says(want)
	}
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait())

	quiet := h.dev("--quiet")
	h.outside.answer("/orders", 500, "{}")
	h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", "Orders", "--input", day(10))
	quiet.interrupt()
	require.Equal(t, terminal.ExitOK, quiet.wait())
	require.NotContains(t, quiet.err.String(), "run failed")
}
