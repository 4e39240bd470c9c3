package workflow_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// heldAt is a workflow whose fix began to wait then.
func heldAt(at time.Time, settings Settings, v Verification, alternatives ...Alternative) (state State) {
	for _, e := range judging.and(SettingsChanged{Settings: settings}, FixVerified{Proposal: "p1", Verification: v},
		FixHeld{Proposal: "p1", Reasons: []string{"it waits"}, Alternatives: alternatives}) {
		state = EvolveAt(state, e, at)
	}
	return state
}

func typesOf(events []event.Event) (names []string) {
	for _, e := range events {
		names = append(names, e.EventType())
	}
	return names
}

// A fix that waits has as long as the settings say, from when it began to wait; then it is declined, once. Without the setting, or
// for who does not know when it began, there is no deadline.
func TestNobodyDecidedInTime(t *testing.T) {
	t.Parallel()
	within := Settings{AutoFix: ModePropose, DecideWithinMS: (48 * time.Hour).Milliseconds()}
	state := heldAt(scenario.Start, within, identical)
	at, due := state.DecisionDue()
	require.True(t, due)
	require.Equal(t, scenario.Start.Add(48*time.Hour), at)
	early, err := Decide(state, DecideOverdue{ScriptID: "s2"}, at.Add(-time.Millisecond))
	require.NoError(t, err)
	require.Empty(t, early)

	events, err := Decide(state, DecideOverdue{ScriptID: "s2"}, at)
	require.NoError(t, err)
	require.Equal(t, []string{TypeFixDeclined, TypeEscalated, TypeMaintenanceExited}, typesOf(events))
	require.Equal(t, "nobody decided within 48h0m0s", events[0].(FixDeclined).Reason)
	for _, e := range events {
		state = EvolveAt(state, e, at)
	}
	_, due = state.DecisionDue()
	require.False(t, due)
	again, err := Decide(state, DecideOverdue{ScriptID: "s2"}, at.Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, again)

	_, due = heldAt(scenario.Start, Settings{AutoFix: ModePropose}, identical).DecisionDue()
	require.False(t, due, "the settings say nothing")
	_, due = given(t, held.and(SettingsChanged{Settings: within})...).State().DecisionDue()
	require.False(t, due, "it is not known since when")
}

// By default nobody's word accepts. Where the settings let it, it accepts what would have been applied had proven fixes been: any
// other reason to ask a person declines.
func TestTheDeadlineAcceptsWhereOnlyAWordIsMissing(t *testing.T) {
	t.Parallel()
	may := Settings{AutoFix: ModePropose, DecideWithinMS: (time.Hour).Milliseconds(), OnDeadline: DeadlineAcceptIfProven}
	with := func(change func(*Verification)) Verification { v := identical; change(&v); return v }
	decided := func(state State) []string {
		events, err := Decide(state, DecideOverdue{ScriptID: "s2"}, scenario.Start.Add(time.Hour))
		require.NoError(t, err)
		return typesOf(events)
	}
	accepted := []string{TypeFixAccepted, TypeScriptSaved, TypeMaintenanceExited}
	declined := []string{TypeFixDeclined, TypeEscalated, TypeMaintenanceExited}
	require.Equal(t, accepted, decided(heldAt(scenario.Start, may, identical)))
	for name, v := range map[string]Verification{
		"unverifiable": unverified, "rehearsed": {Verdict: VerdictUnverifiable, Rehearsal: &Rehearsal{Succeeded: true}},
		"a reason": with(func(v *Verification) { v.Reasons = heldReasons }), "a doubt": with(func(v *Verification) { v.Doubts = []string{"unsure"} }),
		"reaches further": with(func(v *Verification) { v.Widens = &Widening{Hosts: []string{"new.test"}} }), "nothing replayed": with(func(v *Verification) { v.Replayed = 0 }),
	} {
		require.Equal(t, declined, decided(heldAt(scenario.Start, may, v)), name)
	}
	require.Equal(t, declined, decided(heldAt(scenario.Start, may, identical, Alternative{Code: codeV11})), "there is a choice")
	unheard := heldAt(scenario.Start, may, identical)
	unheard = EvolveAt(unheard, FixHeld{Proposal: "p1", Unheard: "the model was not heard"}, scenario.Start)
	require.Equal(t, declined, decided(unheard))
}

