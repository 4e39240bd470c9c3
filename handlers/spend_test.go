package handlers_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Spent implements [handlers.Spending].
func (n *node) Spent(ctx context.Context, since time.Time) (float64, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return 0, err
	}
	return n.queries.Spent(ctx, since)
}

// SpentFor implements [agents.Spending].
func (n *node) SpentFor(ctx context.Context, owner string, since time.Time) (int64, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return 0, err
	}
	return n.queries.SpentFor(ctx, owner, since)
}

func (n *node) allowance() *agents.Installation {
	return &agents.Installation{Commands: n.commands, Spending: n, Now: n.clock.now}
}

// allowed has the node's maintainer ask the installation.
func (n *node) allowed() {
	n.reactions[len(n.reactions)-1] = maintenance.NewMaintainer(maintenance.MaintainerConfig{
		Commands: n.commands, Sandbox: n.pool, Fixers: n.fixers, Place: agents.Place{Now: n.clock.now}, Recordings: n, Allowance: n.allowance(),
		Logger: slog.New(slog.DiscardHandler),
	})
}

// spend has an agent say something that costs.
func (n *node) spend(usd float64) { n.t.Helper(); n.spendOn("w", usd) }

func (n *node) spendOn(of string, usd float64) {
	n.t.Helper()
	id := uuid.NewString()
	_, err := n.commands.OpenThread(context.Background(), thread.Open{Thread: id, Workflow: of, Kind: thread.KindPlanner, Task: id}, person())
	require.NoError(n.t, err)
	_, err = n.commands.AppendAnswer(context.Background(), id, thread.AppendAnswer{Text: "…", Usage: thread.Usage{Model: "m", Input: 1, Output: 1, CostUSD: usd}}, person())
	require.NoError(n.t, err)
}

// Rule 7: at the spend cap all repairs stop, on every workflow, and wait; the operator is told once.
// The next day they go on by themselves, or at once when the cap is raised.
func TestTheSpendCapStopsAllRepairs(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.allowed()
	five, ten := 5.0, 10.0
	_, err := n.commands.ChangeSpendCap(t.Context(), installation.ChangeSpendCap{PerDayUSD: &five}, person())
	require.NoError(t, err)
	n.spend(5)
	var ids []string
	for range 2 {
		id := n.create(orders, workflow.Settings{})
		n.succeed(id)
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.runs(id, `{"day":"2026-03-09"}`)
		require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeMaintenanceEntered}, n.events(id, workflow.TypeRunFailed))
		ids = append(ids, id)
	}
	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Type: projections.NotifyInternal, Open: true})
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Equal(t, "Agents have spent what they may this day: $5.00", told[0].Title)

	_, err = n.commands.ChangeSpendCap(t.Context(), installation.ChangeSpendCap{PerDayUSD: &ten}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	for _, id := range ids {
		require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	}
}

// At zero agents wait, of the one owner's workflows: runs go on, and repairs of others, too. The owner is told once. A
// top-up lets what waited go on.
func TestAnEmptyBalanceStopsTheOwnersAgentsAndNoRun(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.allowed()
	pay := func(payment string) {
		_, err := n.commands.TopUp(t.Context(), "ann", account.TopUp{Payment: payment, Micros: 5 * money.Unit, Currency: money.USD}, person())
		require.NoError(t, err)
	}
	pay("p1")
	id := n.create(orders, workflow.Settings{})
	other := uuid.NewString()
	_, err := n.commands.CreateWorkflow(t.Context(), workflow.Create{ID: other, Title: "Other", Owner: "bob", Intent: "File"}, person())
	require.NoError(t, err)
	n.succeed(id)
	require.NoError(t, n.allowance().Spend(t.Context(), id))
	n.spendOn(id, 5)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeMaintenanceEntered}, n.events(id, workflow.TypeRunFailed))
	stopped := &agents.Stopped{}
	require.ErrorAs(t, n.allowance().Spend(t.Context(), id), &stopped)
	require.Contains(t, stopped.Reason, "agents have spent $5.00 of $5.00. They go on after a top-up")
	require.True(t, stopped.Until.IsZero(), "no time ends it")
	require.NoError(t, n.allowance().Repairs(t.Context(), other))
	told := 0
	for record, err := range n.log.Stream(t.Context(), account.Stream("ann"), 0) {
		require.NoError(t, err)
		if record.Type == account.TypeLimitReached {
			told++
		}
	}
	require.Equal(t, 1, told)
	notices := func() []projections.Notification {
		require.NoError(t, n.views.CatchUp(t.Context()))
		list, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Type: projections.NotifyBalance, Open: true})
		require.NoError(t, err)
		return list
	}
	require.Len(t, notices(), 1)
	require.Equal(t, "The balance of ann is used up: $5.00", notices()[0].Title)
	require.Equal(t, []string{projections.ActionTopUp}, notices()[0].Actions)

	pay("p1") // is counted once
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status)
	pay("p2")
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, notices())
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
}

