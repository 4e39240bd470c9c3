package handlers_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// shipments ships what comes after a cursor, and moves the cursor on.
const shipments = `async function main() {
  const cursor = (await kv.get('cursor')) ?? 0;
  const orders = await web.getJSON('BASE/orders');
  for (const id of orders.filter((id) => id > cursor)) {
    await web.postJSON('BASE/ship', { id: id });
    await web.getJSON('BASE/receipt');
    await kv.set('cursor', id);
  }
  return kv.get('cursor');
}`

// cursors are the values that runs of the workflow gave a key, in the order of the log.
func (n *node) cursors(id, key string) []string {
	n.t.Helper()
	var streams []string
	for one, err := range n.commands.History(context.Background(), []string{commands.WorkflowStream(id)}) {
		require.NoError(n.t, err)
		if e, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, commands.RunStream(e.Run))
		}
	}
	var values []string
	for one, err := range n.commands.History(context.Background(), streams) {
		require.NoError(n.t, err)
		var args []json.RawMessage
		if e, is := one.Event.(run.ToolCalled); is && e.Tool == "kv.set" && e.From == "" {
			require.NoError(n.t, json.Unmarshal(e.Args, &args))
			if string(args[0]) == `"`+key+`"` {
				values = append(values, string(args[1]))
			}
		}
	}
	return values
}

// Rules 4 and 15: one transient error of a scheduled workflow repeats no write and sets no key back,
// whatever comes due while the run waits for its retry.
func TestATransientErrorOfAScheduledWorkflowShipsNothingTwice(t *testing.T) {
	t.Parallel()
	for _, overlap := range []workflow.Overlap{workflow.OverlapSkip, workflow.OverlapQueue} {
		t.Run(string(overlap), func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil).scheduler()
			defer n.close()
			now := n.clock.now() // no slot comes due while the test looks
			n.clock.advance(now.Truncate(time.Hour).Add(time.Hour + 30*time.Second).Sub(now))
			id := n.create(shipments, workflow.Settings{})
			_, err := n.commands.ChangeSchedule(t.Context(), id, workflow.ChangeSchedule{Spec: "* * * * *", Overlap: overlap}, person())
			require.NoError(t, err)
			n.outside.answer("/orders", 200, `[1,2]`)
			n.outside.answer("/receipt", 503, `{}`)
			for range 4 {
				n.clock.advance(time.Minute)
				require.NoError(t, n.settle(t.Context()))
			}
			require.Equal(t, 1, n.outside.count("POST /ship"), "it waits for its retry, and so do the slots")
			n.outside.answer("/receipt", 200, `{}`)
			n.outside.answer("/orders", 200, `[1,2,3]`)
			for range 8 {
				n.clock.advance(time.Minute)
				require.NoError(t, n.settle(t.Context()))
			}
			require.Equal(t, []string{`{"id":1}`, `{"id":2}`, `{"id":3}`}, n.outside.bodies)
			require.Equal(t, []string{"1", "2", "3"}, n.cursors(id, "cursor"))
			require.Empty(t, n.state(id).Retries)
		})
	}
}
