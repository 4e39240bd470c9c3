package handlers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 6: a fix that was confirmed did help. A later failure in the same words is another trouble, and is worked on.
func TestTheSameErrorAfterAConfirmedFixIsANewRepair(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	// The statement that fails stays as it is, and so does its fingerprint.
	n.fixers[workflow.DefaultFixer] = proposes{"    total +=", "    order.amount_total = order.amount_total ?? order.total_amount;\n    total +="}
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, "1.1", n.state(id).LastConfirmed.String())
	n.outside.answer("/orders", 200, ordersAs("gross_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-10"}`)
	state := n.state(id)
	require.Equal(t, workflow.EscalatedUnfixable, state.Escalation.Reason, "the fixer has only what it had")
	require.Equal(t, "1.1", state.Active.String(), "what was confirmed is not taken back")
	require.Contains(t, n.events(id, workflow.TypeFixConfirmed), workflow.TypeMaintenanceEntered)
}

// Rule 7: at most so many repairs an hour for one workflow; an hour later there may be another.
func TestRepairsAnHourAreBoundedEndToEnd(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{RepairsPerHr: 1})
	n.succeed(id)
	broken := func(field, day string) workflow.State {
		n.outside.answer("/orders", 200, ordersAs(field, 11, 22))
		n.runs(id, `{"day":"`+day+`"}`)
		return n.state(id)
	}
	require.Equal(t, "1.1", broken("total_amount", "2026-03-09").LastConfirmed.String())
	require.Equal(t, workflow.EscalatedRateLimit, broken("amount_sum", "2026-03-10").Escalation.Reason)
	n.clock.advance(time.Hour + time.Minute)
	_, err := n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()), "the run that was left half done goes on")
	require.Contains(t, n.events(id, workflow.TypeEscalated), workflow.TypeMaintenanceEntered, "%v", n.state(id).Escalation)
}

// Rules 5 and 10: fixes that do not last end at the budget, in one escalation that offers to plan
// anew; the unconfirmed ones are taken back.
func TestTheBudgetEndsInOneEscalation(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{Budget: 1})
	n.succeed(id)
	n.fixers[workflow.DefaultFixer] = proposes{"order.amount_total", "(order.amount_total ?? order.total_amount)"}
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.outside.answer("/done", 422, `{}`) // what comes after the mended place fails for another reason
	n.runs(id, `{"day":"2026-03-09"}`)
	state, events := n.state(id), n.events(id, workflow.TypeRunFailed)
	require.Equal(t, workflow.EscalatedBudget, state.Escalation.Reason, events)
	require.Equal(t, "1.0", state.Active.String())
	escalations := 0
	for _, name := range events {
		if name == workflow.TypeEscalated {
			escalations++
		}
	}
	require.Equal(t, 1, escalations)
	n.runs(id) // nothing more comes of it
	require.Equal(t, events, n.events(id, workflow.TypeRunFailed))
}
