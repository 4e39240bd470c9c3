package plan_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: an end that time mends uses up no attempt: the job waits as long as its agent said, else longer each time, and a bounded number of
// times; then a person is asked. One that a person has to mend is held at once, whatever attempts are left.
func TestEndings(t *testing.T) {
	t.Parallel()
	end := func(kind EndingKind, until time.Time) EndStep {
		return EndStep{Job: "prices", Launch: "l2", Result: Outcome{Says: "exit status 1", Ending: &Ending{Kind: kind, Agent: "claude", Says: "its words", Until: until}}}
	}
	twice := shop()
	twice.Jobs[0].Attempts = 2
	work := append(history{PlanStarted{ID: "p", Definition: twice, BaseCommit: "c0", IntegrationCommit: "c0", Place: "/place"}}, working[1:]...)
	for _, kind := range []EndingKind{EndingNoCredit, EndingNotSignedIn, EndingRefused} {
		held := scenario.The[JobHeld](t, given(t, work).When(end(kind, time.Time{})).Events())
		require.Contains(t, held.Reason, "(it said: its words); ", kind)
	}
	relaunched := scenario.The[JobRelaunched](t, given(t, work).When(end(EndingContextFull, time.Time{})).Events())
	require.Contains(t, relaunched.Prompt, "no room left in its context")

	h := work
	now := scenario.Start
	for i := range 20 {
		events := given(t, h).When(end(EndingBusy, time.Time{})).Events()
		delayed := scenario.The[JobDelayed](t, events)
		require.Equal(t, now.Add(min(30*time.Minute, time.Minute<<min(i, 10))), delayed.Until)
		require.Equal(t, 1, delayed.Attempt)
		waits := h.then(events...)
		require.Equal(t, []string{"prices step", "docs start"}, due(t, waits))
		given(t, waits).When(Stop{Job: "prices"}).ThenTypes(TypeJobStopped, TypeJobHeld)
		again := begun("prices", PhaseAgent, 0, "l2")
		require.Contains(t, given(t, waits).State().Prompt(given(t, waits).State().Jobs["prices"], again.Step), "go on from it")
		h = waits.then(again)
	}
	held := scenario.The[JobHeld](t, given(t, h).When(end(EndingBusy, time.Time{})).Events())
	require.Contains(t, held.Reason, "did not reach its service")
	given(t, work).When(end(EndingLimited, now.Add(9*24*time.Hour))).ThenTypes(TypeStepEnded, TypeJobHeld)
	said := scenario.The[JobDelayed](t, given(t, work).When(end(EndingLimited, now.Add(5*time.Hour))).Events())
	require.Equal(t, now.Add(5*time.Hour), said.Until)
}
