package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// healed is a history whose plan says what the Healer may do.
func healed(h history, change ...func(*session.Policy)) history {
	policy := session.DefaultPolicy()
	for _, one := range change {
		one(&policy)
	}
	begins := h[0].(PlanStarted)
	begins.Definition.Healer = &policy
	return append(history{begins}, slices.Clone(h[1:])...)
}

// red is the end of a program that failed.
func red(job, launch, reason string) EndStep {
	return EndStep{Job: job, Launch: launch, Result: Outcome{Says: "it ended with exit status 1", Tail: "no such page", Reason: reason}}
}

// called is the call of the Healer at the end of a history.
func called(t *testing.T, h history) HealingStarted {
	t.Helper()
	require.IsType(t, HealingStarted{}, h[len(h)-1])
	return h[len(h)-1].(HealingStarted)
}

// after is a history with what follows from a command.
func (h history) after(t *testing.T, c Command) history {
	t.Helper()
	return h.then(given(t, h).When(c).Events()...)
}

// Rule: a job that failed beyond its attempts is given to the Healer, with the failed step, if a policy says so.
func TestTriggers(t *testing.T) {
	t.Parallel()
	docs := started.then(JobStarted{Job: "docs", Base: "c0"}, begun("docs", PhaseInit, 0, "d1"), ok("docs", PhaseInit, 0, "d1"), begun("docs", PhaseAgent, 0, "d2"))
	other := red("docs", "d2", "")
	other.Result.Tail = "something else"
	second := docs.after(t, other).then(StepStarted{Job: "docs", Attempt: 2, Step: Step{Phase: PhaseAgent}, Launch: "d3"})
	for name, test := range map[string]struct {
		given   history
		fails   EndStep
		trigger session.Trigger
		subtask string
		check   string
	}{
		"an init":               {running.then(begun("prices", PhaseInit, 0, "l1")), red("prices", "l1", ""), session.InitFailed, "prices", "make deps"},
		"an agent":              {working, red("prices", "l2", ""), session.JobFailed, "prices", "make prices"},
		"an agent for too long": {working, red("prices", "l2", ReasonTimeout), session.Stuck, "prices", "make prices"},
		"an agent that is gone": {working, red("prices", "l2", ReasonLost), session.RuntimeError, "prices", "make prices"},
		"a part of a job":       {second, red("docs", "d3", ""), session.SubtaskFailed, "docs/1", "make all"},
		"a verification":        {verifying.then(begun("prices", PhaseVerify, 0, "l3")), red("prices", "l3", ""), session.VerificationFailed, "prices", "make prices"},
		"one after a merge":     {merging.then(begun("prices", PhaseInit, 0, "l4"), ok("prices", PhaseInit, 0, "l4"), begun("prices", PhaseVerify, 0, "l5")), red("prices", "l5", ""), session.VerificationFailed, "prices", "make all"},
	} {
		h := healed(test.given).after(t, test.fails)
		call := called(t, h)
		require.Equal(t, test.trigger, call.Trigger, name)
		require.Equal(t, test.subtask, call.Subtask, name)
		require.Equal(t, "p-"+call.Job, call.Session, name)
		state := given(t, h).State()
		require.Equal(t, JobHealing, state.Jobs[call.Job].Status, name)
		require.Contains(t, due(t, h), call.Job+" heal", name)
		failed := state.Failure(state.Jobs[call.Job])
		require.Equal(t, test.check, failed.Check.Command, name)
		require.Contains(t, failed.Task, "Change only files", name)
		require.Equal(t, []string{"agent"}, failed.Policy.Agent.Command, "the job's own agent tries again")
		require.False(t, failed.Policy.Allows(session.UpdateProgress), "the progress file is outside of the touch set")

		given(t, test.given).When(test.fails).ThenTypes(TypeStepEnded, TypeJobHeld)
		off := func(p *session.Policy) { p.Enabled = false }
		given(t, healed(test.given, off)).When(test.fails).ThenTypes(TypeStepEnded, TypeJobHeld)
	}
}

