package handlers_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// Mode propose: a proven fix waits for a person, whose word applies it; the failed run goes
// on with it and confirms it.
func TestHeldFixIsAcceptedByAPerson(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	held := n.state(id)
	require.Equal(t, workflow.StatusHeld, held.Status)
	require.Equal(t, "1.0", held.Active.String())

	_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{
		Proposal: held.Maintenance.Held.Proposal, ScriptID: uuid.NewString(), Reason: "the new name is right",
	}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, "1.1", state.Active.String())
	require.Equal(t, workflow.StatusActive, state.Status)
	require.Contains(t, n.events(id, workflow.TypeFixAccepted), workflow.TypeFixConfirmed)
	require.Equal(t, "identical", n.threadOver(id), "a person ended the task, and its thread is closed")
	require.Equal(t, 5, n.outside.count("POST /started"))
}

// A person who declines a fix has the workflow.
func TestDeclinedFixEscalates(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	_, err := n.commands.DeclineFix(t.Context(), id, workflow.DeclineFix{Proposal: n.state(id).Maintenance.Held.Proposal, Reason: "not so"}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	require.Equal(t, "1.0", n.state(id).Active.String())
	require.Equal(t, "unfixable", n.threadOver(id))
}

// proposes is a fixer with one answer, as a model would give it.
type proposes struct{ from, to string }

func (proposes) Name() string { return "proposes" }

func (p proposes) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	_, err := judge(ctx, repair.Candidate{
		Code: strings.ReplaceAll(evidence.Code, p.from, p.to), Comment: "amounts are read one by one", Fixer: "test", Template: "1", Score: 1,
	})
	return "", err
}

// Section 8: a fix that needs an answer nobody recorded is rehearsed with live reads; what
// it would write is shown and not sent. In mode auto it is applied then, and the continued
// run makes the new reads for real.
func TestUnverifiableFixIsRehearsed(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.outside.answer("/rate", 200, `{"value":2}`)
	id := n.create(rated, workflow.Settings{})
	n.succeed(id)
	n.fixers[workflow.DefaultFixer] = readsTotal
	n.outside.answer("/orders", 200, ordersAs("total_amount", 21))
	failed := n.admit(id, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))

	state := n.state(id)
	require.Equal(t, "1.1", state.Active.String(), n.events(id, workflow.TypeRunFailed))
	proposal, found := state.Proposal(state.Fixes[0].Proposal)
	require.True(t, found)
	require.Equal(t, workflow.VerdictUnverifiable, proposal.Verification.Verdict)
	require.True(t, proposal.Verification.Rehearsal.Succeeded)
	require.Contains(t, string(proposal.Verification.Rehearsal.Writes), "/done", "the captured writes are shown")
	require.Equal(t, 5, n.outside.count("POST /done"), "rehearsed writes were not sent")
	require.Equal(t, 6, n.outside.count("GET /rate"), "once in rehearsal, once for real")
	recorded, err := n.commands.LoadRun(t.Context(), commands.DerivedID(failed, "continuation", "1.1"))
	require.NoError(t, err)
	require.JSONEq(t, `{"orders":1,"total":42}`, string(recorded.Output))
}

// A host that does not answer a rehearsal says nothing about the fix: it is rehearsed again, and only
// after hours handed to a person.
func TestARehearsalThatGetsNoAnswerIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"it comes back": true, "it stays away": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			n.outside.answer("/rate", 200, `{"value":2}`)
			id := n.create(rated, workflow.Settings{})
			n.succeed(id)
			n.fixers[workflow.DefaultFixer] = readsTotal
			n.outside.answer("/orders", 200, ordersAs("total_amount", 21))
			n.outside.answer("/rate", 503, `{}`)
			n.runs(id, `{"day":"2026-03-09"}`)
			require.Equal(t, workflow.StatusMaintenance, n.state(id).Status, n.events(id, workflow.TypeRunFailed))
			if back {
				n.outside.answer("/rate", 200, `{"value":2}`)
				n.clock.advance(time.Minute)
				require.NoError(t, n.settle(t.Context()))
				require.Equal(t, "1.1", n.state(id).Active.String())
				return
			}
			for range 40 {
				n.clock.advance(5 * time.Minute)
				require.NoError(t, n.settle(t.Context()))
			}
			require.Equal(t, workflow.StatusHeld, n.state(id).Status)
			require.Contains(t, n.state(id).Maintenance.Held.Reasons[0], "its rehearsal failed")
		})
	}
}

// A rehearsal that fails, for whatever reason, is told to who suggests a fix or has it judged again: nobody waits for it.
func TestAFailedRehearsalIsToldToWhoAsks(t *testing.T) {
	t.Parallel()
	for status, problem := range map[int]string{503: "NetworkError", 404: "LogicError"} {
		n := newWorld(t).open(nil)
		t.Cleanup(n.close)
		id := n.create(orders, workflow.Settings{})
		n.succeed(id)
		fix := proposes{"order.amount_total.value", "(order.amount_total ?? await web.getJSON('" + n.outside.server.URL + "/amounts/' + order.id)).value"}
		n.fixers[workflow.DefaultFixer] = fix
		n.outside.answer("/orders", 200, `{"orders":[{"id":"o1","state":"open"}]}`)
		n.outside.answer("/amounts/o1", 404, `{}`)
		n.runs(id, `{"day":"2026-03-09"}`)
		held := n.state(id).Maintenance.Held
		require.NotNil(t, held, n.events(id, workflow.TypeRunFailed))
		n.outside.answer("/amounts/o1", status, `{}`)
		checker := &maintenance.Rechecker{Commands: n.commands, Sandbox: n.pool, Recordings: n, Now: n.clock.now, Logger: slog.New(slog.DiscardHandler)}
		_, err := checker.Recheck(t.Context(), id, held.Proposal, person())
		require.NoError(t, err)
		rechecked, _ := n.state(id).Proposal(held.Proposal)
		require.Contains(t, rechecked.Verification.Rehearsal.Problem, problem)

		code := strings.ReplaceAll(n.outside.local(orders), fix.from, fix.to) + "\n// by hand"
		_, _, err = checker.Suggest(t.Context(), id, workflow.SuggestFix{Proposal: "by-hand", Base: workflow.Version{Major: 1}, Code: code, Comment: "amounts one by one", By: "person:ann"}, person())
		require.ErrorContains(t, err, "its rehearsal failed: "+problem)
	}
}

// Rules 10 and 15: the continued run's own logic failure regresses the fix; the next repair
// starts from the version just applied, and its escalation takes unconfirmed fixes back. A
// refused write is no matter for a rehearsal, which sends none.
func TestRegressedFixIsWithdrawnOnEscalation(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.outside.answer("/done", 422, `{"message":"total is not known"}`)
	n.runs(id, `{"day":"2026-03-09"}`)
	events := n.events(id, workflow.TypeRunFailed)
	require.Equal(t, []string{
		workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeMaintenanceEntered,
		workflow.TypeFixProposed, workflow.TypeFixVerified, workflow.TypeFixApplied, workflow.TypeScriptSaved, workflow.TypeMaintenanceExited,
		workflow.TypeRunAdmitted, workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeFixRegressed,
		workflow.TypeMaintenanceEntered, workflow.TypeEscalated, workflow.TypeMaintenanceExited, workflow.TypeRunUnfinished,
	}, events)
	state := n.state(id)
	require.Equal(t, "1.0", state.Active.String())
	require.Equal(t, 5, n.outside.count("POST /done"), "refused once, and not sent again")
}
