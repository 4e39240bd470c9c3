package handlers_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// Related implements [handlers.Relatives].
func (n *node) Related(ctx context.Context, id, run string) ([]maintenance.Relative, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	fixes, err := n.queries.RelatedFixes(ctx, id, run, 3)
	var relatives []maintenance.Relative
	for _, fix := range fixes {
		relatives = append(relatives, maintenance.Relative{Workflow: fix.Workflow, Title: fix.Title, Proposal: fix.Proposal})
	}
	return relatives, err
}

// related has the node's maintainer look at what was confirmed on other workflows.
func (n *node) related() {
	n.fixers[maintenance.FixerGroup] = maintenance.GroupFixer{Relatives: n}
}

// counts is a fixer that says how often it was asked.
type counts struct {
	repair.Fixer
	asked *int
}

func (c counts) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	*c.asked++
	return c.Fixer.Propose(ctx, evidence, judge)
}

// doubting is a fixer that is not sure of itself.
type doubting struct{ proposes }

func (d doubting) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	return d.proposes.Propose(ctx, evidence, func(ctx context.Context, c repair.Candidate) (gate.Judgement, error) {
		c.Doubts = []string{"another field fits as well"}
		return judge(ctx, c)
	})
}

// A fix that was confirmed on one workflow comes first on the others, and no other fixer is asked if it passes their
// own gate.
func TestAConfirmedFixComesFirst(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.related()
	asked := 0
	n.fixers[workflow.DefaultFixer] = counts{n.fixers[workflow.DefaultFixer], &asked}
	for want := range 3 {
		id := n.create(orders, workflow.Settings{})
		n.succeed(id)
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.runs(id, `{"day":"2026-03-09"}`)
		require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
		p, _ := n.state(id).Proposal(n.state(id).Fixes[0].Proposal)
		require.Equal(t, map[bool]string{true: "templates", false: "group"}[want == 0], p.Fixer.Kind)
		require.Equal(t, 1, asked, "the fixers are asked for the first workflow only")
	}
}

// A fix of another workflow is a candidate as others are: the mode of this workflow decides what is
// done with it, and one whose failures go to a person is offered none.
func TestAConfirmedFixIsACandidate(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.related()
	breaks := func(code string, settings workflow.Settings) string {
		id := n.create(code, settings)
		n.succeed(id)
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.runs(id, `{"day":"2026-03-09"}`)
		return id
	}
	n.fixers[workflow.DefaultFixer] = proposes{"order.amount_total", "(order.amount_total ?? order.total_amount)"}
	first := breaks(orders, workflow.Settings{})
	require.Equal(t, wholeRepair, n.events(first, workflow.TypeRunFailed))
	// A workflow of a person takes nothing.
	n.fixers[workflow.FixerPerson] = maintenance.PersonFixer{}
	personal := breaks(orders, workflow.Settings{Fixers: []string{workflow.FixerPerson}})
	require.Equal(t, workflow.EscalatedUnfixable, n.state(personal).Escalation.Reason)
	// Its mode decides what is done with it.
	cautious := breaks(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	held := n.state(cautious)
	require.Equal(t, workflow.StatusHeld, held.Status)
	p, _ := held.Proposal(held.Maintenance.Held.Proposal)
	require.Equal(t, maintenance.FixerGroup, p.Fixer.Kind)
	require.Contains(t, p.Fixer.Detail, first)
	require.Equal(t, "test 1", p.Fixer.Version, "who made it first")
}

// A doubt about a confirmed fix is raised again for the next workflow: the person answered for one only.
func TestDoubtsGoWithAFix(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.related()
	n.fixers[workflow.DefaultFixer] = doubting{proposes{"order.amount_total", "(order.amount_total ?? order.total_amount)"}}
	for range 2 {
		id := n.create(orders, workflow.Settings{})
		n.succeed(id)
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.runs(id, `{"day":"2026-03-09"}`)
		held := n.state(id).Maintenance.Held
		require.NotNil(t, held, n.events(id, workflow.TypeRunFailed))
		require.Contains(t, held.Reasons, "another field fits as well")
		_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: held.Proposal, ScriptID: uuid.NewString()}, person())
		require.NoError(t, err)
		require.NoError(t, n.settle(t.Context()))
		require.Equal(t, "1.1", n.state(id).LastConfirmed.String())
		// The fixer itself would not doubt any more.
		n.fixers[workflow.DefaultFixer] = proposes{"order.amount_total", "(order.amount_total ?? order.total_amount)"}
	}
}

// patient is a fixer that finds nothing, and takes until something has come of another workflow.
type patient struct {
	n     *node
	until func(ctx context.Context) (bool, error)
}

func (patient) Name() string { return workflow.FixerModel }

func (p patient) Propose(ctx context.Context, _ repair.Evidence, _ repair.Judge) (string, error) {
	hint, release := p.n.log.Wake()
	defer release()
	for {
		if came, err := p.until(ctx); err != nil || came {
			return "nothing was found", err
		}
		select {
		case <-hint:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// Workflows that fail at the same moment have a fix that is confirmed while they are worked on: it is
// looked for once more before one is given up.
func TestAFixThatIsConfirmedMeanwhileComesLast(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.related()
	first, second := n.create(orders, workflow.Settings{}), n.create(orders, workflow.Settings{Fixers: []string{workflow.FixerModel}})
	n.fixers[workflow.FixerModel] = patient{n, func(ctx context.Context) (bool, error) {
		state, err := n.commands.LoadWorkflow(ctx, first)
		return state.LastConfirmed.String() == "1.1", err
	}}
	n.succeed(first)
	n.succeed(second)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.admit(first, `{"day":"2026-03-09"}`)
	n.admit(second, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, wholeRepair, n.events(second, workflow.TypeRunFailed))
	p, _ := n.state(second).Proposal(n.state(second).Fixes[0].Proposal)
	require.Equal(t, maintenance.FixerGroup, p.Fixer.Kind)
	require.Contains(t, p.Fixer.Detail, first)
}
