package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// orders posts each order before it reads the list that changes: what was posted must
// never be posted again.
const orders = `async function main(input) {
  await web.postJSON('BASE/started', { day: input.day });
  const list = await web.getJSON('BASE/orders');
  let total = 0;
  for (const order of list.orders) {
    total += order.amount_total.value;
  }
  await files.write('orders/' + input.day + '.txt', list.orders.length + ' orders, ' + total.toFixed(2) + '\n');
  await web.postJSON('BASE/done', { day: input.day, total: total });
  return { orders: list.orders.length, total: total };
}`

// rated goes on to ask for more behind the place where orders fails, so that a fix of it has to be rehearsed.
var rated = strings.Replace(orders, "  await files.write(", "  total *= (await web.getJSON('BASE/rate')).value;\n  await files.write(", 1)

// readsTotal is the right fix of a day on which amount_total is total_amount.
var readsTotal = proposes{"order.amount_total", "(order.amount_total ?? order.total_amount)"}

func oldOrders(amounts ...int) string { return ordersAs("amount_total", amounts...) }

func ordersAs(field string, amounts ...int) string {
	text := `{"orders":[`
	for i, amount := range amounts {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"id":"o%d","%s":{"value":%d,"currency":"EUR"},"state":"open"}`, i, field, amount)
	}
	return text + `]}`
}

// succeed gives a workflow some recorded successes on the old shape.
func (n *node) succeed(id string) {
	n.t.Helper()
	for i, amounts := range [][]int{{10, 20}, {5}, {7, 8, 9}, {100, 3}} {
		n.outside.answer("/orders", 200, oldOrders(amounts...))
		n.runs(id, fmt.Sprintf(`{"day":"2026-03-0%d"}`, i+1))
	}
	require.Equal(n.t, workflow.StatusActive, n.state(id).Status)
}

var wholeRepair = []string{
	workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeMaintenanceEntered,
	workflow.TypeFixProposed, workflow.TypeFixVerified,
	workflow.TypeFixApplied, workflow.TypeScriptSaved, workflow.TypeMaintenanceExited,
	workflow.TypeRunAdmitted, workflow.TypeRunSucceeded, workflow.TypeFixConfirmed, workflow.TypeRecovered,
}

// The main job: a renamed field breaks the script, a template mends it, the gate proves it
// on every success, the failed run goes on and confirms it. No write is made twice.
func TestLogicErrorIsMendedProvedAndContinued(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)

	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	failed := n.admit(id, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))

	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	state := n.state(id)
	require.Equal(t, "1.1", state.Active.String())
	require.Equal(t, workflow.StatusActive, state.Status)
	require.Equal(t, 5, n.outside.count("POST /started"), "4 successes and one failed run: the continuation does not post again")
	require.Equal(t, 5, n.outside.count("POST /done"))
	require.NotContains(t, n.outside.keys, "", "every write carries its idempotency key")

	continued := commands.DerivedID(failed, "continuation", "1.1")
	recorded, err := n.commands.LoadRun(t.Context(), continued)
	require.NoError(t, err)
	require.JSONEq(t, `{"orders":2,"total":33}`, string(recorded.Output))
	require.Equal(t, failed, recorded.Calls[0].From, "what was journaled answers")
	require.Empty(t, recorded.Calls[len(recorded.Calls)-1].From, "what comes later is live")
	first, err := n.commands.LoadRun(t.Context(), failed)
	require.NoError(t, err)
	require.Equal(t, first.Clock, recorded.Clock)
	require.Equal(t, first.Seed, recorded.Seed)
}

// A script that looks into the answers of its writes is mended without a person, too: what recorded writes of the kind were
// answered is assumed, and that is kept with the verdict.
func TestAScriptThatChecksItsWritesIsMended(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	n.outside.answer("/books", 201, `{"id":"b-17"}`)
	id := n.create(`export default async function main(input) {
  const list = await (await fetch('BASE/orders')).json();
  const total = list.orders.reduce((sum, order) => sum + order.amount_total.value, 0);
  const posted = await fetch('BASE/books', { method: 'POST', body: JSON.stringify({ day: input.day, total }) });
  if (!posted.ok) throw new Error('books: ' + posted.status);
  return { id: (await posted.json()).id, total };
}`, workflow.Settings{})
	n.succeed(id)

	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.admit(id, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))

	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	require.Equal(t, 5, n.outside.count("POST /books"))
	state := n.state(id)
	fixed, found := state.Script(state.Active)
	require.True(t, found)
	proposal, found := state.Proposal(fixed.Proposal)
	require.True(t, found)
	require.Equal(t, []string{"assumed: that web.fetch POST " + n.outside.host() + "/books is answered as in 4 recorded runs"}, proposal.Verification.Assumed)
}

// Rule 10: a maintainer without a fix escalates with its explanation.
func TestUnfixableEscalates(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	id := n.create(`async function main() {
  const list = await web.getJSON('BASE/orders');
  if (list.version > 1) throw new Error('orders of version ' + list.version + ' are not known');
  await kv.set('count', list.orders.length);
  return list.orders.length;
}`, workflow.Settings{})
	for _, orders := range []string{"1,2", "1", "1,2,3"} {
		n.outside.answer("/orders", 200, `{"version":1,"orders":[`+orders+`]}`)
		n.runs(id, `{}`)
	}
	n.outside.answer("/orders", 200, `{"version":2,"orders":[1]}`)
	n.runs(id, `{}`)
	state := n.state(id)
	require.Equal(t, workflow.StatusEscalated, state.Status)
	require.Equal(t, workflow.EscalatedUnfixable, state.Escalation.Reason)
	require.NotEmpty(t, state.Escalation.Explanation)
	require.Equal(t, "1.0", state.Active.String())
}

// Rule 9: a fix that the planner overtook is recorded, never applied, never escalated.
func TestOvertakenFixIsStale(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	n.fixers[workflow.DefaultFixer] = savesFirst{n.fixers[workflow.DefaultFixer], func(ctx context.Context) error {
		_, err := n.commands.SaveScript(ctx, id, workflow.SaveScript{
			ScriptID: uuid.NewString(), Code: "async function main() { return 1 }", Comment: "new plan", Origin: workflow.OriginPlanner,
		}, commands.Meta{Actor: "planner:p1"})
		return err
	}}
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(t, "2.0", state.Active.String())
	require.Equal(t, workflow.StatusActive, state.Status)
	require.Contains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeFixRejectedStale)
	require.NotContains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeEscalated)
}

type savesFirst struct {
	repair.Fixer
	save func(context.Context) error
}

func (f savesFirst) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	explanation, err := f.Fixer.Propose(ctx, evidence, judge)
	return explanation, errors.Join(err, f.save(ctx))
}

// Section 8: what works again in rehearsal needs no repair and spends no budget; the retry
// reads afresh and writes nothing twice.
func TestFailureThatWorksNowIsNotRepaired(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	n.outside.answer("/orders", 200, `{"maintenance":true}`)
	var once atomic.Bool
	n.outside.mu.Lock()
	n.outside.before = func(path string) {
		if path == "/orders" && once.Swap(true) {
			return
		}
	}
	n.outside.mu.Unlock()
	n.admit(id, `{"day":"2026-03-09"}`)
	n.outside.mu.Lock()
	n.outside.before = func(path string) {
		if path == "/orders" { // the answer under way is the broken one, the next is whole
			n.outside.mu.Lock()
			n.outside.answers["/orders"] = oldOrders(4, 4)
			n.outside.mu.Unlock()
		}
	}
	n.outside.mu.Unlock()
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, []string{
		workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeNotReproduced, workflow.TypeRetryScheduled,
	}, n.events(id, workflow.TypeRunFailed))
	n.clock.advance(time.Minute)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, workflow.StatusActive, state.Status)
	require.Zero(t, state.FixCount)
	require.Empty(t, state.Retries)
	require.Equal(t, 5, n.outside.count("POST /started"))
	require.Equal(t, 5, n.outside.count("POST /done"))
}

// Rule 12 and 15: a network error is tried again as a continuation, with the same
// idempotency keys, until it recovers.
func TestNetworkErrorIsRetriedAsContinuation(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.outside.answer("/orders", 200, oldOrders(1, 2))
	n.outside.answer("/done", 503, `{}`)
	n.runs(id, `{"day":"2026-03-01"}`)
	require.Len(t, n.state(id).Retries, 1)
	n.clock.advance(time.Minute)
	n.outside.answer("/done", 200, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, n.state(id).Retries)
	require.Equal(t, workflow.TypeRecovered, last(n.events(id, workflow.TypeRunFailed)))
	require.Equal(t, 1, n.outside.count("POST /started"), "answered by the journal")
	require.Equal(t, 1, n.outside.count("GET /orders"), "answered by the journal")
	require.Equal(t, 2, n.outside.count("POST /done"), "made again, because it was refused")
	require.Equal(t, n.outside.keys[1], n.outside.keys[2], "the same write carries the same key")
}

// Rule 15: a chain of runs keeps what its first run did, also when a run in between failed
// before it came to repeat it.
func TestChainKeepsWhatAnyOfItsRunsDid(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const rates = await web.getJSON('BASE/rates');
  await web.postJSON('BASE/started', {});
  const list = await web.getJSON('BASE/orders');
  return list.orders.map((order) => order.id + rates.eur);
}`, workflow.Settings{})
	n.outside.answer("/rates", 200, `{"eur":1}`)
	n.outside.answer("/orders", 200, `{}`)
	asked := 0
	n.outside.mu.Lock()
	n.outside.before = func(path string) { // after an answer was chosen: this is for the next one
		n.outside.mu.Lock()
		defer n.outside.mu.Unlock()
		switch path {
		case "/orders": // broken once, so that the rehearsal works and a retry reads afresh
			n.outside.answers[path] = `{"orders":[]}`
		case "/rates": // the third is the first retry, which fails before it comes to the write
			asked++
			n.outside.status[path] = map[bool]int{true: 503, false: 200}[asked == 2]
		}
	}
	n.outside.mu.Unlock()
	n.runs(id, `{}`)
	for range 2 { // the first retry fails before it comes to the write
		n.clock.advance(time.Hour)
		require.NoError(t, n.settle(t.Context()))
	}
	require.Equal(t, workflow.TypeRecovered, last(n.events(id, workflow.TypeRunFailed)), n.events(id, workflow.TypeRunFailed))
	require.Equal(t, 1, n.outside.count("POST /started"))
}

