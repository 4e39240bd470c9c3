package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Title and intent are a person's, who can change them, one without the other; the history says who did.
func TestATitleAndAnIntentAreChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Refund report", "--id", "w", "--intent", "List refunds")
	require.Contains(t, h.ok("workflow", "edit", "w", "--title", " Refunds "), "Refunds\n  List refunds\n")
	require.Equal(t, "List refunds", h.object("workflow", "show", "Refunds")["intent"], "it is found by its new title")
	require.Contains(t, h.ok("workflow", "edit", "Refunds", "--intent", "List refunds above 10"), "List refunds above 10")
	shown := h.object("workflow", "edit", "w", "--intent", "List refunds above 10")
	require.Equal(t, "Refunds", shown["title"])
	require.Contains(t, h.ok("workflow", "edit", "w", "--title", "Refunds"), "nothing changed")
	require.Contains(t, h.ok("history", "w", "--verify"), "IntentChanged")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "edit", "w").err, "name what to change")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "edit", "w", "--title", " ").err, "needs a title")
	h.ok("workflow", "archive", "w")
	h.ok("workflow", "edit", "w", "--title", "X")
}
