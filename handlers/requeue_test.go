package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// send brings an input, as a webhook does.
func (n *node) send(id, key, input string) {
	n.t.Helper()
	_, err := n.commands.OfferInput(context.Background(), id, workflow.OfferInput{Run: commands.InputRun(id, key), Trigger: workflow.TriggerWebhook, Input: json.RawMessage(input)}, person())
	require.NoError(n.t, err)
}

// written are the bodies of the writes to a path that were answered well, in order.
func (o *outside) written() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.bodies...)
}

// pricedOrder reads, and then makes two writes for each input.
const pricedOrder = `async function main(input) {
	const price = await web.getJSON("BASE/price");
	const amount = price.amount * input.n;
	if (!(amount > 0)) throw new Error("no amount: " + price.amount);
	await web.postJSON("BASE/order", { n: input.n, amount });
	await kv.set("last", { n: input.n });
	await web.postJSON("BASE/bill", { n: input.n });
	return { n: input.n };
}`

// ordersOf are the writes for these inputs.
func ordersOf(amount int, numbers ...int) (all []string) {
	for _, n := range numbers {
		all = append(all, fmt.Sprintf(`{"n":%d,"amount":%d}`, n, amount*n), fmt.Sprintf(`{"n":%d}`, n))
	}
	return all
}

// Rule 22: an input that was answered is carried out when the right key is there, and those that came after it in their order.
func TestRule22InputsGoOnWithTheRightKey(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	n.outside.answer("/price", 401, `{}`)
	id := n.create(pricedOrder, workflow.Settings{})
	for i := range 3 {
		n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i+1))
		require.NoError(t, n.settle(t.Context()))
	}
	require.Equal(t, workflow.StatusWaiting, n.state(id).Status)
	require.Len(t, n.state(id).Queue, 3)
	n.outside.answer("/price", 200, `{"amount":2}`)
	_, err := n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, ordersOf(2, 1, 2, 3), n.outside.written())
	require.Empty(t, n.state(id).Queue)
}

// Rule 22: of three inputs that fail of one change all three are carried out after the fix, and once.
func TestRule22AllInputsGoOnAfterTheFix(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	n.outside.answer("/price", 200, `{"amount":2,"unit":"EUR"}`)
	id := n.create(pricedOrder, workflow.Settings{MaxActive: 3})
	for i := 1; i <= 3; i++ {
		n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i))
		require.NoError(t, n.settle(t.Context()))
	}
	n.outside.answer("/price", 200, `{"total":2,"unit":"EUR"}`)
	for i := 4; i <= 6; i++ { // all of them begin before one has failed
		n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i))
	}
	require.NoError(t, n.settle(t.Context()))
	s := n.state(id)
	require.Equal(t, workflow.StatusActive, s.Status, "%v", s.Escalation)
	require.Equal(t, workflow.Version{Major: 1, Minor: 1}, s.Active)
	require.Empty(t, s.Queue)
	require.ElementsMatch(t, ordersOf(2, 1, 2, 3, 4, 5, 6), n.outside.written())
}

// Rule 22: an input that failed before a person's save is carried out on what they saved.
func TestRule22AnInputGoesOnWithWhatAPersonSaves(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	n.outside.answer("/price", 200, `{"total":3}`)
	id := n.create(pricedOrder, workflow.Settings{AutoFix: workflow.ModeOff})
	for i := 1; i <= 2; i++ {
		n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i))
		require.NoError(t, n.settle(t.Context()))
	}
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	_, err := n.commands.SaveScript(t.Context(), id, workflow.SaveScript{
		ScriptID: "s2", Code: n.outside.local(strings.ReplaceAll(pricedOrder, "price.amount", "price.total")), Comment: "total", Origin: workflow.OriginPerson,
	}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, ordersOf(3, 1, 2), n.outside.written())
	require.Empty(t, n.state(id).Queue)
}

// Rule 22: the process may die after any append of a failure, a requeue or a drain: no input is lost, and none is carried out twice.
func TestCrashAfterAnyAppendOfAQueueThatIsDrained(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	for survived := int64(0); ; survived++ {
		w := &world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: shared.clock, pool: shared.pool}
		n := w.open(nil)
		id := n.create(pricedOrder, workflow.Settings{MaxActive: 2, AutoFix: workflow.ModeOff, IdempotentHosts: []string{w.outside.host()}})
		w.outside.answer("/price", 401, `{}`)
		for i := 1; i <= 3; i++ {
			n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i))
		}
		n.close()

		ctx, die := context.WithCancel(t.Context())
		var doomed *mortal
		n = w.open(func(log eventlog.Log) eventlog.Log {
			doomed = &mortal{Log: log, die: die}
			doomed.left.Store(survived)
			return doomed
		}).inputs()
		carryOut := func(ctx context.Context) {
			_ = n.settle(ctx) // refused
			w.outside.answer("/price", 200, `{"amount":2}`)
			_, _ = n.commands.ActivateWorkflow(ctx, id, workflow.Activate{}, person())
			_ = n.settle(ctx)
		}
		carryOut(ctx)
		died := doomed.left.Load() < 0
		n.close()
		die()

		n = w.open(nil).inputs()
		carryOut(t.Context())
		carryOut(t.Context())
		s := n.state(id)
		require.Empty(t, s.Queue, "after %d appends", survived)
		require.Empty(t, s.Admitted)
		made := map[string]string{}
		w.outside.mu.Lock()
		for i, key := range w.outside.keys { // a host that tells repeats by their key does each once
			made[key] = w.outside.bodies[i]
		}
		w.outside.mu.Unlock()
		var once []string
		for _, body := range made {
			once = append(once, body)
		}
		require.ElementsMatch(t, ordersOf(2, 1, 2, 3), once, "after %d appends", survived)
		n.close()
		if !died {
			require.Greater(t, survived, int64(10))
			return
		}
	}
}

