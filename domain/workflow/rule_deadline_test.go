package workflow_test

import (
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

func TestDeadlinesThatAreNone(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]Settings{"on_deadline": {OnDeadline: "accept"}, "decide_within_ms": {DecideWithinMS: 48}, "at least": {DecideWithinMS: -1}} {
		given(t, active...).When(ChangeSettings{Settings: settings}).ThenRefused(fault.Invalid, want)
	}
}
