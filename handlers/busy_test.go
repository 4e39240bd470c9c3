package handlers_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// busyRunner counts executions of each script, and has no time for some of them.
type busyRunner struct {
	sandbox.Runner
	mu   sync.Mutex
	runs map[string]int
	busy func(code string) bool // nil for never

	begins func() // nil for nothing
}

func (r *busyRunner) Run(ctx context.Context, e sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	r.mu.Lock()
	r.runs[e.Code]++
	busy, begins := r.busy != nil && r.busy(e.Code), r.begins
	r.mu.Unlock()
	if begins != nil {
		begins()
	}
	if busy {
		return sandbox.Outcome{}, &sandbox.UnavailableError{Reason: "this machine was too busy to start the script"}
	}
	return r.Runner.Run(ctx, e, host)
}

func (r *busyRunner) when(busy func(code string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = busy
}

func (r *busyRunner) count(code string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[code]
}

// busy has scripts run where a test says when there is time for them.
func (w *world) busy() *busyRunner {
	r := &busyRunner{Runner: w.pool, runs: map[string]int{}}
	w.pool = r
	return r
}

// inTurn proposes candidates one after the other, each a replacement in the script.
type inTurn [][2]string

func (inTurn) Name() string { return "proposes" }

func (p inTurn) of(code string, i int) string { return strings.ReplaceAll(code, p[i][0], p[i][1]) }

func (p inTurn) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	for i := range p {
		if _, err := judge(ctx, repair.Candidate{Code: p.of(evidence.Code, i), Comment: "amounts", Fixer: "test", Template: "1", Score: 1}); err != nil {
			return "", err
		}
	}
	return "", nil
}

// A repair for which the machine has no time says nothing about the script: nobody is handed anything, people hear what it waits for, and it
// is taken up again as often as it takes, with what was judged before.
func TestARepairWaitsForAMachineThatHasNoTimeForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runner := w.busy()
	n := w.open(nil)
	defer n.close()
	proposed := inTurn{{"order.amount_total.value", "order.nothing.value"}, {"order.amount_total", "(order.amount_total ?? order.total_amount)"}}
	n.fixers[workflow.DefaultFixer] = proposed
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	script, _ := n.state(id).Script(n.state(id).Active)
	wrong, right := proposed.of(script.Code, 0), proposed.of(script.Code, 1)

	maintainer := n.reactions[2]
	n.reactions = n.reactions[:2]
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	runner.when(func(code string) bool { return code == right })
	look := func() { require.NoError(t, n.stalling(maintainer).Settle(t.Context())) }
	look()
	once := runner.count(wrong)
	require.Positive(t, once)
	task := n.state(id).Maintenance
	for range 4 {
		n.clock.advance(10 * time.Minute)
		look()
	}
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status)
	require.Equal(t, task, n.state(id).Maintenance)
	require.GreaterOrEqual(t, runner.count(right), 5, "each time")
	require.Equal(t, once, runner.count(wrong), "what was judged is kept")
	told := n.inbox(id)
	require.Len(t, told, 1)
	require.Contains(t, told[0].Text, "the repair is not finished: this machine was too busy to start the script. It is taken up again at")

	before := runner.count(right)
	look()
	require.Equal(t, before, runner.count(right), "it is not tried before its time")
	runner.when(nil)
	n.clock.advance(10 * time.Minute)
	look()
	n.reactions = append(n.reactions, maintainer)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	require.Equal(t, once, runner.count(wrong))
	for _, one := range n.inbox(id) {
		require.NotContains(t, one.Text, "is not finished", "what is over is not told any more")
	}
}

// all is how many executions there were.
func (r *busyRunner) all() (sum int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.runs {
		sum += n
	}
	return sum
}

// at has a reaction of these nodes do what is due, at the same time. As soon as all but one have nothing to do, until is closed.
func at(t *testing.T, nodes []*node, reaction int, until chan struct{}) {
	t.Helper()
	ended := make(chan error)
	for _, n := range nodes {
		go func() { ended <- n.stalling(n.reactions[reaction]).Settle(t.Context()) }()
	}
	for i := range nodes {
		if i == len(nodes)-1 {
			close(until)
		}
		require.NoError(t, <-ended)
	}
}

// Two nodes do not work on one task: the gate judges once, and one of them asks the model.
func TestTwoNodesDoNotWorkOnOneTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runner := w.busy()
	nodes := w.nodes(2)
	n := nodes[0]
	released := []chan struct{}{make(chan struct{}), make(chan struct{})}
	server := llmtest.Serve(t, fixCall(n.mendedTally(), "Amounts are texts").After(released[0]), fixCall(n.mendedTally(), "Amounts are texts").After(released[1]))
	for _, one := range nodes {
		one.model(server.Model())
	}
	var executions []int
	for i, on := range [][]*node{nodes[:1], nodes} {
		all := n.reactions
		n.reactions = all[:2]
		id := n.tallied(workflow.Settings{})
		n.runs(id, `{"day":"2026-03-09"}`)
		n.reactions = all
		before := runner.all()
		at(t, on, 2, released[i])
		executions = append(executions, runner.all()-before)
		require.Equal(t, "1.1", n.state(id).Active.String(), n.events(id, workflow.TypeRunFailed))
		require.Len(t, server.Requests(), i+1)
		n.outside.answer("/orders", 200, `{"orders":[]}`)
	}
	require.Equal(t, executions[0], executions[1])
}