// Rule: an attempt that fails exactly as the one before is the last, however many are left.
func TestStuck(t *testing.T) {
	t.Parallel()
	many := func(h history) history {
		begins := h[0].(PlanStarted)
		begins.Definition.Jobs = slices.Clone(begins.Definition.Jobs)
		begins.Definition.Jobs[0].Attempts = 9
		return append(history{begins}, h[1:]...)
	}
	second := many(healed(working)).after(t, red("prices", "l2", "")).then(StepStarted{Job: "prices", Attempt: 2, Step: Step{Phase: PhaseAgent}, Launch: "l3"})
	require.Equal(t, session.Stuck, called(t, second.after(t, red("prices", "l3", ""))).Trigger)
	other := red("prices", "l3", "")
	other.Result.Tail = "something else"
	given(t, second).When(other).ThenTypes(TypeStepEnded, TypeJobRelaunched)
}

// Rule: only what was resolved goes on, and it is checked again as if nobody had healed it; all else is held as before, with
// what the Healer came to.
func TestHealingEnds(t *testing.T) {
	t.Parallel()
	verification := healed(verifying.then(begun("prices", PhaseVerify, 0, "l3")))
	for _, test := range []struct {
		given history
		when  EndStep
		after JobStatus
		next  string
	}{
		{healed(running.then(begun("prices", PhaseInit, 0, "l1"))), red("prices", "l1", ""), JobRunning, "prices step"},
		{healed(working), red("prices", "l2", ""), JobChecking, "prices check"},
		{verification, red("prices", "l3", ""), JobChecking, "prices check"},
		{healed(merging.then(begun("prices", PhaseInit, 0, "l4"), ok("prices", PhaseInit, 0, "l4"), begun("prices", PhaseVerify, 0, "l5"))), red("prices", "l5", ""), JobChecking, "prices check"},
	} {
		h := test.given.after(t, test.when)
		resolved := EndHealing{Job: "prices", Session: "p-prices", Number: 1, Outcome: session.Resolved}
		given(t, h).When(resolved).ThenTypes(TypeHealingEnded)
		require.Equal(t, test.after, given(t, h.after(t, resolved)).State().Jobs["prices"].Status)
		require.Contains(t, due(t, h.after(t, resolved)), test.next)
		for _, outcome := range []session.Outcome{session.Contained, session.Unresolved, session.Skipped} {
			ends := EndHealing{Job: "prices", Session: "p-prices", Number: 1, Outcome: outcome, Reason: "why", Kept: []string{"refs/kept"}}
			given(t, h).When(ends).ThenTypes(TypeHealingEnded, TypeJobHeld)
			held := h.after(t, ends)
			require.Equal(t, outcome, given(t, held).State().Jobs["prices"].Held.Healing.Outcome)
			again := given(t, held.after(t, Relaunch{Job: "prices", Checkpoint: 1})).State().Jobs["prices"]
			require.True(t, again.Answered, "what was blocked is let go on")
			require.Contains(t, again.Prompt, "refs/kept")
		}
	}
	begun := verification.after(t, red("prices", "l3", ""))
	ends := EndHealing{Job: "prices", Session: "p-prices", Outcome: session.Resolved}
	given(t, begun.after(t, ends)).When(ends).ThenRefused(fault.Conflict, "its end is ignored")
	cancelled := begun.after(t, Cancel{})
	require.Equal(t, []string{"prices kill"}, due(t, cancelled))
	given(t, cancelled).When(ends).ThenTypes(TypeHealingEnded)
}

// Rule: a person decides about every change outside of the touch set, also about one that the Healer made.
func TestTheHealerAcceptsNothing(t *testing.T) {
	t.Parallel()
	h := healed(verifying.then(begun("prices", PhaseVerify, 0, "l3"))).after(t, red("prices", "l3", "")).
		after(t, EndHealing{Job: "prices", Session: "p-prices", Outcome: session.Resolved})
	given(t, h).When(check(beside)).ThenTypes(TypeJobHeld)
	given(t, healed(checking)).When(check(beside)).ThenTypes(TypeJobHeld)
}
