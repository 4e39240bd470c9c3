package handlers_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/projections"
)

// switching is a provider that a test switches off and on.
type switching struct {
	t     *testing.T
	down  *llmtest.Step // what it says instead
	steps []llmtest.Step
}

func (s *switching) Respond(llmtest.Request) llmtest.Step {
	if s.down != nil {
		return *s.down
	}
	if len(s.steps) == 0 {
		s.t.Error("the model was asked too often")
		return llmtest.Text("")
	}
	next := s.steps[0]
	s.steps = s.steps[1:]
	return next
}

// A provider that fails is no attempt to mend: the task waits, is tried again with growing pauses,
// also by a later life of the process, and goes on where it was.
func TestAProviderThatFailsIsNoAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	id := n.tallied(workflow.Settings{})
	overloaded := llmtest.Fail(http.StatusServiceUnavailable, "overloaded", "try later").WithHeader("Retry-After", "3600")
	provider := &switching{t: t, down: &overloaded}
	server := llmtest.ServeWith(t, provider)
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status, "it waits")
	asked := len(server.Requests())
	require.Positive(t, asked)
	thread, _ := n.said(id)
	require.Equal(t, "test-model does not answer: unavailable", thread.Missing)

	require.NoError(t, n.settle(t.Context()))
	require.Len(t, server.Requests(), asked, "it is not asked again at once")
	n.close()

	n = w.open(nil) // a later life knows how long to wait
	n.model(server.Model())
	require.NoError(t, n.settle(t.Context()))
	require.Len(t, server.Requests(), asked)
	n.clock.advance(31 * time.Second)
	require.NoError(t, n.settle(t.Context()))
	require.Greater(t, len(server.Requests()), asked)
	n.clock.advance(31 * time.Second)
	again := len(server.Requests())
	require.NoError(t, n.settle(t.Context()))
	require.Len(t, server.Requests(), again, "the pauses grow")

	provider.down, provider.steps = nil, []llmtest.Step{fixCall(n.mendedTally(), "Amounts are texts")}
	n.clock.advance(time.Minute)
	require.NoError(t, n.settle(t.Context()))
	defer n.close()
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	thread, _ = n.said(id)
	require.Empty(t, thread.Missing)
	require.Equal(t, 1, thread.Turns)
}