// alone is work that has neither a run nor a thread: what there is before it, the reaction that does it, and the event it comes to.
var alone = map[string]struct {
	prepare  func(n *node) (id string)
	reaction int
	comes    string
}{
	"review": {func(n *node) string {
		id := n.create(quiet, workflow.Settings{Guard: workflow.GuardNotice})
		n.quietly(id)
		n.outside.answer("/orders", 200, quietOrders("points", 11, 22))
		n.runs(id, `{}`, `{}`)
		_, err := n.commands.SaveScript(n.t.Context(), id, workflow.SaveScript{
			ScriptID: id, Code: n.outside.local(quiet + "\n// points are nothing to us\n"), Comment: "mine", Origin: workflow.OriginPerson,
		}, person())
		require.NoError(n.t, err)
		require.Len(n.t, n.state(id).ToReview(), 2)
		return id
	}, 2, workflow.TypeMarkedRunsReviewed},
	"rehearsal": {func(n *node) string {
		id := n.handedOver()
		n.clock.advance(11 * time.Minute)
		return id
	}, 0, workflow.TypeStillFails},
	"rehearsal at a slot": {func(n *node) string {
		id := n.handedOver()
		_, err := n.commands.ChangeSchedule(n.t.Context(), id, workflow.ChangeSchedule{Spec: "every 5m"}, person())
		require.NoError(n.t, err)
		n.clock.advance(5 * time.Minute)
		return id
	}, 3, workflow.TypeSlotSkipped},
}

// handedOver is a workflow that is handed to its person.
func (n *node) handedOver() string {
	n.outside.answer("/price", 200, `{"amount":0}`)
	id := n.create(pricedOrder, workflow.Settings{AutoFix: workflow.ModeOff})
	n.runs(id, `{"n":1}`)
	require.Equal(n.t, workflow.StatusEscalated, n.state(id).Status)
	return id
}

// meetAgain has the first execution wait until this is closed, or until another one is under way beside it.
func (r *busyRunner) meetAgain(until chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	beside, begun := make(chan struct{}), 0
	r.begins = func() {
		r.mu.Lock()
		if begun++; begun == 2 {
			close(beside)
		}
		r.mu.Unlock()
		select {
		case <-beside:
		case <-until:
		}
	}
}

// Two nodes do not do the same work either where it has neither a run nor a thread.
func TestTwoNodesDoNotDoTheSameWork(t *testing.T) {
	t.Parallel()
	for name, work := range alone {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			runner := w.busy()
			nodes := w.nodes(2)
			for _, n := range nodes {
				n.reactions = append(n.reactions, execution.NewScheduler(n.commands, n.clock.now).Rehearses(n.reactions[0].(*execution.Executor)))
			}
			n := nodes[0]
			var executions []int
			for _, on := range [][]*node{nodes[:1], nodes} {
				all := n.reactions
				n.reactions = all[:2]
				id := work.prepare(n)
				n.reactions = all
				until := make(chan struct{})
				runner.meetAgain(until)
				before := runner.all()
				at(t, on, work.reaction, until)
				executions = append(executions, runner.all()-before)
				require.Len(t, commandsOf(t, n, id, work.comes), 1)
				require.Empty(t, n.state(id).Claims, "nobody is at it any more")
				_, err := n.commands.ArchiveWorkflow(t.Context(), id, workflow.Archive{}, person())
				require.NoError(t, err)
			}
			require.Positive(t, executions[0])
			require.Equal(t, executions[0], executions[1])
		})
	}
}

// A fix that two people have judged anew at once, on two nodes, is judged once; the one who came second is told so.
func TestTwoRechecksAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	runner := w.busy()
	nodes := w.nodes(2)
	n := nodes[0]
	id := n.create(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	held := n.state(id).Maintenance.Held.Proposal
	until, ended := make(chan struct{}), make(chan error)
	runner.meetAgain(until)
	for _, one := range nodes {
		checker := &maintenance.Rechecker{Commands: one.commands, Sandbox: one.pool, Recordings: one, Now: one.clock.now, Logger: slog.New(slog.DiscardHandler)}
		go func() {
			_, err := checker.Recheck(t.Context(), id, held, person())
			ended <- err
		}()
	}
	require.ErrorContains(t, <-ended, "is being judged anew already")
	close(until)
	require.NoError(t, <-ended)
	require.Len(t, commandsOf(t, n, id, workflow.TypeFixRechecked), 1)
}

// A node that dies at such work holds it no longer than a lease.
func TestWorkOfANodeThatDiedIsDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nodes := w.nodes(2)
	n := nodes[0]
	all := n.reactions
	n.reactions = all[:2]
	id := alone["review"].prepare(n)
	n.reactions = all
	_, err := n.commands.ClaimWork(t.Context(), id, workflow.ClaimWork{Work: workflow.WorkReview, Until: n.clock.now().Add(loop.DefaultLease)}, person())
	require.NoError(t, err)
	until := make(chan struct{})
	at(t, nodes[1:], 2, until)
	require.Len(t, n.state(id).ToReview(), 2)
	n.clock.advance(loop.DefaultLease)
	at(t, nodes[1:], 2, make(chan struct{}))
	require.Empty(t, n.state(id).ToReview())
}
