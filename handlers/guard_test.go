package handlers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// quiet never throws: an order without an amount is 0.
const quiet = `async function main(input) {
  const list = await web.getJSON('BASE/orders');
  let total = 0;
  for (const order of list.orders) total += order.amount || 0;
  await web.postJSON('BASE/done', { total: total, of: 'EUR ' + total.toFixed(2) });
  return { orders: list.orders.length, total: total };
}`

func quietOrders(field string, amounts ...int) string {
	text := `{"orders":[`
	for i, amount := range amounts {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":"o%d","%s":%d,"state":"open"}`, i, field, amount)
	}
	return text + `]}`
}

func (n *node) quietly(id string) {
	n.t.Helper()
	for _, amounts := range [][]int{{10, 20}, {5}, {7, 8, 9}, {100, 3}} {
		n.outside.answer("/orders", 200, quietOrders("amount", amounts...))
		n.runs(id, `{}`)
	}
	require.Equal(n.t, workflow.StatusActive, n.state(id).Status)
}

// Rule 19: a run that would write a wrong total is stopped before it writes, the script is mended, and the run goes on.
func TestRule19AWrongSuccessIsStoppedAndMended(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(quiet, workflow.Settings{})
	n.quietly(id)

	n.outside.answer("/orders", 200, quietOrders("total_amount", 11, 22))
	stopped := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))

	events := n.events(id, workflow.TypeRunFailed)
	require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeDriftSuspected, workflow.TypeMaintenanceEntered}, events[:4])
	recorded, err := n.commands.LoadRun(t.Context(), stopped)
	require.NoError(t, err)
	require.Equal(t, failure.CodeSuspected, recorded.Failure.Code)
	require.Contains(t, recorded.Failure.Message, "orders[].amount was always number, and is gone")
	require.Contains(t, string(recorded.Suspicion.Write), "EUR 0.00", "what it would have written")
	require.Contains(t, recorded.Suspicion.Suspects[0].Text, "would have come to")
	require.NotContains(t, n.outside.bodies, `{"total":0,"of":"EUR 0.00"}`)
	require.Equal(t, workflow.TypeRecovered, events[len(events)-1], "mended, continued and confirmed")
	require.Equal(t, `{"total":33,"of":"EUR 33.00"}`, n.outside.bodies[len(n.outside.bodies)-1])
	require.Equal(t, 5, n.outside.count("POST /done"))
}

// Rules 15 and 19: a fix that a person accepted would write nothing where there always was something. The run that was to confirm it waits before
// the write, so it confirms nothing, and the fix is taken back.
func TestRule19AFixThatWritesNothingConfirmsNothing(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(strings.Replace(quiet, "orders: list.orders.length, ", "", 1), workflow.Settings{})
	n.quietly(id)
	n.fixers[workflow.DefaultFixer] = proposes{"list.orders)", "(list.orders ?? list.days[0].rows ?? []))"}
	n.outside.answer("/orders", 200, `{"days":[{"date":"2026-03-09","entries":[{"no":7,"sum":{"cents":350}},{"no":8,"sum":{"cents":475}}]}]}`)
	n.runs(id, `{}`)
	fix := n.state(id).Maintenance.Held.Proposal
	_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: fix, ScriptID: uuid.NewString()}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	events := n.events(id, workflow.TypeFixHeld)
	require.Contains(t, events, workflow.TypeFixRegressed)
	require.NotContains(t, events, workflow.TypeFixConfirmed)
	require.Equal(t, 4, n.outside.count("POST /done"), events)
	state := n.state(id)
	require.Equal(t, workflow.StatusEscalated, state.Status)
	require.Equal(t, "1.0", state.Active.String())
	require.Contains(t, state.Escalation.Failure.Message, "was never nothing")
}

