package handlers_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/internal/llm/llmtest"
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
	n.fixers[workflow.FixerModel] = handlers.NewModelFixer(handlers.ModelFixerConfig{Model: server.Model(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
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

// What templates found is not kept waiting: a person decides about it.
func TestATemplatesFixDoesNotWaitForAModel(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{})
	n.outside.answer("/orders", 200, oldOrders(1, 2)) // one success proves little: templates' fix is unsure
	n.runs(id, `{"day":"2026-03-01"}`)
	down := llmtest.Fail(http.StatusServiceUnavailable, "overloaded", "try later")
	server := llmtest.ServeWith(t, &switching{t: t, down: &down})
	n.model(server.Model())
	n.outside.answer("/orders", 200, `{"orders":[{"id":"o1","sum":{"value":3,"currency":"EUR"},"paid":{"value":2,"currency":"EUR"},"state":"open"}]}`)
	n.runs(id, `{"day":"2026-03-09"}`)
	require.NotEmpty(t, server.Requests(), "templates are not sure, so the model is asked")
	told := server.Request(0).Messages[1].Text
	require.Contains(t, told, "## Candidates that were tried before")
	require.Contains(t, told, "candidate 1 (templates)")
	require.Contains(t, told, "a person would be asked because")
	require.Equal(t, workflow.StatusHeld, n.state(id).Status, n.events(id, workflow.TypeRunFailed))
}
