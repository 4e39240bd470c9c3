package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A repair is shown as a whole, by the fix that came of it or by the run that failed.
func TestARepairIsShownAsAWhole(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(9))
	fix := h.objects("fix", "list")[0]
	id := fix["proposal"].(string)
	repair := h.object("fix", "thread", id)
	require.Equal(t, "fixed", repair["outcome"])
	require.Equal(t, "Orders", repair["workflow_title"])
	require.Len(t, repair["attempts"], 1)
	require.Equal(t, id, repair["attempts"].([]any)[0].(map[string]any)["proposal"])
	candidate := repair["candidates"].([]any)[0].(map[string]any)
	require.Equal(t, "identical", candidate["verdict"])
	require.NotEmpty(t, candidate["diff"])
	require.Greater(t, len(repair["conversation"].([]any)), 1)
	require.Equal(t, repair, h.object("fix", "thread", repair["run"].(string)))
	require.Equal(t, repair, h.object("fix", "thread", repair["task"].(string)))
	text := h.ok("fix", "thread", id)
	require.Contains(t, text, "Repair of Orders, version 1.0: fixed")
	require.Contains(t, text, "cost $0.00: 0 tokens, 0 answers of no model")
	require.Regexp(t, `(?s)Candidate 1 of .*: identical.*\n\+.*Handed in\n  confirmed `, text)
	require.NotContains(t, text, "\nSaid\n")
	require.Regexp(t, `(?s)\nSaid\n.* user .*judged    candidate 1: identical`, h.ok("fix", "thread", id, "--said"))
	first := h.objects("run", "list", "--status", "succeeded")
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "thread", first[len(first)-1]["id"].(string)).err, "no repair was begun")
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "thread", "nothing").err, "there is no fix, failed run or thread")
}
