package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Limits are set by name, shown as they were meant, and hold: each with a code of its own.
func TestLimitsOfAWorkflow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/big", 200, `"0123456789012345678901234567890123456789"`)
	h.create("Orders", `async function main(input) {
		if (input === "fetch") { for (let i = 0; i < 5; i++) await web.getJSON("BASE/big"); }
		if (input === "store") { await kv.set("k", "x".repeat(2000)); }
		if (input === "wall") { for (;;) {} }
		return 1;
	}`)
	require.Contains(t, h.ok("workflow", "settings", "Orders"), "limits         -")
	shown := h.ok("workflow", "settings", "Orders", "--auto-fix", "off", "--limit", "wall=300ms,fetch=100,stored=1KiB,memory=64MiB,runs=5,calls=50")
	require.Contains(t, shown, "limits         wall=300ms, memory=64MiB, calls=50, fetch=100B, stored=1KiB, runs=5")
	for input, code := range map[string]string{`"fetch"`: "limit.fetch", `"store"`: "limit.state", `"wall"`: "limit.wall"} {
		run := h.run("workflow", "run", "--repair", "Orders", "--input", input, "-o", "json")
		require.NotEqual(t, terminal.ExitOK, run.code)
		final := decodeAs[map[string]any](t, run.out)["final"].(map[string]any)
		require.Equal(t, "limit", final["failure"].(map[string]any)["class"], input)
		require.Equal(t, code, final["failure"].(map[string]any)["code"], input)
		h.ok("workflow", "activate", "Orders")
	}
	h.ok("workflow", "run", "--repair", "Orders")
	h.ok("workflow", "run", "--repair", "Orders")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders").err, "runs_per_hr allows")
	h.ok("workflow", "settings", "Orders", "--limit", "runs=0")
	h.ok("workflow", "run", "--repair", "Orders")
	for says, limit := range map[string]string{
		"is not known": "speed=1", "write a time": "wall=5", "write a size": "memory=lots", "write a number": "calls=-1", "write a size ": "fetch=9999999GiB",
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "Orders", "--limit", limit).err, says)
	}
}
