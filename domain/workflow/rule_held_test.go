package workflow_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The mode table: how far a verdict goes without a person.
func TestModeTable(t *testing.T) {
	t.Parallel()
	with := func(v Verification, change func(*Verification)) Verification {
		change(&v)
		return v
	}
	verdicts := map[string]Verification{
		"identical":          identical,
		"identical, reason":  with(identical, func(v *Verification) { v.Reasons = heldReasons }),
		"different":          different,
		"different, reason":  with(different, func(v *Verification) { v.Reasons = heldReasons }),
		"unverifiable":       unverified,
		"rehearsed":          with(unverified, func(v *Verification) { v.Rehearsal = &Rehearsal{Succeeded: true} }),
		"assumed":            with(identical, func(v *Verification) { v.Assumed = []string{"as 3 recorded runs"} }),
		"invented":           with(unverified, func(v *Verification) { v.Rehearsal = &Rehearsal{Succeeded: true, Invented: []string{"of nobody"}} }),
		"rehearsal failed":   with(unverified, func(v *Verification) { v.Rehearsal = &Rehearsal{Problem: "TypeError"} }),
		"rehearsed, reason":  with(unverified, func(v *Verification) { v.Rehearsal, v.Reasons = &Rehearsal{Succeeded: true}, heldReasons }),
		"rehearsed, missing": with(unverified, func(v *Verification) { v.Rehearsal, v.Missing = &Rehearsal{Succeeded: true}, 1 }),
		"nothing to replay":  with(unverified, func(v *Verification) { v.Replayed = 0 }),
		"nothing, failed":    with(unverified, func(v *Verification) { v.Replayed, v.Rehearsal = 0, &Rehearsal{} }),
		"all excluded":       with(unverified, func(v *Verification) { v.Replayed, v.Excluded = 0, 2 }),
	}
	applied, held, rejected := TypeFixApplied, TypeFixHeld, TypeFixRejectedDifferent
	table := map[Mode]map[string]string{
		ModeAuto: {
			"identical": applied, "identical, reason": held, "different": rejected, "different, reason": rejected,
			"unverifiable": held, "rehearsed": applied, "rehearsal failed": held, "rehearsed, reason": held, "rehearsed, missing": held,
			"assumed": applied, "invented": held, "nothing to replay": applied, "nothing, failed": held, "all excluded": held,
		},
		ModeProven: {
			"identical": applied, "identical, reason": held, "different": rejected, "different, reason": rejected,
			"unverifiable": held, "rehearsed": held, "rehearsal failed": held, "rehearsed, reason": held, "rehearsed, missing": held,
			"assumed": applied, "invented": held, "nothing to replay": held, "nothing, failed": held, "all excluded": held,
		},
		ModePropose: {
			"identical": held, "identical, reason": held, "different": rejected, "different, reason": rejected,
			"unverifiable": held, "rehearsed": held, "rehearsal failed": held, "rehearsed, reason": held, "rehearsed, missing": held,
			"assumed": held, "invented": held, "nothing to replay": held, "nothing, failed": held, "all excluded": held,
		},
	}
	table[""] = table[ModeAuto]         // the default
	table[ModeOff] = table[ModePropose] // switched off while the repair was under way
	for mode, row := range table {
		require.Len(t, row, len(verdicts))
		for name, want := range row {
			events := given(t, judging.and(SettingsChanged{Settings: Settings{AutoFix: mode}})...).
				When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: verdicts[name]}).Events()
			require.Equal(t, want, events[1].EventType(), "%s: %s", mode, name)
			if h, is := events[1].(FixHeld); is {
				require.NotEmpty(t, h.Reasons, "%s: %s", mode, name)
			}
		}
	}
	given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: Verification{Verdict: "fine"}}).
		ThenRefused(fault.Invalid, `"fine" is not a verdict`)
}

// Mode off: escalated instead of maintenance.
func TestModeOffEscalatesInsteadOfMaintenance(t *testing.T) {
	t.Parallel()
	when := given(t, running.and(SettingsChanged{Settings: Settings{AutoFix: ModeOff}})...).When(settleFailed("r1", typeError))
	require.Equal(t, EscalatedAutoFixOff, scenario.The[Escalated](t, when.Events()).Reason)
	when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeEscalated)
}

// Candidates that pass and lead elsewhere make a fix held, with what they lead to.
func TestAlternativesHoldAFix(t *testing.T) {
	t.Parallel()
	other := Alternative{Code: "async function main() { return 7 }", Comment: "another", Output: json.RawMessage(`7`)}
	g := given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical, Alternatives: []Alternative{other}}).Then(
		FixVerified{Proposal: "p1", Verification: identical, Alternatives: []Alternative{other}},
		FixHeld{Proposal: "p1", Reasons: []string{"other candidates pass as well and lead to another outcome"}, Alternatives: []Alternative{other}})
	require.Equal(t, StatusHeld, g.State().Status)
	require.False(t, g.State().MaintainerWanted())
}

