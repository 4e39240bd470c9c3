package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/kintsugi-run/kintsugi/domain/session"
)

// Rule: where it was an agent that failed, its check proves nothing by itself: it may pass because nothing was done.
func TestAnAgentThatFailedIsResolvedByAnAgent(t *testing.T) {
	t.Parallel()
	agents := failed
	agents.Trigger, agents.Agent = JobFailed, true
	doctor := history(opened(), invoked(1, agents), cast(1, RunDoctor, true), green)
	next, _ := given(t, doctor...).State().Next()
	require.Equal(t, StepCast, next.Step, "the check passes, and yet it goes on")
	badly := history(opened(), invoked(1, agents), SpellStarted{Healing: 1, Cast: 1, Spell: RetryMinimal, By: Rules},
		SpellApplied{Healing: 1, Cast: 1, Spell: RetryMinimal, Applied: true, Changed: true, Failed: true}, green)
	next, _ = given(t, badly...).State().Next()
	require.Equal(t, StepCast, next.Step, "the agent that tried again failed, too")
	well := history(opened(), invoked(1, agents), cast(1, RetryMinimal, true), green)
	next, _ = given(t, well...).State().Next()
	require.Equal(t, StepConclude, next.Step)
}

// Rule: a healing that nobody wants any more is ended unresolved, in the middle of a spell, and once.
func TestStop(t *testing.T) {
	t.Parallel()
	h := history(opened(), invoked(1, failed), SpellStarted{Healing: 1, Cast: 1, Spell: RetryMinimal, By: Rules})
	ended := HealerConcluded{Healing: 1, Outcome: Unresolved, Reason: "the plan was cancelled", Stopped: true, Subtask: "prices"}
	given(t, h...).When(Stop{Healing: 1, Reason: "the plan was cancelled"}).Then(ended)
	given(t, append(h, ended)...).When(Stop{Healing: 1}).ThenNothing()
	_, err := Follow(given(t, h...).State(), ended)
	require.NoError(t, err)
	ended.Outcome = Contained
	_, err = Follow(given(t, h...).State(), ended)
	require.Error(t, err)
}

// Rule: a healing that was stopped says nothing of the next: the same failure may be healed as if it had not been.
func TestAStoppedHealingCountsForNothing(t *testing.T) {
	t.Parallel()
	stopped := HealerConcluded{Healing: 1, Outcome: Unresolved, Stopped: true, Subtask: "prices"}
	again := Invoke{Failure: failed, Planner: Rules, Head: "c1"}
	given(t, opened(), invoked(1, failed), stopped).When(again).Then(invoked(2, failed))
	stopped.Stopped = false
	events := given(t, opened(), invoked(1, failed), stopped).When(again).Events()
	require.Equal(t, Skipped, events[1].(HealerConcluded).Outcome)
}

// Rule: a check that failed is run again before anything is done. If it passes then it is flaky, which is said, and nobody
// takes work away; a history may call no other check so.
func TestAFlakyCheckTakesNoWorkAway(t *testing.T) {
	t.Parallel()
	begun := history(opened(), invoked(1, failed))
	next, _ := given(t, begun...).State().Next()
	require.Equal(t, StepCheck, next.Step)
	end := concluded(t, begun, green)
	require.Equal(t, Resolved, end.Outcome)
	require.True(t, end.Flaky)
	require.Contains(t, end.Reason, "tests is flaky")

	next, _ = given(t, append(begun, red)...).State().Next()
	require.Equal(t, Next{Step: StepCast, Spell: RetryMinimal}, next, "it fails again")
	mended := history(begun, red, cast(1, RetryMinimal, true), green)
	require.False(t, concluded(t, mended).Flaky, "an agent mended it")
	claims := HealerConcluded{Healing: 1, Outcome: Resolved, Flaky: true}
	_, err := Follow(given(t, mended...).State(), claims)
	require.Error(t, err)
	_, err = Follow(given(t, append(begun, green)...).State(), claims)
	require.NoError(t, err)

	dirty, agents := failed, failed
	dirty.Trigger, dirty.Check = LeftDirty, Check{Name: CleanTree}
	agents.Trigger, agents.Agent = JobFailed, true
	for _, f := range []Failure{dirty, agents} {
		next, _ = given(t, opened(), invoked(1, f)).State().Next()
		require.Equal(t, StepCast, next.Step, "its check says nothing of %s when it is run again", f.Trigger)
	}
}
