package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Rule 21: what a person runs by hand and fails with leaves the workflow as it is, until they ask for a repair of it.
func TestAFailureByHandIsRepairedWhenAskedFor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	said := h.ends(terminal.ExitRunFailed, "workflow", "run", "Orders", "--input", day(9)).out
	failed := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	require.Contains(t, said, "kintsugi run repair "+failed)
	require.Contains(t, said, "The workflow is active now.")
	require.Equal(t, []any{}, h.object("workflow", "show", "Orders")["repairs"])
	require.Contains(t, h.ok("run", "show", failed), "To have the workflow mended of it: kintsugi run repair "+failed)
	require.Contains(t, h.ok("run", "repair", failed), "succeeded on version 1.1")
	require.Contains(t, h.ends(terminal.ExitConflict, "run", "repair", failed).err, "was taken up already")
	text, refused := h.stdio().call("repair_run", map[string]any{"run": failed})
	require.True(t, refused)
	require.Contains(t, text, "was taken up already")
	require.NotContains(t, h.ok("run", "show", failed), "kintsugi run repair")
}
