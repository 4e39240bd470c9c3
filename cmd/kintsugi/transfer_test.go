package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// An export has everything that happened; an imported bundle is exported again as it was.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 401, `{}`)
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", day(5))
	path := filepath.Join(t.TempDir(), "bundle.json")
	require.Contains(t, h.ok("export", "Orders", "--file", path), "Wrote version 1.0 and 5 recorded runs to "+path)
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, string(written), h.ok("export", "Orders"))
	bundle := decodeAs[map[string]any](t, string(written))
	require.Equal(t, "kintsugi.bundle/1", bundle["format"])
	require.Len(t, bundle["runs"], 5)
	require.Len(t, decodeAs[map[string]any](t, h.ok("export", "Orders", "--runs", "2"))["runs"], 2)

	other := newHome(t)
	require.Contains(t, other.ok("import", path, "--title", "Imported", "--allow-host", "10.0.0.1"), "version 1.0 and 5 recorded runs")
	shown := other.object("workflow", "show", "Imported")
	require.Equal(t, "draft", shown["status"])
	require.InDelta(t, 4, shown["succeeded"], 0)
	require.InDelta(t, 1, shown["failed"], 0)
	require.Empty(t, other.objects("notification", "list"), "what happened elsewhere is no news")
	require.Contains(t, other.ends(terminal.ExitOK, "history", "Imported", "--verify").err, "streams are whole")

	require.Equal(t, 2, strings.Count(other.ok("history", "Imported", "-o", "json"), `"imported":`), "intent and script are nobody's word here")

	again := decodeAs[map[string]any](t, other.ok("export", "Imported"))
	require.Equal(t, withoutIDs(bundle), withoutIDs(again))
}

// withoutIDs is a bundle without what an import gives anew.
func withoutIDs(bundle map[string]any) map[string]any {
	delete(bundle, "workflow")
	delete(bundle, "changelog")
	for _, one := range bundle["runs"].([]any) {
		run := one.(map[string]any)
		delete(run, "id")
		delete(run, "trigger")
	}
	return bundle
}

// A repair of an imported workflow is proved against the runs that came with it.
func TestImportedRunsProveARepair(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	path := filepath.Join(t.TempDir(), "bundle.json")
	h.ok("export", "Orders", "--file", path)
	h.ok("import", path, "--title", "Copy", "--allow-host", h.outside.host())
	h.ok("workflow", "activate", "Copy")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Copy", "--input", day(9)), "succeeded on version 1.1")
	fixes := h.objects("fix", "list", "--workflow", "Copy")
	require.InDelta(t, 4, fixes[0]["verification"].(map[string]any)["identical"], 0)
}

// A bundle of a mended workflow holds what its script reproduces; the version that broke can
// still be had, and mended again.
func TestExportOfAMendedWorkflow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	path := filepath.Join(t.TempDir(), "bundle.json")
	h.ok("export", "Orders", "--file", path)
	require.Contains(t, h.ok("replay", path), "5 of 5 runs reproduce")
	broken := h.ok("export", "Orders", "--version", "1.0")
	r := h.runWith(broken, "replay", "-")
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Contains(t, r.out, "5 of 5 runs reproduce")
	r = h.runWith(broken, "mend", "-")
	require.Equal(t, terminal.ExitOK, r.code, r.out)
	require.Contains(t, h.ends(terminal.ExitNotFound, "export", "Orders", "--version", "3.0").err, "has no version 3.0")
	require.Contains(t, h.ends(terminal.ExitUsage, "export", "Orders", "--version", "x").err, "is not a version")
}