func TestAcceptAppliesTheHeldFix(t *testing.T) {
	t.Parallel()
	g := given(t, held...).When(AcceptFix{Proposal: "p1", ScriptID: "s2", Reason: "looks right"}).Then(
		FixAccepted{Proposal: "p1", Version: v11, Reason: "looks right"},
		ScriptSaved{
			ScriptID: "s2", Version: v11, Code: codeV11, SHA256: shaV11, Comment: "reads latest_charge",
			Summary: "lists refunds", Diagram: "graph LR", Origin: OriginMaintainer, Task: "t1", Proposal: "p1",
		},
		MaintenanceExited{Task: "t1", Why: ExitFixed})
	require.Equal(t, StatusActive, g.State().Status)
	require.Equal(t, 1, g.State().FixCount)
	require.Equal(t, []Version{v11}, g.State().Unconfirmed(), "a person's word confirms nothing: the continued run does")
	g.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "r2"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	g.When(AcceptFix{Proposal: "p1", ScriptID: "s2"}).ThenRefused(fault.Conflict, "it is accepted")
}

func TestAcceptTakesAnAlternative(t *testing.T) {
	t.Parallel()
	events := given(t, held...).When(AcceptFix{Proposal: "p1", ScriptID: "s2", Alternative: 1}).Events()
	require.Equal(t, FixAccepted{Proposal: "p1", Version: v11, Alternative: 1}, events[0])
	saved := scenario.The[ScriptSaved](t, events)
	require.Equal(t, "async function main() { return 7 }", saved.Code)
	require.Equal(t, "another way", saved.Comment)
	for _, wrong := range []int{-1, 2} {
		given(t, held...).When(AcceptFix{Proposal: "p1", ScriptID: "s2", Alternative: wrong}).ThenRefused(fault.Invalid, "has 1 alternatives")
	}
}

// Accepting widens the allow-list by what the fix needs, and says so.
func TestAcceptWidensTheAllowList(t *testing.T) {
	t.Parallel()
	g := given(t, held.and(SettingsChanged{Settings: Settings{Budget: 4, AllowedHosts: []string{"a.test"}}})...)
	when := g.When(AcceptFix{Proposal: "p1", ScriptID: "s2", AllowHosts: []string{"a.test", "b.test", "b.test"}})
	require.Equal(t, []string{"b.test"}, scenario.The[FixAccepted](t, when.Events()).AllowHosts)
	require.Equal(t, Settings{Budget: 4, AllowedHosts: []string{"a.test", "b.test"}}, scenario.The[SettingsChanged](t, when.Events()).Settings)
	require.Equal(t, []string{"a.test"}, g.State().Settings.AllowedHosts, "an earlier state keeps its own")
	g.When(AcceptFix{Proposal: "p1", ScriptID: "s2", AllowHosts: []string{"http://b.test/"}}).ThenRefused(fault.Invalid, "host or host:port")
	g.When(AcceptFix{Proposal: "p1"}).ThenRefused(fault.Invalid, "needs the id")
}

func TestAcceptWhilePausedWaitsToGoOn(t *testing.T) {
	t.Parallel()
	g := given(t, held.and(WorkflowPaused{})...).When(AcceptFix{Proposal: "p1", ScriptID: "s2"}).
		ThenTypes(TypeFixAccepted, TypeScriptSaved, TypeMaintenanceExited)
	require.Equal(t, StatusPaused, g.State().Status)
	require.NotNil(t, g.State().Continuation)
	active := g.When(Activate{}).ThenTypes(TypeWorkflowActivated)
	require.Equal(t, StatusActive, active.State().Status)
	active.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
}

func TestActivatingAPausedRepairGoesBackToIt(t *testing.T) {
	t.Parallel()
	for want, h := range map[Status]history{StatusMaintenance: maintenance, StatusHeld: held} {
		g := given(t, h.and(WorkflowPaused{})...).When(Activate{}).ThenTypes(TypeWorkflowActivated)
		require.Equal(t, want, g.State().Status)
	}
}