// Rule 12: auth tells the person and waits; nothing is repaired.
func TestAuthErrorWaits(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.outside.answer("/orders", 401, `{}`)
	n.runs(id, `{"day":"2026-03-01"}`)
	require.Equal(t, workflow.StatusWaiting, n.state(id).Status)
	require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeAuthErrorClassified}, n.events(id, workflow.TypeRunFailed))
}

// lastFailed is the run that failed last.
func (n *node) lastFailed(id string) string {
	n.t.Helper()
	of := ""
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		if failed, ok := one.Event.(workflow.RunFailed); ok {
			of = failed.Run
		}
	}
	return of
}

func last(names []string) string { return names[len(names)-1] }

// errCrashed is what everything gets after the process died.
var errCrashed = errors.New("the process was killed")

// mortal lets so many appends through, then the process is dead.
type mortal struct {
	eventlog.Log
	left atomic.Int64
	die  context.CancelFunc
}

func (m *mortal) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if m.left.Add(-1) < 0 {
		m.die()
		return eventlog.Appended{}, errCrashed
	}
	return m.Log.Append(ctx, stream, expected, events)
}

// Section 1: a crash between any two appends of a repair is mended by the next look. The next life comes to the same
// end from every last append, and no write goes out twice.
func TestCrashBetweenAnyTwoAppendsOfARepair(t *testing.T) {
	t.Parallel()
	for survived := int64(0); ; survived++ {
		died := t.Run(fmt.Sprintf("after %d appends", survived), func(t *testing.T) { crashAfter(t, survived) })
		require.True(t, died)
		if crashes.Load() <= survived { // a whole repair took fewer appends
			require.Greater(t, survived, int64(8))
			return
		}
	}
}