// It does not wait for ever: after six hours a person gets the workflow, with that reason.
func TestAProviderThatNeverAnswersHandsToAPerson(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	noMoney := llmtest.Fail(http.StatusTooManyRequests, "insufficient_quota", "You exceeded your current quota")
	provider := &switching{t: t, down: &noMoney}
	server := llmtest.ServeWith(t, provider)
	var logged bytes.Buffer
	n.fixers[workflow.FixerModel] = maintenance.NewModelFixer(maintenance.ModelFixerConfig{Model: server.Model(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	n.runs(id, `{"day":"2026-03-09"}`)
	for hours := 0; hours < 24 && n.state(id).Status == workflow.StatusMaintenance; hours++ {
		n.clock.advance(time.Hour)
		require.NoError(t, n.settle(t.Context()))
	}
	state := n.state(id)
	require.Equal(t, workflow.StatusEscalated, state.Status)
	require.Equal(t, workflow.EscalatedUnfixable, state.Escalation.Reason)
	require.Regexp(t, `The model test-model has given no answer for 6h\d*m?0?s? \(quota, asked \d+ times\)`, state.Escalation.Explanation)
	require.Equal(t, 1, strings.Count(logged.String(), "level=ERROR"), "the operator is told once")
	require.NotContains(t, logged.String(), llmtest.Key)
	require.Zero(t, state.FixCount)
}

// doubted is a workflow whose API has changed so that templates are not sure: a person would be asked.
func (n *node) doubted() (id, mended string) {
	n.t.Helper()
	id = n.create(orders, workflow.Settings{})
	n.succeed(id)
	n.outside.answer("/orders", 200, `{}`)
	return id, n.outside.local(strings.ReplaceAll(orders, "list.orders", "(list.orders ?? Object.values(list.entries ?? {}))"))
}

// unheard brings a doubted workflow to where a fix waits for its person, and the model was not heard.
func (n *node) unheard(provider *switching) (id, held, mended string) {
	n.t.Helper()
	id, mended = n.doubted()
	n.model(llmtest.ServeWith(n.t, provider).Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	for minutes := 0; minutes < 20 && n.state(id).Status == workflow.StatusMaintenance; minutes++ {
		n.clock.advance(time.Minute)
		require.NoError(n.t, n.settle(n.t.Context()))
	}
	require.Equal(n.t, workflow.StatusHeld, n.state(id).Status)
	return id, n.state(id).Maintenance.Held.Proposal, mended
}

func overloaded() *llmtest.Step {
	down := llmtest.Fail(http.StatusServiceUnavailable, "overloaded", "try later")
	return &down
}

// A short outage does not spend a repair: what templates are not sure of waits some minutes for the
// model, also over a restart, and then for the person, who is told that the model was not heard.
func TestADoubtfulFixWaitsForTheModelAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	id, _ := n.doubted()
	server := llmtest.ServeWith(t, &switching{t: t, down: overloaded()})
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	told := server.Request(0).Messages[1].Text
	require.Contains(t, told, "## Candidates that were tried before")
	require.Contains(t, told, "candidate 1 (templates)")
	require.Contains(t, told, "a person would be asked because")
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status)
	n.clock.advance(5 * time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, workflow.StatusMaintenance, n.state(id).Status)
	n.close()

	n = w.open(nil)
	defer n.close()
	n.model(server.Model())
	n.clock.advance(5 * time.Minute)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, workflow.StatusHeld, state.Status, "it waits for ten minutes, whoever waits")
	require.Contains(t, last(state.Maintenance.Held.Reasons), "The model test-model was not heard (unavailable)")
}

// A fix of which nothing but the proof is missing, when the model is heard, takes the place of the one that waits; the answer to
// that one comes too late.
func TestAHeldFixIsReplacedByTheModels(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	provider := &switching{t: t, down: overloaded()}
	id, held, mended := n.unheard(provider)
	provider.down, provider.steps = nil, []llmtest.Step{fixCall(mended, "The amount is in sum")}
	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, []string{
		workflow.TypeFixHeld, workflow.TypeStillFails, workflow.TypeFixProposed, workflow.TypeFixVerified, workflow.TypeFixRejectedStale, workflow.TypeFixHeld,
	}, n.events(id, workflow.TypeFixHeld))
	require.NotEqual(t, held, state.Maintenance.Held.Proposal)
	_, err := n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: held, ScriptID: uuid.NewString()}, person())
	require.ErrorContains(t, err, "it is stale")
	require.NoError(t, n.views.CatchUp(t.Context()))
	open, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id, Type: projections.NotifyFixWaiting, Open: true})
	require.NoError(t, err)
	require.Len(t, open, 1)
}

// A model that is heard in vain leaves the fix with the person, says no more that it was not heard, and is
// not asked again.
func TestAModelThatIsHeardInVain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	provider := &switching{t: t, down: overloaded()}
	id, held, _ := n.unheard(provider)
	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, held, n.state(id).Maintenance.Held.Proposal, "it is still away")
	provider.down, provider.steps = nil, []llmtest.Step{llmtest.Text("I do not know which amount is meant.")}
	n.clock.advance(2 * time.Hour)
	require.NoError(t, n.settle(t.Context()))
	state := n.state(id)
	require.Equal(t, held, state.Maintenance.Held.Proposal)
	require.NotContains(t, strings.Join(state.Maintenance.Held.Reasons, "\n"), "was not heard")
	require.NoError(t, n.views.CatchUp(t.Context()))
	open, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id, Type: projections.NotifyFixWaiting, Open: true})
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.NotContains(t, open[0].Text, "was not heard")
	n.clock.advance(24 * time.Hour)
	require.NoError(t, n.settle(t.Context())) // it would be asked too often
	_, err = n.commands.AcceptFix(t.Context(), id, workflow.AcceptFix{Proposal: held, ScriptID: uuid.NewString()}, person())
	require.NoError(t, err)
}