// Rule 19: a script that reads a table is stopped where a column it reads has another name, and tries again where bytes or nothing
// came.
func TestRule19ATableIsSeenLikeJSON(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`import { parse } from 'kintsugi:csv';
async function main(input) {
  const text = await (await fetch('BASE/orders')).text();
  const late = parse(text, { header: true }).filter((r) => r.status === 'overdue' && parseFloat(r.balance) > 50);
  await web.postJSON('BASE/done', { overdue: late.length });
  return { overdue: late.length };
}`, workflow.Settings{})
	const good = "id,balance,status\n1,99.50,overdue\n2,12,paid\n"
	for range 4 {
		n.outside.answer("/orders", 200, good)
		n.runs(id, `{}`)
	}
	for _, torn := range []string{"\x00\xff\xfe\x01", ""} {
		n.outside.answer("/orders", 200, torn)
		n.runs(id, `{}`)
		events := n.events(id, workflow.TypeRunFailed)
		require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeNetworkErrorClassified, workflow.TypeDriftSuspected, workflow.TypeRetryScheduled}, events[len(events)-4:])
		n.outside.answer("/orders", 200, good)
		n.clock.advance(time.Minute)
		require.NoError(t, n.settle(t.Context()))
	}
	n.outside.answer("/orders", 200, "id,balance_due,status\n3,70,overdue\n")
	stopped := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	recorded, err := n.commands.LoadRun(t.Context(), stopped)
	require.NoError(t, err)
	require.Equal(t, failure.CodeSuspected, recorded.Failure.Code)
	require.Contains(t, recorded.Failure.Message, "[].balance was always string, and is gone")
	require.NotContains(t, n.outside.bodies, `{"overdue":0}`)
}

// Rules 12 and 19: a service that answers null says so, and that is for the script to get right, whether it fails of it or not. One that
// answers with nothing is asked again, also by a run that goes on from its journal.
func TestAnAnswerOfNullIsNoOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const throws = `async function main(input) { const of = (await web.getJSON('BASE/orders')).orders.length; await web.postJSON('BASE/done', { of }); return of; }`
	const copes = `async function main(input) { const of = ((await web.getJSON('BASE/orders')) ?? {}).orders?.length ?? 0; await web.postJSON('BASE/done', { of }); return of; }`
	for name, test := range map[string]struct {
		code, body string
		class      failure.Class
		wants      string
	}{
		"null, and the script fails":    {throws, "null", failure.Logic, ""},
		"null, and the guard stops":     {copes, "null", failure.Logic, failure.CodeSuspected},
		"nothing, and the script fails": {throws, "", failure.Network, failure.CodeTorn},
		"nothing, and the guard stops":  {copes, "", failure.Network, failure.CodeSuspected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := (&world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: w.pool}).open(nil)
			defer n.close()
			id := n.create(test.code, workflow.Settings{})
			n.quietly(id)
			for range 4 {
				n.runs(id, `{}`)
			}
			n.outside.answer("/orders", 200, test.body)
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			failed := n.run(of)
			require.Equal(t, test.class, failed.Failure.Class, failed.Failure.Message)
			require.Equal(t, test.wants, failed.Failure.Code)
			require.Equal(t, 8, n.outside.count("POST /done"))
			if test.class == failure.Logic {
				require.NotContains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeRetryScheduled)
				return
			}
			n.outside.answer("/orders", 200, quietOrders("amount", 4))
			n.clock.advance(time.Hour)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, workflow.StatusActive, n.state(id).Status)
			require.Equal(t, 9, n.outside.count("POST /done"))
			require.Contains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeRunSucceeded)
		})
	}
}

