package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// How a host is asked is set, shown and taken back one by one.
func TestReconcileSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--id", "w")
	first := "api.example.test=https://api.example.test/orders?a=1,2&key={key}#/data/0"
	require.Contains(t, h.ok("workflow", "settings", "w", "--reconcile", first, "--reconcile", "b.test=https://b.test/{key}", "--on-hold", "block"),
		"api.example.test asks https://api.example.test/orders?a=1,2&key={key}, the answer is at /data/0")
	shown := h.object("workflow", "settings", "w")
	require.Equal(t, "block", shown["on_hold"])
	require.Equal(t, []any{
		map[string]any{"host": "api.example.test", "lookup": "https://api.example.test/orders?a=1,2&key={key}", "result": "/data/0"},
		map[string]any{"host": "b.test", "lookup": "https://b.test/{key}"},
	}, shown["reconcile"])
	require.Len(t, h.object("workflow", "settings", "w", "--reconcile", "API.example.test=")["reconcile"], 1)
	require.NotContains(t, h.object("workflow", "settings", "w", "--reconcile", "b.test="), "reconcile")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "w", "--reconcile", "b.test").err, "write HOST=ADDRESS")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "w", "--reconcile", "b.test=https://b.test/").err, "does not have {key} in it")
}

// The server is killed while a write is out. The next one asks the host what became of it, when the
// call would have been given up, and goes on with that: nothing is sent twice and nobody is asked.
func TestKilledWhileAWriteIsOut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() { return (await web.postJSON("BASE/orders", {}, { timeoutMs: 1500 })).order; }`)
	h.ok("workflow", "settings", "Orders", "--reconcile", h.outside.host()+"="+h.outside.local("BASE/lookup?key={key}"))
	gate := h.outside.hold(t, "/orders")
	p := h.dev()
	h.ok("workflow", "run", "--repair", "Orders", "--detach")
	gate.await(t)
	require.NoError(t, syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL))
	p.wait()
	gate.release()
	h.outside.answer("/lookup", 200, `{"order":7}`)

	p = h.dev()
	require.Eventually(t, func() bool { return len(h.objects("run", "list", "--status", "succeeded")) == 1 }, patience, 50*time.Millisecond)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
	require.InDelta(t, 7, h.objects("run", "list")[0]["output"], 0)
	require.Len(t, h.outside.requests("POST /orders"), 1)
	require.Len(t, h.outside.requests("GET /lookup"), 1)
	require.Empty(t, h.objects("notification", "list", "--all"))
	history := h.ok("history", "Orders", "--all")
	for _, says := range []string{"EffectInDoubt", "EffectLookedUp", "EffectResolved"} {
		require.Equal(t, 1, strings.Count(history, says), history)
	}
}