// A repair costs what one repair may, in all its rounds: the answer that reaches the cap is the last, and
// a person gets the workflow with that reason. Other workflows are repaired on.
func TestOneFixIsCapped(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.allowed()
	cap := 0.02
	_, err := n.commands.ChangeSpendCap(t.Context(), installation.ChangeSpendCap{PerFixUSD: &cap}, person())
	require.NoError(t, err)
	looks := llmtest.Call("history", map[string]string{}).WithUsage(&llmtest.Usage{Input: 10_000, Output: 1_000})
	wrong := fixCall(n.outside.local(tally)+"\n// nothing", "A slip").WithUsage(&llmtest.Usage{Input: 10_000, Output: 1_000})
	server := llmtest.Serve(t, looks, wrong)
	config := server.Config()
	config.Prices = llm.Prices{llmtest.ModelName: {Input: 1, Output: 1}}
	model, err := llm.New(config)
	require.NoError(t, err)
	n.model(model)
	id := n.tallied(workflow.Settings{})
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	require.Contains(t, n.state(id).Escalation.Explanation, "the cap of $0.02 for one fix is reached")
	require.Len(t, server.Requests(), 2)
	require.NoError(t, n.allowance().Repairs(t.Context(), ""), "it is no cap for all")
}

// A day that has passed is another day.
func TestTheSpendCapEndsWithItsDay(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	five := 5.0
	_, err := n.commands.ChangeSpendCap(t.Context(), installation.ChangeSpendCap{PerDayUSD: &five}, person())
	require.NoError(t, err)
	n.spend(7)
	stopped := &agents.Stopped{}
	for _, allowed := range []func(context.Context, string) error{n.allowance().Repairs, n.allowance().Spend} {
		require.ErrorAs(t, allowed(t.Context(), ""), &stopped)
		require.Equal(t, installation.Day.End(n.clock.now()), stopped.Until)
	}
	wait := &loop.Wait{}
	require.ErrorAs(t, n.allowance().Spend(t.Context(), ""), &wait, "a loop waits for it")
	n.clock.advance(24 * time.Hour)
	require.NoError(t, n.allowance().Repairs(t.Context(), ""))
	n.spend(5)
	require.ErrorAs(t, n.allowance().Spend(t.Context(), ""), &stopped)
	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Type: projections.NotifyInternal, Open: true})
	require.NoError(t, err)
	require.Len(t, told, 1, "yesterday's is past")
}

// stopping switches all repairs off while a fixer is at work, before it proposes or after.
type stopping struct {
	repair.Fixer
	after bool
	stop  func()
}

func (s stopping) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	if !s.after {
		s.stop()
	}
	explanation, err := s.Fixer.Propose(ctx, evidence, judge)
	if s.after {
		s.stop()
	}
	return explanation, err
}

