package handlers_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// busyRunner counts executions of each script, and has no time for some of them.
type busyRunner struct {
	sandbox.Runner
	mu   sync.Mutex
	runs map[string]int
	busy func(code string) bool // nil for never
}

func (r *busyRunner) Run(ctx context.Context, e sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	r.mu.Lock()
	r.runs[e.Code]++
	busy := r.busy != nil && r.busy(e.Code)
	r.mu.Unlock()
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
		if _, err := judge(ctx, repair.Candidate{Code: p.of(evidence.Code, i), Comment: "amounts", Fixer: "test", Template: "1"}); err != nil {
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

// maintained has the maintainers of these nodes do what is due, at the same time. As soon as all but one have nothing to do, until is closed.
func maintained(t *testing.T, nodes []*node, until chan struct{}) {
	t.Helper()
	ended := make(chan error)
	for _, n := range nodes {
		go func() { ended <- n.stalling(n.reactions[2]).Settle(t.Context()) }()
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
		maintained(t, on, released[i])
		executions = append(executions, runner.all()-before)
		require.Equal(t, "1.1", n.state(id).Active.String(), n.events(id, workflow.TypeRunFailed))
		require.Len(t, server.Requests(), i+1)
		n.outside.answer("/orders", 200, `{"orders":[]}`)
	}
	require.Equal(t, executions[0], executions[1])
}
