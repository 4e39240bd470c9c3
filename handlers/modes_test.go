package handlers_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The table of modes, each cell from a failing run to what became of it, with the real gate: what
// is identical, what could not be verified and nothing holds it, what has a reason to be held, and
// what is different.
func TestModesEndToEnd(t *testing.T) {
	t.Parallel()
	const (
		applied, held = "applied", "held"
		rejected      = "rejected" // no fix is left: the workflow is the person's
		instead       = "escalated instead of maintenance"
	)
	cases := map[string]struct {
		code      string // orders, if empty
		successes bool
		answer    string // of /orders, to the failing run
		proposes  proposes
		want      map[workflow.Mode]string
	}{
		"identical": {
			"", true, ordersAs("total_amount", 11, 22), readsTotal,
			map[workflow.Mode]string{"": applied, workflow.ModeAuto: applied, workflow.ModeProven: applied, workflow.ModePropose: held, workflow.ModeOff: instead},
		},
		"unverifiable, rehearsed": {
			rated, true, ordersAs("total_amount", 11, 22), readsTotal,
			map[workflow.Mode]string{workflow.ModeAuto: applied, workflow.ModeProven: held, workflow.ModePropose: held, workflow.ModeOff: instead},
		},
		"unverifiable, nothing to replay yet": {
			"", false, ordersAs("total_amount", 11, 22), readsTotal,
			map[workflow.Mode]string{workflow.ModeAuto: held, workflow.ModeProven: held, workflow.ModePropose: held},
		},
		"a reason to hold": {
			"", true, ordersAs("total_amount", 11, 22), proposes{"    total += order.amount_total.value;", "    try { total += (order.amount_total ?? order.total_amount).value; } catch (e) {}"},
			map[workflow.Mode]string{workflow.ModeAuto: held, workflow.ModeProven: held, workflow.ModePropose: held, workflow.ModeOff: instead},
		},
		"different": {
			"", true, ordersAs("total_amount", 11, 22), proposes{"order.amount_total.value", "(order.amount_total ?? order.total_amount).value + 1"},
			map[workflow.Mode]string{workflow.ModeAuto: rejected, workflow.ModeProven: rejected, workflow.ModePropose: rejected, workflow.ModeOff: instead},
		},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			tt.proposes.to = n.outside.local(tt.proposes.to)
			n.fixers[workflow.DefaultFixer] = tt.proposes
			n.outside.answer("/rate", 200, `{"value":2}`)
			for mode, want := range tt.want {
				id := n.create(cmp.Or(tt.code, orders), workflow.Settings{AutoFix: mode})
				if tt.successes {
					n.succeed(id)
				}
				n.outside.answer("/orders", 200, tt.answer)
				n.runs(id, `{"day":"2026-03-09"}`)
				state, events := n.state(id), n.events(id, workflow.TypeRunFailed)
				switch want {
				case applied:
					require.Contains(t, events, workflow.TypeFixApplied, "%q", mode)
					require.Contains(t, events, workflow.TypeFixConfirmed, "%q", mode)
					require.Equal(t, workflow.StatusActive, state.Status, "%q", mode)
				case held:
					require.Equal(t, workflow.StatusHeld, state.Status, "%q: %v", mode, events)
					require.NotEmpty(t, state.Maintenance.Held.Reasons, "%q", mode)
					require.Equal(t, "1.0", state.Active.String(), "%q", mode)
				case rejected:
					require.Equal(t, workflow.EscalatedUnfixable, state.Escalation.Reason, "%q", mode)
					require.NotContains(t, events, workflow.TypeFixApplied, "%q", mode)
					require.NotContains(t, events, workflow.TypeFixHeld, "%q", mode)
				case instead:
					require.Equal(t, workflow.EscalatedAutoFixOff, state.Escalation.Reason, "%q", mode)
					require.NotContains(t, events, workflow.TypeMaintenanceEntered, "%q", mode)
				}
			}
		})
	}
}
