package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// inputs adds the reaction that these tests are about.
func (n *node) inputs() *node {
	n.reactions = append(n.reactions, execution.NewInputs(n.commands, n.clock.now))
	return n
}

func (n *node) trigger(id, source string, outcomes ...workflow.Outcome) {
	n.t.Helper()
	_, err := n.commands.SetTrigger(context.Background(), id, workflow.SetTrigger{Source: source, Outcomes: outcomes}, person())
	require.NoError(n.t, err)
}

// became is what became of inputs, in order: the sources of runs, and why others are none.
func (n *node) became(id string) (runs []workflow.RunAdmitted, skips []workflow.InputSkipped) {
	n.t.Helper()
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		switch e := one.Event.(type) {
		case workflow.RunAdmitted:
			runs = append(runs, e)
		case workflow.InputSkipped:
			skips = append(skips, e)
		}
	}
	return runs, skips
}

const (
	producing = `async function main(input) { if (input.fail) throw new Error("no " + input.n); return { n: input.n }; }`
	consuming = `async function main(input) { await web.postJSON("BASE/told", input); return null; }`
)

// A workflow starts on the outcomes of another one that it is to start on, once each, with what came
// of it as its input.
func TestAWorkflowStartsOnOutcomesOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil).inputs()
	source := n.create(producing, workflow.Settings{AutoFix: workflow.ModeOff})
	n.runs(source, `{"n":0}`)
	onSuccess, onTrouble := n.create(consuming, workflow.Settings{}), n.create(consuming, workflow.Settings{MaxActive: 9})
	n.trigger(onSuccess, source, workflow.OutcomeSucceeded)
	n.trigger(onTrouble, source, workflow.OutcomeFailed, workflow.OutcomeEscalated)
	require.NoError(t, n.settle(t.Context()))
	require.Zero(t, w.outside.count("POST /told"), "what was before does not count")

	n.runs(source, `{"n":1}`)
	require.Equal(t, 1, w.outside.count("POST /told"), "in the same look")
	n.close()
	n = w.open(nil)
	n.runs(source, `{"n":2,"fail":true}`) // by a node that has no such reaction
	require.Equal(t, 1, w.outside.count("POST /told"))
	n.close()

	n = w.open(nil).inputs()
	defer n.close()
	require.NoError(t, n.settle(t.Context()))
	require.NoError(t, n.settle(t.Context()))
	runs, skips := n.became(onSuccess)
	require.Len(t, runs, 1)
	require.Empty(t, skips)
	require.Equal(t, workflow.TriggerEvent, runs[0].Trigger)
	require.Equal(t, 1, runs[0].Source.Hops)
	require.Equal(t, commands.DerivedID(onSuccess, "event", runs[0].Source.Event), runs[0].Run, "every node arrives at the same run")
	var input struct {
		Workflow, Title, Outcome, Run, Version string
		Output                                 struct{ N int }
	}
	require.NoError(t, json.Unmarshal(runs[0].Input, &input))
	require.Equal(t, source, input.Workflow)
	require.Equal(t, "succeeded", input.Outcome)
	require.Equal(t, "1.0", input.Version)
	require.Equal(t, 1, input.Output.N)

	runs, _ = n.became(onTrouble)
	require.Len(t, runs, 2)
	require.Contains(t, string(runs[0].Input), `"failure":{"class":"logic","name":"Error","message":"no 2"`)
	require.Contains(t, string(runs[1].Input), `"outcome":"escalated"`)
	require.Contains(t, string(runs[1].Input), `"reason":"auto_fix_off"`)
	require.Equal(t, 3, w.outside.count("POST /told"))
}

// An outcome that comes while no run can start waits, and nothing is lost: they become runs in order.
func TestOutcomesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	source, target := n.create(producing, workflow.Settings{}), n.create(consuming, workflow.Settings{AutoFix: workflow.ModeOff, QueuedInputs: 3})
	n.trigger(target, source, workflow.OutcomeSucceeded)
	n.outside.answer("/told", 401, `{}`)
	n.runs(source, `{"n":1}`)
	require.Equal(t, workflow.StatusWaiting, n.state(target).Status)
	n.runs(source, `{"n":2}`, `{"n":3}`, `{"n":4}`, `{"n":5}`)
	require.Len(t, n.state(target).Queue, 4, "the first one, which was refused, is among them")
	n.outside.answer("/told", 200, `{}`)
	_, err := n.commands.ActivateWorkflow(t.Context(), target, workflow.Activate{}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, n.state(target).Queue)
	runs, skips := n.became(target)
	var order []string
	for _, one := range runs {
		input := n.began(one.Run).Input
		order = append(order, string(input[strings.Index(string(input), `"output"`):]))
	}
	require.Equal(t, []string{`"output":{"n":1}}`, `"output":{"n":1}}`, `"output":{"n":2}}`, `"output":{"n":3}}`, `"output":{"n":4}}`}, order)
	require.Len(t, skips, 1)
	require.Equal(t, workflow.SkippedFull, skips[0].Why)
}

// Workflows that start each other end after a while, and say so.
func TestACircleOfWorkflowsEnds(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	a, b := n.create(`function main() {}`, workflow.Settings{}), n.create(`function main() {}`, workflow.Settings{})
	n.trigger(b, a, workflow.OutcomeSucceeded)
	n.trigger(a, b, workflow.OutcomeSucceeded)
	n.runs(a, `{}`)
	runsA, skipsA := n.became(a)
	runsB, skipsB := n.became(b)
	require.Len(t, append(runsA, runsB...), 1+workflow.MaxHops)
	require.Len(t, append(skipsA, skipsB...), 1)
	require.Equal(t, workflow.SkippedHops, append(skipsA, skipsB...)[0].Why)
	n.runs(a, `{}`)
	runsA, _ = n.became(a)
	require.Len(t, runsA, 2+workflow.MaxHops, "another one begins anew")
}