// Rule 7: the switch stops also the repair that is under way: nothing more is judged, and nothing is
// handed in. Switched on again, it is done from the start.
func TestTheSwitchStopsARepairUnderWay(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]bool{"before a candidate": false, "before a fix is handed in": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			n.allowed()
			id := n.create(orders, workflow.Settings{})
			n.succeed(id)
			templates := n.fixers[workflow.DefaultFixer]
			n.fixers[workflow.DefaultFixer] = stopping{templates, after, func() {
				_, err := n.commands.StopRepairs(context.Background(), installation.StopRepairs{}, person())
				require.NoError(t, err)
			}}
			n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
			n.runs(id, `{"day":"2026-03-09"}`)
			require.Equal(t, workflow.TypeMaintenanceEntered, last(n.events(id, workflow.TypeRunFailed)))
			talk, err := n.commands.LoadThread(t.Context(), n.state(id).Maintenance.Thread)
			require.NoError(t, err)
			require.Equal(t, after, talk.Candidates > 0)
			require.NoError(t, n.allowance().Spend(t.Context(), ""), "the switch is for repairs only")

			n.fixers[workflow.DefaultFixer] = templates
			_, err = n.commands.ResumeRepairs(t.Context(), installation.ResumeRepairs{}, person())
			require.NoError(t, err)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
		})
	}
}

// counted is a model that counts what it is asked.
type counted struct{ asked int }

func (c *counted) Name() string { return "counted" }

func (c *counted) Chat(context.Context, llm.Request) (llm.Answer, error) {
	c.asked++
	return llm.Answer{Text: "yes"}, nil
}

// Before every call to a model the allowance is asked: what is stopped costs nothing more.
func TestAModelIsAskedOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	model := &counted{}
	guarded := agents.AllowedModel{Model: model, Allowed: func(ctx context.Context) error { return n.allowance().Repairs(ctx, "") }}
	_, err := guarded.Chat(t.Context(), llm.Request{})
	require.NoError(t, err)
	_, err = n.commands.StopRepairs(t.Context(), installation.StopRepairs{Reason: "look first"}, person())
	require.NoError(t, err)
	_, err = guarded.Chat(t.Context(), llm.Request{})
	stopped := &agents.Stopped{}
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, "all repairs are switched off: look first", stopped.Reason)
	require.Equal(t, 1, model.asked)
	require.Equal(t, "counted", guarded.Name())
}

// A person's recheck sees what is so now, and only the fix that is held is judged at all.
func TestRecheckJudgesTheHeldFixOnly(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	checker := &maintenance.Rechecker{Commands: n.commands, Sandbox: n.pool, Recordings: n, Now: n.clock.now, Logger: slog.New(slog.DiscardHandler)}
	held := n.state(id).Maintenance.Held.Proposal
	_, err := checker.Recheck(t.Context(), id, held, person())
	require.NoError(t, err)
	p, _ := n.state(id).Proposal(held)
	require.Equal(t, 4, p.Verification.Identical)
	successes, err := n.Successes(t.Context(), id, 1)
	require.NoError(t, err)
	_, err = n.commands.ExemptRun(t.Context(), id, workflow.ExemptRun{Run: successes[0], Reason: "it counted twice"}, person())
	require.NoError(t, err)
	_, err = checker.Recheck(t.Context(), id, held, person())
	require.NoError(t, err)
	p, _ = n.state(id).Proposal(held)
	require.Equal(t, workflow.Verdict(gate.Identical), p.Verification.Verdict)
	require.Equal(t, 3, p.Verification.Identical)
	require.Equal(t, 1, p.Verification.Exempted)
	require.Equal(t, workflow.StatusHeld, n.state(id).Status, "the person decides")
	_, err = checker.Recheck(t.Context(), id, "another", person())
	require.ErrorContains(t, err, "no proposal another")
	_, err = n.commands.DeclineFix(t.Context(), id, workflow.DeclineFix{Proposal: held}, person())
	require.NoError(t, err)
	_, err = checker.Recheck(t.Context(), id, held, person())
	require.ErrorContains(t, err, "none waits now")
	require.Len(t, commandsOf(t, n, id, workflow.TypeFixRechecked), 2)
}

// commandsOf are the commands that led to events of a type.
func commandsOf(t *testing.T, n *node, id, name string) (ids []string) {
	t.Helper()
	for one, err := range n.commands.History(t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(t, err)
		if one.Event.EventType() == name {
			ids = append(ids, one.Metadata.CommandID)
		}
	}
	return ids
}