// A declined fix escalates, and is declined, not stale.
func TestDeclineEscalates(t *testing.T) {
	t.Parallel()
	g := given(t, held...).When(DeclineFix{Proposal: "p1", Reason: "wrong field"}).Then(
		FixDeclined{Proposal: "p1", Reason: "wrong field"},
		Escalated{
			Reason: EscalatedDeclined, Explanation: "The fix was declined: wrong field", Run: "r1", Task: "t1",
			Actions: []string{ActionReplan, ActionEdit, ActionActivate}, Active: v10,
		},
		MaintenanceExited{Task: "t1", Why: ExitEscalated})
	p, _ := g.State().Proposal("p1")
	require.Equal(t, ProposalDeclined, p.State)
	require.Equal(t, StatusEscalated, g.State().Status)
	given(t, judging...).When(DeclineFix{Proposal: "p1"}).ThenRefused(fault.Conflict, "does not wait for a person")
	given(t, judging...).When(DeclineFix{Proposal: "p7"}).ThenRefused(fault.NotFound, "no proposal p7")
}

// A corrected fix sends the maintainer back to work in the same task.
func TestCorrectRelaunchesTheMaintainer(t *testing.T) {
	t.Parallel()
	g := given(t, held...).When(CorrectFix{Proposal: "p1", Note: "use amount_refunded"}).
		Then(FixCorrectionRequested{Proposal: "p1", Note: "use amount_refunded"})
	require.Equal(t, StatusMaintenance, g.State().Status)
	require.True(t, g.State().MaintainerWanted())
	require.Equal(t, []Correction{{Proposal: "p1", Note: "use amount_refunded"}}, g.State().Maintenance.Corrections)
	g.When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}).ThenTypes(TypeFixProposed).
		When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: identical}).
		ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	g.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Conflict, "it is corrected")
}

// A rechecked fix stays held: the person decides, on the new verdict.
func TestRecheckRecordsANewVerdict(t *testing.T) {
	t.Parallel()
	g := given(t, held...).When(RecheckFix{Proposal: "p1", Verification: identical}).
		Then(FixRechecked{Proposal: "p1", Verification: identical, Reasons: []string{otherOutcome}})
	require.Equal(t, StatusHeld, g.State().Status)
	require.Equal(t, []string{otherOutcome}, g.State().Maintenance.Held.Reasons)
	require.Equal(t, heldReasons, fold(held...).Maintenance.Held.Reasons, "an earlier state keeps its own")
	g.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenTypes(TypeFixAccepted, TypeScriptSaved, TypeMaintenanceExited)
	given(t, held...).When(RecheckFix{Proposal: "p1"}).ThenRefused(fault.Invalid, "not a verdict")
	given(t, judging...).When(RecheckFix{Proposal: "p1", Verification: identical}).ThenRefused(fault.Conflict, "does not wait")
}

const otherOutcome = "other candidates pass as well and lead to another outcome"

// After a recheck a person is still asked for these reasons: the gate's findings now, the fixer's own doubts, which
// no gate lifts, and the mode.
func TestRecheckTellsWhatStillViolates(t *testing.T) {
	t.Parallel()
	doubted := identical
	doubted.Reasons, doubted.Doubts = []string{"constant output", "two fields fit"}, []string{"two fields fit"}
	for mode, want := range map[Mode][]string{
		ModeAuto:    {"two fields fit"},
		ModePropose: {"two fields fit", "this workflow's mode is propose: a person accepts every fix"},
	} {
		again := identical
		again.Doubts = doubted.Doubts
		given(t, judging.and(
			SettingsChanged{Settings: Settings{AutoFix: mode}},
			FixVerified{Proposal: "p1", Verification: doubted}, FixHeld{Proposal: "p1", Reasons: doubted.Reasons},
		)...).When(RecheckFix{Proposal: "p1", Verification: identical}).
			Then(FixRechecked{Proposal: "p1", Verification: again, Reasons: want})
	}
	g := given(t, judging.and(
		FixVerified{Proposal: "p1", Verification: doubted}, FixHeld{Proposal: "p1", Reasons: doubted.Reasons},
	)...).When(RecheckFix{Proposal: "p1", Verification: different}).ThenTypes(TypeFixRechecked)
	require.Contains(t, g.State().Maintenance.Held.Reasons[0], "it changes what used to work: ")
	// Nobody can apply a fix that changes what used to work.
	g.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Conflict, "changes what used to work")
	g.When(DeclineFix{Proposal: "p1"}).ThenTypes(TypeFixDeclined, TypeEscalated, TypeMaintenanceExited)
}

// A fix that was held before reasons were recorded apart has those of its verdict.
func TestAnOldRecheckHasTheReasonsOfItsVerdict(t *testing.T) {
	t.Parallel()
	v := identical
	v.Reasons = []string{"constant output"}
	require.Equal(t, v.Reasons, fold(held.and(FixRechecked{Proposal: "p1", Verification: v})...).Maintenance.Held.Reasons)
}