// Rule 22: one event of a kind that the script does not know, or that its types refuse, takes no webhook workflow down.
func TestRule22AnEventOfANewKindWaitsAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	const script = `async function main(input: { type: string; order: { id: number } }) {
		const id = input.order.id + 0;
		await web.postJSON("BASE/order", { id });
		await kv.set("last", id);
	}`
	id := n.create(script, workflow.Settings{})
	paid := func(i int) {
		n.send(id, fmt.Sprint("p", i), fmt.Sprintf(`{"type":"paid","order":{"id":%d}}`, i))
		require.NoError(t, n.settle(t.Context()))
	}
	paid(1)
	paid(2)
	n.send(id, "refund", `{"type":"refunded","refund":{"id":7}}`)
	require.NoError(t, n.settle(t.Context()))
	paid(3)
	n.send(id, "shape", `{"type":"paid","order":null}`)
	require.NoError(t, n.settle(t.Context()))
	paid(4)
	s := n.state(id)
	require.Equal(t, workflow.StatusActive, s.Status, "%v", s.Escalation)
	require.Equal(t, []string{`{"id":1}`, `{"id":2}`, `{"id":3}`, `{"id":4}`}, n.outside.written())
	require.Len(t, s.Queue, 2)
	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id, Open: true})
	require.NoError(t, err)
	require.Len(t, told, 1, "once")
	require.Contains(t, told[0].Text, `of the kind "refunded"`)

	_, err = n.commands.SaveScript(t.Context(), id, workflow.SaveScript{
		ScriptID: "s2", Code: n.outside.local(`async function main(input) { await web.postJSON("BASE/order", { id: (input.order ?? input.refund ?? { id: 0 }).id }); }`), Comment: "refunds", Origin: workflow.OriginPerson,
	}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, []string{`{"id":7}`, `{"id":0}`}, n.outside.written()[4:])
	require.Empty(t, n.state(id).Queue)
}

// Rule 23: a workflow that was handed over is tried without writing at its slots, and by the clock; when it works again it goes on by
// itself, with what waited, and says so.
func TestRule23AnEscalatedWorkflowGoesOnWhenItWorksAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	n.outside.answer("/price", 200, `{"amount":0}`)
	id := n.create(pricedOrder, workflow.Settings{AutoFix: workflow.ModeOff})
	for i := 1; i <= 2; i++ {
		n.send(id, fmt.Sprint(i), fmt.Sprintf(`{"n":%d}`, i))
		require.NoError(t, n.settle(t.Context()))
	}
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	n.clock.advance(11 * time.Minute) // it still fails
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	n.outside.answer("/price", 200, `{"amount":2}`)
	n.clock.advance(11 * time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.Equal(t, ordersOf(2, 1, 2), n.outside.written(), "each once: the rehearsals wrote nothing")
	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id, Open: true})
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Equal(t, "It works again as it was, and goes on", told[0].Title)
}

// Rule 23: a slot is not skipped when the workflow works again by then.
func TestRule23ASlotOfAWorkflowThatWorksAgainIsRun(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.reactions = append(n.reactions, execution.NewScheduler(n.commands, n.clock.now).Rehearses(n.reactions[0].(*execution.Executor)))
	n.outside.answer("/price", 200, `{"amount":0}`)
	id := n.create(strings.ReplaceAll(pricedOrder, "input.n", "1"), workflow.Settings{AutoFix: workflow.ModeOff})
	_, err := n.commands.ChangeSchedule(t.Context(), id, workflow.ChangeSchedule{Spec: "every 1m"}, person())
	require.NoError(t, err)
	slot := func() {
		n.clock.advance(time.Minute)
		require.NoError(t, n.settle(t.Context()))
	}
	slot()
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	slot()
	var skipped []string
	for one, err := range n.commands.History(t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(t, err)
		if e, is := one.Event.(workflow.SlotSkipped); is {
			skipped = append(skipped, e.Reason)
		}
	}
	require.NotEmpty(t, skipped)
	require.Contains(t, skipped[len(skipped)-1], "was handed to you")
	require.Contains(t, skipped[len(skipped)-1], "it was tried without writing, and does not work yet")
	require.Empty(t, n.outside.written())
	n.outside.answer("/price", 200, `{"amount":2}`)
	slot()
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.NotEmpty(t, n.outside.written())
}
