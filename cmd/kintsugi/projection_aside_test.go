package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// One event that cannot be read costs its own stream and nothing else: not a list, not another workflow, not a server,
// not a second start. The operator is told once, and it ends by itself with a log in which it can be read.
func TestOneBadEventStopsNothingElse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Bad", "--script", h.file("b.js", "function main() { return 1 }"))
	h.ok("workflow", "create", "Good", "--script", h.file("g.js", "function main() { return 2 }"))
	h.ok("workflow", "run", "--repair", "Bad")
	bad := h.records()[0].Stream
	require.Empty(t, h.aside())
	whole := h.copy()
	revision := h.appendEvent(bad, "WorkflowPaused", `{"reason":7}`)

	for range 2 { // also the second start
		server := h.dev()
		require.Contains(t, h.ok("workflow", "run", "--repair", "Good"), "succeeded")
		server.interrupt()
		require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	}
	require.Contains(t, h.ends(terminal.ExitFailure, "workflow", "run", "--repair", "Bad").err, "revision 5 (WorkflowPaused)")
	require.Len(t, h.objects("workflow", "list"), 2)
	shown := h.aside()
	require.Len(t, shown, 1)
	require.Equal(t, bad, shown[0].Stream)
	require.Equal(t, revision, shown[0].Revision)
	require.Contains(t, h.ok("projection", "list"), "set aside: "+bad+" from revision 5 (WorkflowPaused), 1 events left out: ")
	told := h.objects("notification", "list")
	require.Len(t, told, 1)
	require.Contains(t, told[0]["title"], "its history cannot be read: "+strings.TrimPrefix(bad, "workflow-"))
	h.ok("notification", "ack", told[0]["id"].(string))
	require.Empty(t, h.objects("notification", "list"))

	// The views of the log with the event, beside a log without it: what a restored backup leaves.
	require.NoError(t, os.RemoveAll(filepath.Join(whole.dir, "views")))
	require.NoError(t, os.CopyFS(filepath.Join(whole.dir, "views"), os.DirFS(filepath.Join(h.dir, "views"))))
	require.Empty(t, whole.aside())
	require.Contains(t, whole.ok("workflow", "run", "--repair", "Bad"), "succeeded")
}

// A payload that was erased under its digest is shown as erased, wherever it is, and nothing stops for it but what would
// have to know it.
func TestErasedPayloadsAreShown(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	id := h.objects("workflow", "list")[0]["id"].(string)
	run := h.objects("run", "list")[0]["id"].(string)
	erased := 0
	for _, one := range h.records() {
		if one.Stream == "run-"+run {
			h.change("UPDATE event SET payload = CAST('" + string(eventlog.Erased(one.Payload)) + "' AS BLOB) WHERE pos = " + strings.TrimLeft(string(one.Position), "0"))
			erased++
		}
	}
	require.Contains(t, h.ends(terminal.ExitBroken, "verify", "--views").out, "rows differ", "the views of before still have it")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "views")))
	require.Empty(t, h.aside())
	h.ok("verify", "--views")
	require.Contains(t, h.ok("history", id, "--all", "--verify"), "was erased; its digest was kept")
	require.Contains(t, h.ok("verify"), "every chain is whole")
	h.ok("history", id, "--at", "1.0")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders", "--input", day(9)), "succeeded")
	require.Positive(t, erased)
}

// aside are the streams that are set aside in the views of this version, when they are caught up.
func (h *home) aside() []readmodel.Aside {
	h.t.Helper()
	h.ok("workflow", "list")
	all := decodeAs[[]readmodel.Generation](h.t, h.ok("projection", "list", "-o", "json"))
	require.True(h.t, all[0].Current)
	return all[0].Aside
}