// Accepting a fix that leaves the envelope allows what it needs, and says so.
func TestAcceptWidensWhatTheFixNeeds(t *testing.T) {
	t.Parallel()
	v := identical
	v.Reasons = []string{"outside the envelope: read of GET new.test/v2"}
	v.Widens = &Widening{Hosts: []string{"new.test"}, Writes: []string{"POST new.test/v2"}, Secrets: []SecretUse{{Name: "TOKEN", Host: "new.test"}}}
	other := Alternative{Code: "async function main() { return 7 }", Comment: "another", Widens: &Widening{Hosts: []string{"third.test"}}}
	g := given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: v, Alternatives: []Alternative{other}}).
		ThenTypes(TypeFixVerified, TypeFixHeld)
	when := g.When(AcceptFix{Proposal: "p1", ScriptID: "s2", AllowHosts: []string{"b.test"}})
	accepted := scenario.The[FixAccepted](t, when.Events())
	require.Equal(t, []string{"b.test", "new.test"}, accepted.AllowHosts)
	require.Equal(t, v.Widens.Secrets, accepted.BindSecrets)
	require.Equal(t, []string{"b.test", "new.test"}, scenario.The[SettingsChanged](t, when.Events()).Settings.AllowedHosts)
	accepted = scenario.The[FixAccepted](t, g.When(AcceptFix{Proposal: "p1", ScriptID: "s2", Alternative: 1}).Events())
	require.Equal(t, []string{"third.test"}, accepted.AllowHosts)
	require.Empty(t, accepted.BindSecrets)
}

// Only the fix that is held is acted on; an answer to another one is told which it is.
func TestOnlyTheHeldFixIsAnswered(t *testing.T) {
	t.Parallel()
	again := held.and(FixCorrectionRequested{Proposal: "p1", Note: "n"},
		FixProposed{Proposal: "p2", Task: "t1", Run: "r1", Base: v10, Code: codeV11},
		FixVerified{Proposal: "p2", Verification: identical}, FixHeld{Proposal: "p2", Reasons: heldReasons})
	for _, command := range []Command{
		AcceptFix{Proposal: "p1", ScriptID: "s"}, DeclineFix{Proposal: "p1"}, CorrectFix{Proposal: "p1"}, RecheckFix{Proposal: "p1", Verification: identical},
	} {
		given(t, again...).When(command).ThenRefused(fault.Conflict, "it is corrected; proposal p2 waits now")
	}
	given(t, judging...).When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Conflict, "it is proposed; none waits now")
}

// heldUnheard is a fix that waits although a fixer was not heard, which is asked on.
var heldUnheard = judging.and(
	FixVerified{Proposal: "p1", Verification: identical},
	FixHeld{Proposal: "p1", Reasons: append(slices.Clip(heldReasons), unheard), Unheard: unheard})

const unheard = "The model m was not heard (unavailable)."

// A fix is held if a fixer could not be asked. The reasons name that fixer, and it is asked again while the fix
// waits.
func TestAHeldFixTellsWhoWasNotHeard(t *testing.T) {
	t.Parallel()
	v := identical
	v.Reasons = heldReasons
	g := given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: v, Unheard: unheard}).
		Then(FixVerified{Proposal: "p1", Verification: v}, FixHeld{Proposal: "p1", Reasons: []string{heldReasons[0], unheard}, Unheard: unheard})
	require.True(t, g.State().BetterWanted())
	require.False(t, g.State().MaintainerWanted())
	again := g.When(RecheckFix{Proposal: "p1", Verification: v}).ThenTypes(TypeFixRechecked) // a person's
	require.True(t, again.State().BetterWanted())
	require.Equal(t, []string{heldReasons[0], unheard}, again.State().Maintenance.Held.Reasons)
	require.False(t, g.When(OpenPlannerTask{Task: "pl", Thread: "th"}).ThenTypes(TypePlannerTaskOpened).State().BetterWanted(), "rule 8")
	given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical, Unheard: unheard}).
		ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited) // nothing holds it
	given(t, held...).When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}).ThenRefused(fault.Conflict, "waits for a person")
	given(t, heldUnheard...).When(EndMaintenance{Task: "t1"}).ThenRefused(fault.Conflict, "it is for them to decide")
}