// crashes counts the lives that ended in a crash.
var crashes atomic.Int64

func crashAfter(t *testing.T, survived int64) {
	w := newWorld(t)
	n := w.open(nil)
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	w.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.admit(id, `{"day":"2026-03-09"}`)
	n.close()

	ctx, die := context.WithCancel(t.Context())
	var doomed *mortal
	n = w.open(func(log eventlog.Log) eventlog.Log {
		doomed = &mortal{Log: log, die: die}
		doomed.left.Store(survived)
		return doomed
	})
	_ = n.settle(ctx) // ends as a killed process does: in the middle
	if doomed.left.Load() < 0 {
		crashes.Add(1)
	}
	n.close()
	die()

	n = w.open(nil)
	defer n.close()
	require.NoError(t, n.settle(t.Context()))
	require.LessOrEqual(t, w.outside.count("POST /started"), 5)
	require.LessOrEqual(t, w.outside.count("POST /done"), 5)
	if n.resolve(id, run.ResolvedHappened) > 0 {
		// Killed while a write was out: nobody but a person can know whether it happened.
		require.NoError(t, n.settle(t.Context()))
		require.Equal(t, workflow.StatusActive, n.state(id).Status)
		require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
		require.Equal(t, "identical", n.threadOver(id))
		return
	}
	events := n.events(id, workflow.TypeRunFailed)
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	require.Equal(t, wholeRepair, events)
	require.Equal(t, "identical", n.threadOver(id))
	require.Equal(t, 5, w.outside.count("POST /started"))
	require.Equal(t, 5, w.outside.count("POST /done"))
}

// threadOver is the outcome of the thread of the newest maintainer task that is over: it is closed.
func (n *node) threadOver(id string) string {
	n.t.Helper()
	over := n.state(id).Over
	require.NotNil(n.t, over)
	talk, err := n.commands.LoadThread(context.Background(), over.Thread)
	require.NoError(n.t, err)
	require.True(n.t, talk.Closed)
	return talk.Outcome
}