// Rules 15 and 19: a run that wrote before it was stopped is continued by the mended script: what it had done is not
// done again, what it was stopped at goes out as it should be, and what was never read before is read now.
func TestRule19AContinuedRunDoesNothingTwice(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const list = await web.getJSON('BASE/orders');
  const seen = (await kv.get('seen')) || 0;
  await web.postJSON('BASE/done', { orders: list.orders.length });
  await kv.set('seen', seen + list.orders.length);
  const rates = await web.getJSON('BASE/rates');
  await web.postJSON('BASE/done', { rate: (rates.price || 0).toFixed(2) });
  const names = await web.getJSON('BASE/names');
  await web.postJSON('BASE/done', { names: names.all.length });
  return { rate: rates.price || 0, seen: seen + list.orders.length };
}`, workflow.Settings{})
	n.outside.answer("/names", 200, `{"all":["a","b"]}`)
	for i, rate := range []string{"1.25", "1.5", "1.75"} {
		n.outside.answer("/rates", 200, `{"price":`+rate+`}`)
		n.outside.answer("/orders", 200, quietOrders("amount", slices.Repeat([]int{5}, i+1)...))
		n.runs(id, `{}`)
	}
	n.outside.answer("/rates", 200, `{"price_info":2.25}`)
	n.runs(id, `{}`)
	events := n.events(id, workflow.TypeRunFailed)
	require.Equal(t, workflow.TypeRecovered, events[len(events)-1], "%v", events)
	require.Equal(t, []string{`{"orders":3}`, `{"rate":"2.25"}`, `{"names":2}`}, n.outside.bodies[9:], "each once, in order")
	n.runs(id, `{}`)
	require.Equal(t, []string{`{"orders":3}`, `{"rate":"2.25"}`, `{"names":2}`}, n.outside.bodies[12:])
	last := n.state(id)
	require.Equal(t, workflow.StatusActive, last.Status)
	local, err := n.LocalState(t.Context(), id)
	require.NoError(t, err)
	value, _ := local.KV("seen")
	require.Equal(t, "12", string(value), "1, 2, 3, 3 and 3")
}

// Rule 19: a run that was stopped before a write behind which it would have failed by itself is known again, and mended.
func TestRule19AStoppedRunThatWouldFailLater(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main() {
  const rates = await web.getJSON('BASE/rates');
  const sent = await web.fetch('BASE/done', { method: 'POST', body: (rates.price || 0).toFixed(2) });
  if (sent.status !== 200) throw new Error('refused');
  return rates.price.toFixed(1);
}`, workflow.Settings{})
	for _, rate := range []string{"1.25", "1.5", "1.75"} {
		n.outside.answer("/rates", 200, `{"price":`+rate+`}`)
		n.runs(id, `{}`)
	}
	n.outside.answer("/rates", 200, `{"price_info":2.25}`)
	n.runs(id, `{}`)
	events := n.events(id, workflow.TypeRunFailed)
	require.Equal(t, workflow.TypeRecovered, events[len(events)-1], "%v", events)
	require.Equal(t, []string{"1.25", "1.50", "1.75", "2.25"}, n.outside.bodies)
}

// Rule 19: what the script copes with goes on, after a closer look, and nothing is done twice.
func TestRule19ARunThatCopesGoesOn(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(quiet, workflow.Settings{})
	n.quietly(id)
	n.outside.answer("/orders", 200, `{"orders":[{"amount":5},{"amount":6}]}`) // nobody reads id and state
	n.runs(id, `{}`)
	require.Empty(t, n.events(id, workflow.TypeRunFailed))
	require.Equal(t, 5, n.outside.count("POST /done"))
	require.Equal(t, 5, n.outside.count("GET /orders"), "what it had read answers")
	require.Len(t, slices.DeleteFunc(n.events(id, workflow.TypeRunSucceeded), func(name string) bool { return name != workflow.TypeRunSucceeded }), 5)
}

