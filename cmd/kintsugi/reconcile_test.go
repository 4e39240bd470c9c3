package main

import (
	"testing"

	"github.com/stretchr/testify/require"
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
	require.Contains(t, h.ends(exitUsage, "workflow", "settings", "w", "--reconcile", "b.test").err, "write HOST=ADDRESS")
	require.Contains(t, h.ends(exitUsage, "workflow", "settings", "w", "--reconcile", "b.test=https://b.test/").err, "does not have {key} in it")
}
