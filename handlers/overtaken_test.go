package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
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
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		if e, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(e.Run))
		}
	}
	var values []string
	for one, err := range n.commands.History(context.Background(), streams) {
		require.NoError(n.t, err)
		var args []json.RawMessage
		if e, is := one.Event.(run.ToolAnswered); is && e.Tool == "kv.set" && e.From == "" {
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

// overtakes counts its runs: a call to the outside lies between the read of the number and the write.
const overtakes = `async function main(input) {
  if (input.waits === 'first') await kv.get('n');
  if (input.waits === 'first') await web.getJSON('BASE/receipt');
  const n = ((await kv.get('n')) ?? 0) + 1;
  await web.postJSON('BASE/count', { n: n });
  if (input.waits) await web.getJSON('BASE/receipt');
  await kv.set('n', n);
  return n;
}`

// overtaking is a workflow that runs side by side, with a run that waits for its retry while another one
// has counted on.
func (n *node) overtaking(waits string) (id, of string) {
	n.t.Helper()
	id = n.create(overtakes, workflow.Settings{MaxActive: 2})
	n.outside.answer("/receipt", 503, `{}`)
	of = n.admit(id, `{"waits":"`+waits+`"}`)
	require.NoError(n.t, n.settle(context.Background()))
	require.Len(n.t, n.state(id).Retries, 1)
	n.runs(id, `{}`)
	require.Equal(n.t, []string{"1"}, n.cursors(id, "n"))
	n.outside.answer("/receipt", 200, `{}`)
	n.clock.advance(time.Minute)
	require.NoError(n.t, n.settle(context.Background()))
	return id, of
}

// asked is the one run that a person is asked about.
func (n *node) asked(id string) workflow.Unfinished {
	n.t.Helper()
	state := n.state(id)
	require.Len(n.t, state.Unfinished, 1)
	for _, u := range state.Unfinished {
		require.True(n.t, u.Asked)
		return u
	}
	return workflow.Unfinished{}
}

// Rule 15: a retry that later runs have overtaken, as they may where several run at once, sets no key back:
// it stands still, and its person is told which key has changed.
func TestRule15ARetryThatWasOvertakenStandsStill(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id, _ := n.overtaking("after")
	stands := n.asked(id)
	require.Contains(t, stands.Problem, `later runs of the workflow have changed what this one goes on with: key "n"`)
	require.Equal(t, []string{"1"}, n.cursors(id, "n"))
	require.Equal(t, 2, n.outside.count("POST /count"))
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id})
	require.NoError(t, err)
	require.Equal(t, []string{projections.ActionContinue, projections.ActionRestart, projections.ActionLeave}, told[0].Actions)
	require.Contains(t, told[0].Text, `key "n"`)

	// Its person may have it go on all the same.
	_, err = n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: stands.Info.Run}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 2, n.outside.count("POST /count"))
	require.Equal(t, []string{"1", "1"}, n.cursors(id, "n"))
	require.Empty(t, n.state(id).Unfinished)
}

// Rule 15: where nothing was written yet, it reads again and goes on from there.
func TestRule15ARetryThatWasOvertakenBeforeItWroteReadsAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id, _ := n.overtaking("first")
	require.Equal(t, []string{"1"}, n.cursors(id, "n"))
	n.clock.advance(time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, []string{"1", "2"}, n.cursors(id, "n"))
	require.Equal(t, []string{`{"n":1}`, `{"n":2}`}, n.outside.bodies)
	require.Empty(t, n.state(id).Unfinished)
	require.Empty(t, n.state(id).Retries)
}

// Rule 15: nor does a run go on that a crash interrupted, if others have passed it by since.
func TestRule15AnInterruptedRunThatWasOvertakenStandsStill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	id := n.create(overtakes, workflow.Settings{MaxActive: 2})
	first := n.admit(id, `{"waits":"after"}`)
	ctx, die := context.WithCancel(t.Context())
	n.outside.before = func(path string) {
		if path == "/receipt" {
			die()
		}
	}
	_ = n.settle(ctx) // ends as a killed process does: in the middle
	n.close()

	n = w.open(nil)
	defer n.close()
	second := n.admit(id, `{}`)
	for _, work := range n.reactions[0].Due(id, n.state(id)) {
		if work.Key == second {
			require.NoError(t, work.Do(t.Context()))
		}
	}
	require.Equal(t, []string{"1"}, n.cursors(id, "n"))
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, first, n.asked(id).Info.Run)
	require.Equal(t, []string{"1"}, n.cursors(id, "n"))
	require.Equal(t, 2, n.outside.count("POST /count"))
}

// Rule 15: a run that nobody has overtaken goes on, whatever it has read and written itself.
func TestRule15ARunGoesOnWithWhatItDidItself(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const before = [await kv.get('n'), await kv.list(), await files.list(), input.n > 0 && await files.read('log'), input.n > 0 && await files.stat('log')];
  await kv.set('n', { n: input.n, half: 0.50 });
  await files.append('log', 'run ' + input.n + '\n');
  await files.write('out/' + input.n, JSON.stringify(before));
  await kv.set('seen:' + input.n, null);
  await kv.delete('gone');
  await web.postJSON('BASE/count', await kv.get('n'));
  await web.getJSON('BASE/receipt');
  return [await kv.get('n'), await kv.list('seen:'), await files.list('out'), await files.read('log')];
}`, workflow.Settings{})
	for i := range 3 {
		n.outside.answer("/receipt", 503, `{}`)
		n.runs(id, fmt.Sprintf(`{"n":%d}`, i))
		require.Len(t, n.state(id).Retries, 1)
		n.clock.advance(time.Minute)
		require.NoError(t, n.settle(t.Context()), "and the retry fails as well")
		n.outside.answer("/receipt", 200, `{}`)
		n.clock.advance(time.Minute)
		require.NoError(t, n.settle(t.Context()))
		require.Equal(t, i+1, n.outside.count("POST /count"))
		require.Empty(t, n.state(id).Unfinished)
		require.Empty(t, n.state(id).Retries)
	}
}