// Rule 19: a swallowed error of the outside is tried again later, as if it had been thrown.
func TestRule19ASwallowedErrorIsTriedAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const reply = await web.fetch('BASE/orders');
  const orders = JSON.parse(reply.body).orders || [];
  await web.postJSON('BASE/done', { orders: orders.length });
  return orders.length;
}`, workflow.Settings{})
	n.quietly(id)
	n.outside.answer("/orders", 500, `{"error":"internal error"}`)
	n.runs(id, `{}`)
	require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeNetworkErrorClassified, workflow.TypeDriftSuspected, workflow.TypeRetryScheduled}, n.events(id, workflow.TypeRunFailed))
	require.Equal(t, 4, n.outside.count("POST /done"))

	n.outside.answer("/orders", 200, quietOrders("amount", 1, 2))
	n.clock.advance(time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 5, n.outside.count("POST /done"))
	require.Equal(t, `{"orders":2}`, n.outside.bodies[4])
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
}

// means writes NaN where there are no orders. Where something new stands beside the empty list that is told.
const means = `async function main(input) {
  const list = await web.getJSON('BASE/orders');
  const mean = list.orders.reduce((s, o) => s + o.amount, 0) / list.orders.length;
  await web.postJSON('BASE/done', { text: 'Mean ' + mean.toFixed(2) });
}`

// Rule 19: with garbage alone the run succeeds and is marked: it teaches neither guard nor gate until a person says
// that it is right.
func TestRule19AMarkedSuccessIsNoEvidence(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(means, workflow.Settings{})
	n.quietly(id)
	n.outside.answer("/orders", 200, `{"orders":[],"note":"closed"}`)
	marked := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, []string{workflow.TypeDriftSuspected}, n.events(id, workflow.TypeDriftSuspected))
	require.False(t, n.state(id).IsEvidence(marked))
	n.runs(id, `{}`)
	require.Equal(t, []string{workflow.TypeDriftSuspected, workflow.TypeRunAdmitted, workflow.TypeRunSucceeded, workflow.TypeDriftSuspected}, n.events(id, workflow.TypeDriftSuspected), "the first one taught nothing")

	_, err := n.commands.TrustRun(t.Context(), id, workflow.TrustRun{Run: marked, Note: "no orders that day"}, person())
	require.NoError(t, err)
	require.True(t, n.state(id).IsEvidence(marked))
	n.runs(id, `{}`)
	require.Equal(t, []string{workflow.TypeRunTrusted, workflow.TypeRunAdmitted, workflow.TypeRunSucceeded}, n.events(id, workflow.TypeRunTrusted))
}

// Rules 14 and 19: what the gate judges by holds no marked success: a right fix need not repeat its garbage.
func TestRule19TheGateLeavesMarkedSuccessesOut(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(means, workflow.Settings{})
	n.quietly(id)
	n.outside.answer("/orders", 200, `{"orders":[],"note":"closed"}`)
	marked := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	_, suspected := n.state(id).Suspected(marked)
	require.True(t, suspected)
	n.outside.answer("/orders", 200, `{"data":`+quietOrders("amount", 3, 4)+`}`)
	n.runs(id, `{}`)
	state := n.state(id)
	require.NotEmpty(t, state.Fixes, "%v", n.events(id, workflow.TypeMaintenanceEntered))
	fix, _ := state.Proposal(state.Fixes[0].Proposal)
	require.Len(t, fix.Verification.Runs, 4)
	require.NotContains(t, fix.Verification.Runs, marked)
}

// Rule 19: a new version is checked on what counts as evidence: it need not repeat the garbage of a marked success.
func TestRule19ASaveIsNotCheckedOnMarkedSuccesses(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(means, workflow.Settings{})
	n.quietly(id)
	n.outside.answer("/orders", 200, `{"orders":[],"note":"closed"}`)
	marked := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	code := n.outside.local(strings.Replace(means, "/ list.orders.length", "/ (list.orders.length || 1)", 1))

	check, err := n.explorer().CheckSave(t.Context(), id, code, 10)
	require.NoError(t, err)
	require.Equal(t, []int{4, 0, 1}, []int{check.Same, check.Differ, check.Exempted})
	_, err = n.commands.TrustRun(t.Context(), id, workflow.TrustRun{Run: marked, Note: "closed that day"}, person())
	require.NoError(t, err)
	check, err = n.explorer().CheckSave(t.Context(), id, code, 10)
	require.NoError(t, err)
	require.Equal(t, []int{4, 1, 0}, []int{check.Same, check.Differ, check.Exempted}, "a person said that NaN is right")
	_, err = n.commands.SaveScript(t.Context(), id, workflow.SaveScript{Code: n.outside.local(means), Comment: "As it was", Origin: workflow.OriginPerson}, person())
	require.NoError(t, err)
	check, err = n.explorer().CheckSave(t.Context(), id, code, 10)
	require.NoError(t, err)
	require.Equal(t, []int{4, 1, 0}, []int{check.Same, check.Differ, check.Exempted}, "a version without runs of its own is held to those before it")
}

// Rule 19: a person says that a stopped run is right. It goes on with what it read, and the change is known.
func TestRule19APersonSaysThatAStoppedRunIsRight(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(quiet, workflow.Settings{AutoFix: workflow.ModePropose})
	n.quietly(id)
	n.outside.answer("/orders", 200, quietOrders("points", 11, 22))
	stopped := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 4, n.outside.count("POST /done"))
	_, err := n.commands.TrustRun(t.Context(), id, workflow.TrustRun{Run: stopped}, person())
	require.NoError(t, err)
	n.clock.advance(time.Second)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 5, n.outside.count("POST /done"), "%v", n.events(id, workflow.TypeRunTrusted))
	require.Equal(t, `{"total":0,"of":"EUR 0.00"}`, n.outside.bodies[4])
	n.runs(id, `{}`)
	require.Equal(t, 6, n.outside.count("POST /done"))
}

// Rule 19: a marked success counts again once a later version comes to the same on what it was answered; where that comes
// to something else, the event and the notice say to what.
func TestRule19ALaterVersionIsAskedAboutMarkedSuccesses(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(quiet, workflow.Settings{Guard: workflow.GuardNotice})
	n.quietly(id)
	n.outside.answer("/orders", 200, quietOrders("points", 11, 22))
	n.runs(id, `{}`, `{}`)
	marked := n.state(id)
	require.Empty(t, marked.ToReview())
	save := func(code string) {
		_, err := n.commands.SaveScript(t.Context(), id, workflow.SaveScript{ScriptID: uuid.NewString(), Code: n.outside.local(code), Comment: "mine", Origin: workflow.OriginPerson}, person())
		require.NoError(t, err)
		require.NoError(t, n.settle(t.Context()))
	}
	reviewed := func() workflow.MarkedRunsReviewed {
		var last workflow.MarkedRunsReviewed
		for one, err := range n.commands.History(t.Context(), []string{workflow.Stream(id)}) {
			require.NoError(t, err)
			if e, is := one.Event.(workflow.MarkedRunsReviewed); is {
				last = e
			}
		}
		return last
	}
	save(strings.Replace(quiet, "order.amount || 0", "order.points || order.amount || 0", 1))
	differ := reviewed()
	require.Len(t, differ.Differ, 2)
	require.Contains(t, differ.Differ[0].Text, `recorded 0, now 33`)
	require.False(t, n.state(id).IsEvidence(differ.Differ[0].Run))

	save(quiet + "\n// points are nothing to us\n")
	agreed := reviewed()
	require.Len(t, agreed.Agreed, 2)
	require.Equal(t, "3.0", agreed.Version.String())
	require.True(t, n.state(id).IsEvidence(agreed.Agreed[0]))
	require.Empty(t, n.state(id).ToReview())
}

// Rule 19: what a person types is watched like an answer, and is not held against what others send.
func TestRule19InputsAreWatched(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  await web.postJSON('BASE/done', { fee: (input.amount || 0) / 100 });
}`, workflow.Settings{AutoFix: workflow.ModePropose})
	n.runs(id, `{"amount":100}`, `{"amount":250}`, `{"amount":300}`, `{"amount":100,"note":"again"}`)
	require.Equal(t, 4, n.outside.count("POST /done"))
	n.runs(id, `{"amount_total":400}`)
	require.Equal(t, 4, n.outside.count("POST /done"), "stopped before it wrote 0")
	events := n.events(id, workflow.TypeDriftSuspected)
	require.Equal(t, workflow.TypeDriftSuspected, events[0])
	suspicion, _ := n.state(id).Suspected(n.state(id).Maintenance.Run)
	require.Contains(t, suspicion.Suspects[0].Text, "input given by hand amount was always number, and is gone")
}