// Half-way its person is told once more, once for each fix, and not when it is too late to decide. The one who is told is the one
// it was given to.
func TestHalfWayAPersonIsRemindedOnce(t *testing.T) {
	t.Parallel()
	state := heldAt(scenario.Start, Settings{AutoFix: ModePropose, DecideWithinMS: (48 * time.Hour).Milliseconds()}, identical)
	half, due := state.ReminderDue()
	require.True(t, due)
	require.Equal(t, scenario.Start.Add(24*time.Hour), half)
	reminded := func(state State, now time.Time) []event.Event {
		events, err := Decide(state, RemindOfDecision{}, now)
		require.NoError(t, err)
		return events
	}
	require.Empty(t, reminded(state, half.Add(-time.Millisecond)))
	require.Empty(t, reminded(state, scenario.Start.Add(48*time.Hour)), "it is decided now")
	state = EvolveAt(state, DecisionDelegated{Notification: "n", Proposal: "p1", To: "ben"}, scenario.Start)
	events := reminded(state, half)
	require.Equal(t, []event.Event{DecisionReminded{Proposal: "p1", Due: scenario.Start.Add(48 * time.Hour), OnDeadline: DeadlineDecline, To: "ben"}}, events)
	after := EvolveAt(state, events[0], half)
	require.Empty(t, reminded(after, half.Add(time.Hour)))
	_, due = after.ReminderDue()
	require.False(t, due)
	at, due := after.DecisionDue()
	require.True(t, due, "being reminded moves nothing")
	require.Equal(t, scenario.Start.Add(48*time.Hour), at)

	another := EvolveAt(after, FixHeld{Proposal: "p1"}, half)
	_, due = another.ReminderDue()
	require.True(t, due, "what takes its place has the whole time")
}

// A decision can be given to somebody else as long as it waits. Giving it to the person who has it does nothing.
func TestADecisionIsGivenToSomebodyElse(t *testing.T) {
	t.Parallel()
	toBen := DelegateDecision{Notification: "n", Proposal: "p1", To: "ben"}
	ben := given(t, held...).When(toBen).Then(DecisionDelegated(toBen))
	require.Equal(t, "ben", ben.State().Maintenance.Held.For)
	ben.When(toBen).Then()
	group := DelegateDecision{Notification: "n", Proposal: "p1", To: "group:finance", Note: "it is theirs"}
	theirs := ben.When(group).Then(DecisionDelegated(group))
	name, is := GroupOf(theirs.State().Maintenance.Held.For)
	require.True(t, is)
	require.Equal(t, "finance", name)
	require.Equal(t, "ben", ben.State().Maintenance.Held.For, "the state before keeps its own")
	theirs.When(AcceptFix{Proposal: "p1", ScriptID: "s"}) // who gave it away can still decide with what lets them in

	given(t, held...).When(DelegateDecision{Notification: "n", Proposal: "p9", To: "ben"}).ThenRefused(fault.NotFound, "p9")
	ben.And(FixRejectedStale{Proposal: "p1"}).When(DelegateDecision{Notification: "n", Proposal: "p1", To: "carl"}).ThenRefused(fault.Conflict, "p1")
	given(t, held...).When(DelegateDecision{Notification: "n", Question: "q", To: "ben"}).ThenRefused(fault.Conflict, "does not wait for an answer any more")
	for _, to := range []string{"", "  ", "group:", "a\nb", strings.Repeat("x", 201)} {
		given(t, held...).When(DelegateDecision{Notification: "n", To: to}).ThenRefused(fault.Invalid, "a decision is given to a person")
	}
	given(t, held...).When(DelegateDecision{To: "ben"}).ThenRefused(fault.Invalid, "name the notification")

	asking := given(t, maintenance.and(QuestionAsked{Question: "q", Task: "t1", Text: "which?"})...)
	asked := asking.When(DelegateDecision{Notification: "n", Question: "q", To: "ben"}).Then(DecisionDelegated{Notification: "n", Question: "q", To: "ben"})
	require.Equal(t, "ben", asked.State().Questions[0].For)
	require.Empty(t, asking.State().Questions[0].For)
	asked.When(DelegateDecision{Notification: "n", Question: "q", To: "ben"}).Then()
}

func TestDeadlinesThatAreNone(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]Settings{"on_deadline": {OnDeadline: "accept"}, "decide_within_ms": {DecideWithinMS: 48}, "at least": {DecideWithinMS: -1}} {
		given(t, active...).When(ChangeSettings{Settings: settings}).ThenRefused(fault.Invalid, want)
	}
}
