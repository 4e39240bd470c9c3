package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Before a save it can be seen which recorded runs it would change: the same for a person as for
// the planner. Nothing is saved and nothing sent.
func TestCheckBeforeSave(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	sent, events := h.outside.total.Load(), h.ok("history", "Orders", "--all")
	check := func(code int, script string) (string, map[string]any) {
		file := h.file("new.js", h.outside.local(script))
		text := h.ends(code, "script", "save", "Orders", "--file", file, "--check").out
		return text, decodeAs[map[string]any](t, h.ends(code, "script", "save", "Orders", "--file", file, "--check", "-o", "json").out)
	}

	text, same := check(terminal.ExitOK, orders+"\n// the same")
	require.Contains(t, text, "Checked on 4 recorded runs: 4 the same, 0 differ, 0 unverifiable.")
	require.Equal(t, "1.0", same["against"])
	require.Len(t, same["runs"], 4)

	text, _ = check(terminal.ExitDiffers, strings.Replace(orders, "{ orders: list", "{ count: list", 1))
	require.Contains(t, text, "0 the same, 4 differ")
	require.Contains(t, text, "output $")

	text, _ = check(terminal.ExitHeld, strings.Replace(orders, "'BASE/orders'", "'BASE/v2/orders'", 1))
	require.Contains(t, text, "0 the same, 0 differ, 4 unverifiable")

	run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	_, one := check(terminal.ExitDiffers, strings.Replace(orders, "total: total }", "total: input.day === '2026-03-04' ? 0 : total }", 1))
	require.EqualValues(t, 1, one["differ"])
	runs := one["runs"].([]any)
	require.Equal(t, run, runs[3].(map[string]any)["run"], "the oldest first")
	require.Equal(t, "differs", runs[3].(map[string]any)["result"])

	require.Equal(t, sent, h.outside.total.Load())
	require.Equal(t, events, h.ok("history", "Orders", "--all"))
	h.create("New", "function main() { return 1 }")
	require.Contains(t, h.ok("script", "save", "New", "--file", h.file("n.js", "function main() {}"), "--check"), "no recorded runs")
}
