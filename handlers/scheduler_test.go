package handlers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const slotScript = `async function main(input) { return web.postJSON("BASE/slot", input || {}); }`

func (n *node) scheduler() *node {
	n.reactions = append(n.reactions, execution.NewScheduler(n.commands, n.clock.now))
	return n
}

// outcomes are what became of slots, oldest first.
func (n *node) outcomes(id string) (runs, skips []time.Time) {
	n.t.Helper()
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		switch e := one.Event.(type) {
		case workflow.RunAdmitted:
			if e.Trigger == workflow.TriggerSchedule {
				runs = append(runs, *e.Slot)
			}
		case workflow.SlotSkipped:
			skips = append(skips, *e.Slot)
			if e.Through != nil {
				skips = append(skips, *e.Through)
			}
		}
	}
	return runs, skips
}

func (n *node) scheduled(change workflow.ChangeSchedule) string {
	n.t.Helper()
	// A minute after the full hour, so that no slot comes due while a test looks.
	now := n.clock.now()
	n.clock.advance(now.Truncate(time.Hour).Add(time.Hour + time.Minute).Sub(now))
	id := n.create(slotScript, workflow.Settings{})
	_, err := n.commands.ChangeSchedule(context.Background(), id, change, person())
	require.NoError(n.t, err)
	return id
}

// Rule 16: slots run as they come due; those that nobody was there for are one recorded skip, and the newest runs.
func TestRule16SlotsRunWhenDue(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).scheduler()
	defer n.close()
	id := n.scheduled(workflow.ChangeSchedule{Spec: "every 1h", Input: []byte(`{"at":"slot"}`)})
	require.NoError(t, n.settle(t.Context()))
	require.Zero(t, n.outside.count("POST /slot"), "before its time")

	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 1, n.outside.count("POST /slot"))
	slot := n.clock.now().UTC().Truncate(time.Hour).Format(time.RFC3339)
	require.JSONEq(t, `{"at":"slot","slot":"`+slot+`","zone":"UTC"}`, n.outside.bodies[0])

	n.clock.advance(5 * time.Hour)
	require.NoError(t, n.settle(t.Context()))
	runs, skips := n.outcomes(id)
	require.Len(t, runs, 2)
	require.Equal(t, 5*time.Hour, runs[1].Sub(runs[0]))
	require.Equal(t, []time.Time{runs[0].Add(time.Hour), runs[1].Add(-time.Hour)}, skips)

	_, err := n.commands.PauseWorkflow(t.Context(), id, workflow.Pause{}, person())
	require.NoError(t, err)
	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	_, skips = n.outcomes(id)
	require.Len(t, skips, 3, "what is due in a pause is a recorded skip")
	require.Equal(t, 2, n.outside.count("POST /slot"))
}

// Rule 16: a slot that is skipped over a run which stands still says so.
func TestRule16ASkipNamesTheRunThatStandsStill(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil).scheduler()
	defer n.close()
	id := n.scheduled(workflow.ChangeSchedule{Spec: "every 1h"})
	_, err := n.commands.SaveScript(t.Context(), id, workflow.SaveScript{ScriptID: "asks", Code: `function main() { return ask("Which?"); }`, Comment: "asks", Origin: workflow.OriginPerson}, person())
	require.NoError(t, err)
	for range 2 {
		n.clock.advance(time.Hour)
		require.NoError(t, n.settle(t.Context()))
	}
	var reason string
	for one, err := range n.commands.History(t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(t, err)
		if e, is := one.Event.(workflow.SlotSkipped); is {
			reason = e.Reason
		}
	}
	require.Contains(t, reason, "has 1 active run and its setting max_active is 1")
	require.Contains(t, reason, "waits for the answer to its question")
}

// Rule 16: the process may die after any append; the next life gives the slot its one run. Only
// what was being sent at that moment is left to a person.
func TestRule16CrashAfterAnyAppendOfASlot(t *testing.T) {
	t.Parallel()
	for survived := int64(0); ; survived++ {
		w := newWorld(t)
		n := w.open(nil)
		id := n.scheduled(workflow.ChangeSchedule{Spec: "every 1h"})
		n.close()
		w.clock.advance(time.Hour)

		ctx, die := context.WithCancel(t.Context())
		var doomed *mortal
		n = w.open(func(log eventlog.Log) eventlog.Log {
			doomed = &mortal{Log: log, die: die}
			doomed.left.Store(survived)
			return doomed
		}).scheduler()
		_ = n.settle(ctx) // ends as a killed process does: in the middle
		n.close()
		die()

		n = w.open(nil).scheduler()
		require.NoError(t, n.settle(t.Context()))
		runs, skips := n.outcomes(id)
		require.Len(t, runs, 1)
		require.Empty(t, skips)
		require.LessOrEqual(t, w.outside.count("POST /slot"), 1)
		if n.resolve(id, run.ResolvedHappened) > 0 { // what was being sent at that moment
			require.NoError(t, n.settle(t.Context()))
		}
		state := n.state(id)
		require.Empty(t, state.Admitted, "the slot's run came to its end")
		_, settled := state.Run(commands.DerivedID(id, "slot", runs[0].Format(time.RFC3339)))
		require.True(t, settled)
		n.close()
		if doomed.left.Load() >= 0 { // a whole slot took fewer appends
			require.Greater(t, survived, int64(3))
			return
		}
	}
}

// Rule 16: nodes that see the same slot at the same time admit one run.
func TestRule16ManyNodesOneSlot(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.scheduled(workflow.ChangeSchedule{Spec: "every 1h"})
	for range 5 {
		n.clock.advance(time.Hour)
		state := n.state(id)
		var group sync.WaitGroup
		failed := make([]error, 8)
		for i := range failed {
			due := execution.NewScheduler(n.commands, n.clock.now).Due(id, state)
			require.Len(t, due, 1)
			group.Go(func() { failed[i] = due[0].Do(t.Context()) })
		}
		group.Wait()
		require.NoError(t, errors.Join(failed...))
		require.NoError(t, n.settle(t.Context()))
	}
	runs, skips := n.outcomes(id)
	require.Len(t, runs, 5)
	require.Empty(t, skips)
	require.Equal(t, 5, n.outside.count("POST /slot"))
}

// A zone that this machine does not know is said, and no slot is lost: it stays due.
func TestUnknownZoneIsSaid(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.scheduled(workflow.ChangeSchedule{Spec: "every 1h", Zone: "Mars/Olympus"})
	due := execution.NewScheduler(n.commands, n.clock.now).Due(id, n.state(id))
	require.Len(t, due, 1)
	require.ErrorContains(t, due[0].Do(t.Context()), `the time zone "Mars/Olympus" is not known on this machine`)
}