// A better fix takes the place of a held one until the person has answered; the answer to the old one
// comes too late, and says so.
func TestABetterFixReplacesTheHeldOne(t *testing.T) {
	t.Parallel()
	replaced := FixRejectedStale{Proposal: "p1", Base: v10, Current: v10, Why: StaleReplaced}
	proposed := given(t, heldUnheard...).When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV1}).ThenTypes(TypeFixProposed)
	require.Equal(t, StatusHeld, proposed.State().Status)

	applied := proposed.When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: identical}).
		ThenTypes(TypeFixVerified, TypeFixRejectedStale, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	require.Equal(t, v11, applied.State().Active)
	applied.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Conflict, "it is stale; none waits now")

	v := identical
	v.Reasons = heldReasons
	held := proposed.When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: v}).
		Then(FixVerified{Proposal: "p2", Verification: v}, replaced, FixHeld{Proposal: "p2", Reasons: heldReasons})
	held.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Conflict, "it is stale; proposal p2 waits now")
	held.When(AcceptFix{Proposal: "p2", ScriptID: "s"}).ThenTypes(TypeFixAccepted, TypeScriptSaved, TypeMaintenanceExited)

	// The person was faster.
	accepted := proposed.When(AcceptFix{Proposal: "p1", ScriptID: "s"}).ThenTypes(TypeFixAccepted, TypeScriptSaved, TypeMaintenanceExited)
	accepted.When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: identical}).ThenTypes(TypeFixVerified, TypeFixRejectedStale)

	// A candidate that the gate rejects changes nothing about the held fix.
	different := proposed.When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: different}).ThenTypes(TypeFixVerified, TypeFixRejectedDifferent)
	require.Equal(t, "p1", different.State().Maintenance.Held.Proposal)
}

// If the fixer that is asked later has nothing better, the fix waits on, and no fixer is asked any more. Its other
// candidates come behind the alternatives that the person may have seen.
func TestAFixerWithNothingBetterIsAskedNoMore(t *testing.T) {
	t.Parallel()
	first, second := Alternative{Code: "async function main() { return 7 }", Comment: "another"}, Alternative{Code: codeV1, Comment: "a third"}
	v := identical
	v.Reasons = heldReasons
	g := given(t, judging.and(FixVerified{Proposal: "p1", Verification: v},
		FixHeld{Proposal: "p1", Reasons: append(slices.Clip(heldReasons), unheard), Alternatives: []Alternative{first}, Unheard: unheard})...).
		When(RecheckFix{Proposal: "p1", Verification: v, Heard: true, Alternatives: []Alternative{second, first}}).
		Then(FixRechecked{Proposal: "p1", Verification: v, Reasons: heldReasons, Alternatives: []Alternative{first, second}})
	require.False(t, g.State().BetterWanted())
	require.Equal(t, heldReasons, g.State().Maintenance.Held.Reasons)
	require.Equal(t, []Alternative{first, second}, g.State().Maintenance.Held.Alternatives)
}

// A save, a rollback or the archive overtakes a fix that waits: nobody would judge it any more.
func TestAHeldFixIsOvertaken(t *testing.T) {
	t.Parallel()
	for why, command := range map[string]Command{
		StaleReplanned:  SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner},
		StaleRolledBack: Rollback{To: v10, ScriptID: "s"},
		StaleArchived:   Archive{},
	} {
		events := given(t, held...).When(command).Events()
		after := fold(held.and(events...)...)
		require.Equal(t, []event.Event{
			FixRejectedStale{Proposal: "p1", Base: v10, Current: after.Active, Why: why},
			MaintenanceExited{Task: "t1", Why: why},
		}, events[1:])
		p, _ := after.Proposal("p1")
		require.Equal(t, ProposalStale, p.State)
		require.Nil(t, after.Maintenance)
	}
}

// A verdict is cut to what one append can hold, and it says that it was cut.
func TestAVerdictFitsOneAppend(t *testing.T) {
	t.Parallel()
	huge := json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)
	v := unverified
	v.Output, v.Writes, v.Reasons = huge, huge, make([]string, 5000)
	v.Rehearsal = &Rehearsal{Succeeded: true, Output: huge, Writes: huge, Problem: strings.Repeat("y", 1<<20)}
	var alternatives []Alternative
	for range 40 {
		alternatives = append(alternatives, Alternative{Code: strings.Repeat("z", 20<<10), Output: huge})
	}
	events := given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: v, Alternatives: alternatives}).Events()
	total := 0
	for _, e := range events {
		payload, err := event.Marshal(e)
		require.NoError(t, err)
		total += len(payload)
	}
	require.Less(t, total, 1<<20)
	verified := events[0].(FixVerified)
	require.JSONEq(t, `"(2097154 bytes, left out)"`, string(verified.Verification.Output))
	require.Contains(t, verified.Verification.Reasons, "and 4968 more")
	require.NotEmpty(t, verified.Alternatives)
}