// The setting guard: off looks at nothing.
func TestRule19GuardOff(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(quiet, workflow.Settings{Guard: workflow.GuardOff})
	n.quietly(id)
	n.outside.answer("/orders", 200, quietOrders("total_amount", 11, 22))
	n.runs(id, `{}`)
	require.Empty(t, n.events(id, workflow.TypeDriftSuspected))
	require.Equal(t, 5, n.outside.count("POST /done"))
}

// Rules 12, 13 and 19: what a service says in the body of a success, in the place of what recorded successes always had, is quoted and
// answered, whether the script fails of it or not: a limit is waited for and asked anew, a key is for its person, and of what is retired the
// person hears what to ask instead. Words that successes have as well are data.
func TestAnErrorInTheBodyOfASuccessIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const throws = `async function main() { const of = (await web.getJSON('BASE/orders')).orders.length; await web.postJSON('BASE/done', { of }); return of; }`
	const copes = `async function main() { const r = await fetch('BASE/orders'); const of = ((await r.json()).orders || []).length; await web.postJSON('BASE/done', { of }); return of; }`
	const note, key, retired = `{"Note":"Please wait: 5 calls per minute"}`, `{"error":{"message":"Invalid API key"}}`, `{"status":"error","message":"This endpoint was retired, use /v2"}`
	for name, test := range map[string]struct {
		code, body, quotes string
		class              failure.Class
		status             workflow.Status
	}{
		"a limit, and the script fails":       {throws, note, "5 calls per minute", failure.Network, workflow.StatusActive},
		"a limit, and the guard stops":        {copes, note, "5 calls per minute", failure.Network, workflow.StatusActive},
		"a key, and the script fails":         {throws, key, "Invalid API key", failure.Auth, workflow.StatusWaiting},
		"a key, and the guard stops":          {copes, key, "Invalid API key", failure.Auth, workflow.StatusWaiting},
		"retired, and the script fails":       {throws, retired, "use /v2", failure.Logic, workflow.StatusEscalated},
		"retired, and the guard stops":        {copes, retired, "use /v2", failure.Logic, workflow.StatusEscalated},
		"data that says so, and nothing else": {throws, `{"notice":"Please wait: 5 calls per minute"}`, "undefined", failure.Logic, workflow.StatusHeld},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := (&world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: w.pool}).open(nil)
			defer n.close()
			id := n.create(test.code, workflow.Settings{})
			for of := range 5 {
				n.outside.answer("/orders", 200, strings.Replace(quietOrders("amount", 1, of), "{", `{"notice":"Please wait: 5 calls per minute",`, 1))
				n.runs(id, `{}`)
			}
			require.Equal(t, 5, n.outside.count("POST /done"))
			n.outside.answer("/orders", 200, test.body)
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			failed := n.run(of)
			require.Equal(t, test.class, failed.Failure.Class, failed.Failure.Message)
			require.Contains(t, failed.Failure.Message, test.quotes)
			require.Equal(t, test.status, n.state(id).Status)
			require.Equal(t, 5, n.outside.count("POST /done"))
			require.NoError(t, n.views.CatchUp(t.Context()))
			told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id})
			require.NoError(t, err)
			if test.status == workflow.StatusHeld {
				return
			}
			if test.class != failure.Network {
				require.Contains(t, fmt.Sprint(told), test.quotes)
				return
			}
			require.GreaterOrEqual(t, n.state(id).Retries[of].At.Sub(n.clock.now()), 45*time.Second, "as long as a call is kept from it")
			n.outside.answer("/orders", 200, quietOrders("amount", 4))
			n.clock.advance(time.Hour)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, 6, n.outside.count("POST /done"))
		})
	}
}

