package handlers_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// countedViews counts how often the views are asked for a workflow's keys and files.
type countedViews struct {
	*node
	times atomic.Int32
}

func (a *countedViews) LocalState(ctx context.Context, id string) (*hostcall.Memory, error) {
	a.times.Add(1)
	return a.node.LocalState(ctx, id)
}

// A first run begins with nothing, and the next one on the same node with what the one before left, without asking the views;
// after a run elsewhere they are asked again. Either way it is what every run before has written.
func TestTheNextRunBeginsWithWhatTheOneBeforeLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nodes := make([]*node, 2)
	views := make([]*countedViews, 2)
	for i := range nodes {
		nodes[i] = w.open(nil)
		t.Cleanup(nodes[i].close)
		views[i] = &countedViews{node: nodes[i]}
		nodes[i].reactions[0] = execution.NewExecutor(execution.ExecutorConfig{
			Commands: nodes[i].commands, Sandbox: w.pool, Local: views[i], Now: w.clock.now, Node: "n", Alone: true, Recordings: nodes[i],
			Logger: slog.New(slog.DiscardHandler), Mirror: func(string, hostcall.State, []string) error { return nil },
		})
	}
	id := nodes[0].create(`async function main(input) {
		const n = (await kv.get("n")) || 0;
		await kv.set("n", n + 1);
		await files.append("log.txt", n + "\n");
		if (input.fail) { throw new Error("after it was written"); }
		return [n, await files.read("log.txt")];
	}`, workflow.Settings{AutoFix: workflow.ModeOff})
	step := func(on int, want string) {
		t.Helper()
		of := nodes[on].admit(id, `{}`)
		require.NoError(t, nodes[on].settle(t.Context()))
		require.JSONEq(t, want, string(nodes[on].run(of).Output))
	}
	step(0, `[0,"0\n"]`)
	step(0, `[1,"0\n1\n"]`)
	step(0, `[2,"0\n1\n2\n"]`)
	require.Zero(t, views[0].times.Load(), "nobody ran before the first run")
	step(1, `[3,"0\n1\n2\n3\n"]`)
	step(0, `[4,"0\n1\n2\n3\n4\n"]`)
	require.Equal(t, int32(1), views[0].times.Load(), "another node was at it in between")

	failed := nodes[0].admit(id, `{"fail":true}`)
	require.NoError(t, nodes[0].settle(t.Context()))
	_, err := nodes[0].commands.LeaveRun(t.Context(), id, workflow.LeaveRun{Run: failed, Note: "n counts it"}, person())
	require.NoError(t, err)
	_, err = nodes[0].commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
	require.NoError(t, err)
	step(0, `[6,"0\n1\n2\n3\n4\n5\n6\n"]`)

	kept, err := nodes[1].LocalState(t.Context(), id)
	require.NoError(t, err)
	value, _ := kept.KV("n")
	require.JSONEq(t, "7", string(value), "the views have come to the same")
}
