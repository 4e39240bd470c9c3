package commands_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// Everything that is said in a thread belongs to its workflow.
func TestThread(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), on(openLog(t))
	by := commands.Meta{Actor: "maintainer:t1"}
	_, err := c.AppendMessage(ctx, "th1", thread.AppendMessage{Role: "user", Text: "hi"}, by)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.ErrorContains(t, err, `"th1"`)

	_, err = c.OpenThread(ctx, thread.Open{Thread: "th1", Workflow: "w1", Kind: "maintainer", Task: "t1", Title: "x"}, by)
	require.NoError(t, err)
	_, err = c.AppendMessage(ctx, "th1", thread.AppendMessage{Role: "assistant", Text: "hi"}, by)
	require.NoError(t, err)
	_, err = c.InvokeTool(ctx, "th1", thread.InvokeTool{Call: "c1", Tool: "read", Args: json.RawMessage(`{}`)}, by)
	require.NoError(t, err)
	_, err = c.ReturnTool(ctx, "th1", thread.ReturnTool{Call: "c1", Result: json.RawMessage(`1`)}, by)
	require.NoError(t, err)
	_, err = c.JudgeCandidate(ctx, "th1", thread.JudgeCandidate{Fixer: "templates", Verdict: "identical"}, by)
	require.NoError(t, err)
	_, err = c.CloseThread(ctx, "th1", thread.Close{Outcome: "fixed", Tokens: 12}, by)
	require.NoError(t, err)

	events := 0
	for recorded, err := range c.History(ctx, []string{"thread-th1"}) {
		require.NoError(t, err)
		require.Equal(t, "workflow:w1", recorded.Metadata.Subject)
		require.Equal(t, "maintainer:t1", recorded.Metadata.Actor)
		events++
	}
	require.Equal(t, 6, events)
	state, err := c.LoadThread(ctx, "th1")
	require.NoError(t, err)
	require.True(t, state.Closed)
	require.Equal(t, 1, state.Candidates)
	_, err = c.LoadThread(ctx, "th2")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}