// Imported runs happened elsewhere, and start nothing.
func TestImportedRunsStartNothing(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	source, target := n.create(producing, workflow.Settings{}), n.create(consuming, workflow.Settings{})
	n.trigger(target, source, workflow.OutcomeSucceeded)
	_, err := n.commands.AdmitRun(t.Context(), source, workflow.AdmitRun{Run: "old", Trigger: workflow.TriggerImport}, person())
	require.NoError(t, err)
	_, err = n.commands.SettleRun(t.Context(), source, workflow.SettleRun{Run: "old"}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	runs, skips := n.became(target)
	require.Empty(t, runs)
	require.Empty(t, skips)
}

// The process may die after any append: every outcome leads to exactly one run.
func TestCrashAfterAnyAppendOfAnOutcome(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	for survived := int64(0); ; survived++ {
		w := &world{t: t, dir: t.TempDir(), outside: shared.outside, clock: shared.clock, pool: shared.pool}
		n := w.open(nil)
		source, target := n.create(producing, workflow.Settings{MaxActive: 3}), n.create(`function main(input) { return input.output.n; }`, workflow.Settings{})
		n.trigger(target, source, workflow.OutcomeSucceeded)
		for i := range 2 {
			n.admit(source, fmt.Sprintf(`{"n":%d}`, i))
		}
		require.NoError(t, n.settle(t.Context()))
		n.close()

		ctx, die := context.WithCancel(t.Context())
		var doomed *mortal
		n = w.open(func(log eventlog.Log) eventlog.Log {
			doomed = &mortal{Log: log, die: die}
			doomed.left.Store(survived)
			return doomed
		}).inputs()
		_ = n.settle(ctx) // ends as a killed process does: in the middle
		n.close()
		die()

		n = w.open(nil).inputs()
		require.NoError(t, n.settle(t.Context()))
		runs, skips := n.became(target)
		require.Len(t, runs, 2, "after %d appends", survived)
		require.Empty(t, skips)
		events := map[string]bool{}
		for _, one := range runs {
			events[one.Source.Event] = true
			became, settled := n.state(target).Run(one.Run)
			require.True(t, settled && became.Succeeded)
		}
		require.Len(t, events, 2)
		n.close()
		if doomed.left.Load() >= 0 { // all of it took fewer appends
			require.Greater(t, survived, int64(5))
			return
		}
	}
}

// Nodes that look at the same time arrive at the same runs, one for each outcome.
func TestManyNodesOneOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	source, target := n.create(producing, workflow.Settings{}), n.create(`function main() {}`, workflow.Settings{QueuedInputs: 400})
	n.trigger(target, source, workflow.OutcomeSucceeded)
	nodes := []*node{n, w.open(nil), w.open(nil)}
	for i, one := range nodes {
		one.beside(fmt.Sprint(i), time.Hour).inputs()
	}
	const outcomes = 12
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	ended := make([]error, len(nodes))
	for i, one := range nodes {
		group.Go(func() { ended[i] = one.loop().Run(ctx) })
	}
	for i := range outcomes {
		of := fmt.Sprint(i)
		require.Eventually(t, func() bool {
			_, err := n.commands.AdmitRun(ctx, source, workflow.AdmitRun{Run: "run" + of, Trigger: workflow.TriggerManual, Input: json.RawMessage(`{"n":1}`)}, person())
			return err == nil
		}, time.Minute, time.Millisecond)
	}
	require.Eventually(t, func() bool {
		state := n.state(target)
		runs, _ := n.became(target)
		return len(runs) == outcomes && len(state.Queue) == 0 && len(state.Admitted) == 0
	}, time.Minute, 5*time.Millisecond)
	stop()
	group.Wait()
	runs, skips := n.became(target)
	require.Len(t, runs, outcomes)
	require.Empty(t, skips)
	for i, one := range nodes {
		require.NoError(t, ended[i])
		one.close()
	}
}

// An outcome that came while the workflow was archived is dropped, recorded once, and does not come back.
func TestOutcomesOfTheArchiveStayThere(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).inputs()
	defer n.close()
	source, target := n.create(producing, workflow.Settings{}), n.create(`function main() {}`, workflow.Settings{})
	n.trigger(target, source, workflow.OutcomeSucceeded)
	_, err := n.commands.ArchiveWorkflow(t.Context(), target, workflow.Archive{}, person())
	require.NoError(t, err)
	n.runs(source, `{"n":1}`, `{"n":2}`, `{"n":3}`)
	_, err = n.commands.RestoreWorkflow(t.Context(), target, workflow.Restore{}, person())
	require.NoError(t, err)
	_, err = n.commands.ActivateWorkflow(t.Context(), target, workflow.Activate{}, person())
	require.NoError(t, err)
	n.runs(source, `{"n":4}`)
	runs, skips := n.became(target)
	require.Len(t, runs, 1)
	require.Contains(t, string(runs[0].Input), `"output":{"n":4}`)
	require.Len(t, skips, 1)
	require.Equal(t, workflow.SkippedArchived, skips[0].Why)
}