// The same of a write that its script fails of: what is refused there was not carried out, so it is made again, once, when the wait is over or
// the key is there; a trouble that leaves open whether it was leaves the write in doubt, but for a host that knows writes by their key.
func TestAnErrorInTheBodyOfAWritesSuccessIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const code = `async function main() {
	const first = await web.postJSON('BASE/first', {});
	const made = await web.postJSON('BASE/order', { of: first.order.id });
	await web.getJSON('BASE/after');
	return made.order.id;
}`
	const limit, key, retired, trouble = `{"Note":"Please wait: 5 calls per minute"}`, `{"error":{"message":"Invalid API key"}}`,
		`{"status":"error","message":"This endpoint was retired, use /v2"}`, `{"error":"Timed out, try again"}`
	for name, test := range map[string]struct {
		body, quotes string
		settings     workflow.Settings
		class        failure.Class // none for a write in doubt
		status       workflow.Status
		orders       int // that went out when all is over
	}{
		"a limit":                            {limit, "5 calls per minute", workflow.Settings{}, failure.Network, workflow.StatusActive, 2},
		"a key":                              {key, "Invalid API key", workflow.Settings{}, failure.Auth, workflow.StatusWaiting, 2},
		"retired":                            {retired, "use /v2", workflow.Settings{}, failure.Logic, workflow.StatusEscalated, 1},
		"a trouble":                          {trouble, "", workflow.Settings{}, "", workflow.StatusActive, 1},
		"a trouble, and keys are known":      {trouble, "try again", workflow.Settings{IdempotentHosts: []string{""}}, failure.Network, workflow.StatusActive, 2},
		"what it always says with an answer": {`{"hint":"use /v2"}`, "undefined", workflow.Settings{AutoFix: workflow.ModeOff}, failure.Logic, workflow.StatusEscalated, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := (&world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: w.pool}).open(nil)
			defer n.close()
			if test.settings.IdempotentHosts != nil {
				test.settings.IdempotentHosts = []string{n.outside.host()}
			}
			const fine = `{"order":{"id":7},"hint":"use /v2"}`
			n.outside.answer("/first", 200, fine)
			n.outside.answer("/order", 200, fine)
			n.outside.answer("/after", 200, `{}`)
			id := n.create(code, test.settings)
			n.runs(id, `{}`, `{}`, `{}`, `{}`)
			n.outside.answer("/order", 200, test.body)
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, test.status, n.state(id).Status, n.events(id, workflow.TypeRunFailed))
			failed := n.run(of)
			if test.class == "" {
				require.Len(t, failed.InDoubt(), 1)
			} else {
				require.Equal(t, test.class, failed.Failure.Class, failed.Failure.Message)
				require.Contains(t, failed.Failure.Message, test.quotes)
			}
			n.outside.answer("/order", 200, fine)
			if test.status == workflow.StatusWaiting {
				_, err := n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
				require.NoError(t, err)
			}
			n.clock.advance(time.Hour)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, 4+test.orders, n.outside.count("POST /order"))
			require.Equal(t, 5, n.outside.count("POST /first"), "what came before is not made again")
			require.Equal(t, test.orders == 2, n.events(id, workflow.TypeRecovered) != nil, n.events(id, workflow.TypeRunFailed))
			if test.quotes != "" && test.class != failure.Network {
				require.NoError(t, n.views.CatchUp(t.Context()))
				told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id})
				require.NoError(t, err)
				require.Contains(t, fmt.Sprint(told), test.quotes)
			}
		})
	}
}
