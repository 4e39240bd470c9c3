package workflow_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// taken is an input that became a run.
func taken(run string) RunAdmitted {
	return RunAdmitted{Run: run, Version: v10, Trigger: TriggerWebhook, Beside: true, Input: json.RawMessage(`1`)}
}

// takenBeside is one that others may be beside.
func takenBeside(run string) RunAdmitted {
	e := taken(run)
	e.Beside = true
	return e
}

// again is the wait of an input whose run failed.
func again(run string, number int, waits string, f failure.Failure) InputRequeued {
	return InputRequeued{Run: run, Trigger: TriggerWebhook, Number: number, Waits: waits, Reason: f.String()}
}

// drains has everything that is ready become runs that succeed, one after the other, and gives which failed runs they go on with.
func drains(t *testing.T, g scenario.Given[State, Command]) (order []string, after scenario.Given[State, Command]) {
	t.Helper()
	for {
		admit, at, ok := g.State().NextInput(g.Now())
		if !ok || !at.IsZero() {
			return order, g
		}
		of := admit.Continues
		if of == "" {
			of = admit.Run
		} else {
			admit.Run = of + "'"
		}
		order = append(order, of)
		g = g.When(admit).ThenTypes(TypeRunAdmitted).When(SettleRun{Run: admit.Run}).Given(TypeRunSucceeded)
	}
}

// several has three inputs run at once.
var several = active.and(SettingsChanged{Settings: Settings{MaxActive: 3}}, takenBeside("a"), takenBeside("b"), takenBeside("c"))

// Rule 22: an input that is refused access waits for it, and is tried again with the right key.
func TestRule22AnInputWaitsForAccess(t *testing.T) {
	t.Parallel()
	for _, f := range []failure.Failure{signedOut, notAllowed} {
		g := given(t, active.and(taken("a"))...).When(settleFailed("a", f))
		require.Equal(t, again("a", 1, WaitsAccess, f), scenario.The[InputRequeued](t, g.Events()))
		waits := g.Given()
		_, _, ok := waits.State().NextInput(waits.Now())
		require.False(t, ok)
		waits.When(RetryInputs{}).ThenRefused(fault.Conflict, "waits for access")
		waits = waits.When(offered("b")).ThenTypes(TypeInputQueued)
		order, done := drains(t, waits.When(Activate{}).ThenTypes(TypeWorkflowActivated))
		require.Equal(t, []string{"a", "b"}, order, "in the order in which they came")
		require.Empty(t, done.State().Queue)
	}
}

// Rule 22: of inputs that fail of one change all are carried out once its fix is confirmed, in order, and once.
func TestRule22AnInputThatJoinedARepairWaitsForItsFix(t *testing.T) {
	t.Parallel()
	g := given(t, several...).
		When(settleFailed("b", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered).
		When(settleFailed("c", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached, TypeInputRequeued).
		When(settleFailed("a", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached, TypeInputRequeued).
		When(offered("d")).ThenTypes(TypeInputQueued).
		When(ProposeFix{Proposal: "p1", Task: "t-b", Code: codeV11}).ThenTypes(TypeFixProposed).
		When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited).
		When(AdmitRun{Run: "b'", Trigger: TriggerContinuation, Continues: "b"}).ThenTypes(TypeRunAdmitted)
	g.When(AdmitRun{Run: "a'", Trigger: TriggerRetry, Continues: "a"}).ThenRefused(fault.Conflict, "that of run d comes first")
	g = g.When(SettleRun{Run: "b'"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	g.When(AdmitRun{Run: "c'", Trigger: TriggerRetry, Continues: "c"}).ThenRefused(fault.Conflict, "that of run a comes first")
	g.When(AdmitRun{Run: "a'", Trigger: TriggerRetry, Continues: "a"}).
		Then(RunAdmitted{Run: "a'", Version: v11, Trigger: TriggerRetry, Continues: "a", Attempt: 1, Fresh: true, Beside: true})
	order, done := drains(t, g)
	require.Equal(t, []string{"a", "c", "d"}, order)
	require.Empty(t, done.State().Queue)
	done.When(AdmitRun{Run: "x", Trigger: TriggerRetry, Continues: "a"}).ThenRefused(fault.Conflict, "does not wait")
}

// Rule 22: where no fix comes, all wait for what their person does.
func TestRule22AnInputThatWasHandedOverWaitsForItsPerson(t *testing.T) {
	t.Parallel()
	repaired := given(t, several...).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered).When(settleFailed("b", typeError)).Given(TypeFailureAttached)
	handedOver := repaired.When(EndMaintenance{Task: "t-a"}).ThenTypes(TypeEscalated, TypeMaintenanceExited, TypeInputRequeued)
	handedOver = handedOver.When(settleFailed("c", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)
	handedOver.When(RetryInputs{}).ThenRefused(fault.Conflict, "handed to you")
	for name, c := range map[string]Command{
		"as it is": Activate{}, "other code": SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}, "planned anew": SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPlanner},
		"an earlier version": Rollback{To: v10, ScriptID: "s2"},
	} {
		order, done := drains(t, handedOver.When(c).Given())
		require.Equal(t, []string{"a", "b", "c"}, order, name)
		require.Empty(t, done.State().Queue, name)
	}
	// A fix that is declined, and one from outside.
	declined := repaired.When(ProposeFix{Proposal: "p1", Task: "t-a", Code: codeV11}).Given(TypeFixProposed).
		When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: Verification{Verdict: VerdictIdentical, Reasons: heldReasons}}).Given(TypeFixHeld).
		When(DeclineFix{Proposal: "p1"}).ThenTypes(TypeFixDeclined, TypeEscalated, TypeMaintenanceExited, TypeInputRequeued)
	require.Len(t, declined.State().Queue, 2)
	suggested := handedOver.When(SuggestFix{
		Run: "a", Proposal: "p2", ScriptID: "s9", Base: v10, Code: codeV11, Verification: identical, Task: "t9", Thread: "th9", Item: "it9",
	}).Given(TypeMaintenanceEntered)
	suggested = suggested.When(AdmitRun{Run: "a'", Trigger: TriggerContinuation, Continues: "a"}).ThenTypes(TypeRunAdmitted)
	order, _ := drains(t, suggested.When(SettleRun{Run: "a'"}).Given(TypeFixConfirmed))
	require.Equal(t, []string{"b", "c"}, order, "the one that went on with the fix does not run twice")
}

// Rule 22: an input that failed on an earlier version is tried on the active one.
func TestRule22AnInputOfAnEarlierVersionIsTriedOnTheNewOne(t *testing.T) {
	t.Parallel()
	save := SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}
	for name, f := range map[string]failure.Failure{"logic": typeError, "network": refused, "access": signedOut, "ours": hostBroke} {
		g := given(t, active.and(taken("a"))...).When(save).ThenTypes(TypeScriptSaved).When(settleFailed("a", f))
		require.True(t, scenario.The[InputRequeued](t, g.Events()).Ready, name)
		order, _ := drains(t, g.Given())
		require.Equal(t, []string{"a"}, order, name)
	}
	// Also what waited for its retry, for a repair or to go on with a fix when the version was saved.
	retried := given(t, active.and(taken("a"))...).When(settleFailed("a", refused)).Given(TypeRetryScheduled).When(save).ThenTypes(TypeScriptSaved, TypeInputRequeued)
	repaired := given(t, active.and(taken("a"))...).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered)
	fixed := repaired.When(ProposeFix{Proposal: "p1", Task: "t-a", Code: codeV11}).Given(TypeFixProposed).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).Given(TypeFixApplied)
	for name, g := range map[string]scenario.Given[State, Command]{
		"retried": retried, "repaired": repaired.When(save).ThenTypes(TypeScriptSaved, TypeMaintenanceExited, TypeInputRequeued),
		"fixed": fixed.When(save).ThenTypes(TypeScriptSaved, TypeInputRequeued),
	} {
		order, done := drains(t, g)
		require.Equal(t, []string{"a"}, order, name)
		require.Empty(t, done.State().Queue, name)
	}
}

// Rule 22: an input whose retries are spent is tried when the other side is back, and every hour.
func TestRule22AnInputOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	spent := active.and(SettingsChanged{Settings: Settings{MaxActive: 2}}, takenBeside("a"), RunFailed{Run: "a", Version: v10, Failure: refused}, RetryScheduled{Run: "a", Attempt: 8},
		RunAdmitted{Run: "a8", Version: v10, Trigger: TriggerRetry, Continues: "a", Attempt: 8, Beside: true})
	g := given(t, spent...).When(settleFailed("a8", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeInputRequeued)
	admit, when, ok := g.State().NextInput(g.Now())
	require.True(t, ok)
	require.Equal(t, at(time.Hour), when)
	require.Equal(t, "a8", admit.Continues)
	g.When(AdmitRun{Run: "x", Trigger: TriggerRetry, Continues: "a8"}).ThenRefused(fault.Conflict, "is to be tried again at")
	order, _ := drains(t, g.After(time.Hour))
	require.Equal(t, []string{"a8"}, order)
	// Others do not wait behind it, and show that the outage is over.
	back := g.When(offered("b")).ThenTypes(TypeRunAdmitted).When(SettleRun{Run: "b"}).ThenTypes(TypeRunSucceeded, TypeRecovered)
	order, _ = drains(t, back)
	require.Equal(t, []string{"a8"}, order)
}

// Rule 22: a person sees what waits, has all of it tried at once, or one, and gives one up.
func TestRule22ThePersonDecidesAboutWhatWaits(t *testing.T) {
	t.Parallel()
	g := given(t, several...).When(settleFailed("a", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified, TypeInputRequeued).
		When(settleFailed("b", hostBroke)).Given(TypeInputRequeued).When(SettleRun{Run: "c"}).Given(TypeRunSucceeded)
	retry := g.When(RetryInputs{}).ThenTypes(TypeInputRequeued, TypeInputRequeued)
	retry.When(RetryInputs{}).ThenNothing()
	order, done := drains(t, retry)
	require.Equal(t, []string{"a", "b"}, order)
	done.When(RetryInputs{}).ThenNothing()

	one := g.When(ContinueRun{Run: "b"}).ThenTypes(TypeRetryScheduled)
	require.Len(t, one.State().Queue, 1)
	one.When(AdmitRun{Run: "b'", Trigger: TriggerRetry, Continues: "b"}).ThenTypes(TypeRunAdmitted)

	left := g.When(LeaveRun{Run: "a", Note: "by hand"}).Then(InputSkipped{Run: "a", Trigger: TriggerWebhook, Why: SkippedLeft, Reason: "by hand"})
	require.Len(t, left.State().Queue, 1)
	left.When(LeaveRun{Run: "a"}).ThenRefused(fault.Conflict, "not unfinished")
	// One that has not run yet, too.
	given(t, running...).When(offered("n")).ThenTypes(TypeInputQueued).When(LeaveRun{Run: "n"}).
		Then(InputSkipped{Run: "n", Trigger: TriggerWebhook, Why: SkippedLeft, Reason: "a person gave it up"})
	// A run that was given up while it waited for its retry is no more waited for.
	given(t, active.and(taken("a"))...).When(settleFailed("a", refused)).Given(TypeRetryScheduled).When(LeaveRun{Run: "a"}).Then(RunLeft{Run: "a"})
}

// Rule 22: the number of waiting inputs is bounded, the archive drops them, and each drop is recorded.
func TestRule22WaitingInputsAreBounded(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{MaxActive: 9, QueuedInputs: 2}}, takenBeside("a"), takenBeside("b"), takenBeside("c"), takenBeside("d"))...)
	for _, run := range []string{"a", "b"} {
		g = g.When(settleFailed(run, hostBroke)).Given(TypeInputRequeued)
	}
	full := g.When(settleFailed("c", hostBroke))
	require.Equal(t, SkippedFull, scenario.The[InputSkipped](t, full.Events()).Why)
	full.Given().When(offered("n")).ThenTypes(TypeRunAdmitted) // in nobody's way

	gone := g.When(Archive{})
	gone.ThenTypes(TypeWorkflowArchived, TypeInputSkipped, TypeInputSkipped)
	late := gone.Given().When(settleFailed("d", typeError))
	require.Equal(t, SkippedArchived, scenario.The[InputSkipped](t, late.Events()).Why)
	require.True(t, late.Given().State().TakesOutcomes(), "nothing that came later was dropped yet")
	waits := given(t, active.and(taken("a"))...).When(settleFailed("a", refused)).Given(TypeRetryScheduled).When(Archive{})
	require.Equal(t, SkippedArchived, scenario.The[InputSkipped](t, waits.Events()).Why)
}

// Rule 22: a slot is an input. As many wait as the catch-up policy makes up for.
func TestRule22SlotsWaitAsTheirCatchUpPolicySays(t *testing.T) {
	t.Parallel()
	for catchUp, want := range map[CatchUp][]string{CatchUpAll: {"s0", "s1"}, CatchUpLast: {"s1"}, "": {"s1"}, CatchUpNone: nil} {
		g := given(t, active.and(ScheduleChanged{Spec: "0 * * * *", CatchUp: catchUp})...)
		for i := range 2 {
			slot, run := at(time.Duration(i+1)*time.Hour), fmt.Sprint("s", i)
			g = g.When(AdmitRun{Run: run, Trigger: TriggerSchedule, Slot: &slot}).Given(TypeRunAdmitted).When(settleFailed(run, hostBroke)).Given(TypeInternalErrorClassified)
		}
		skips := g.State()
		require.Len(t, skips.Queue, len(want), "%q", catchUp)
		order, done := drains(t, g.When(SaveScript{ScriptID: "s2", Code: codeV1, Origin: OriginPerson}).Given())
		require.Equal(t, want, order, "%q", catchUp)
		require.Empty(t, done.State().Queue)
	}
	// Its run has the slot.
	slot := at(time.Hour)
	g := given(t, active.and(ScheduleChanged{Spec: "0 * * * *"})...).When(AdmitRun{Run: "s", Trigger: TriggerSchedule, Slot: &slot}).Given(TypeRunAdmitted).
		When(settleFailed("s", signedOut)).Given(TypeInputRequeued).When(Activate{}).Given(TypeWorkflowActivated).
		When(AdmitRun{Run: "s'", Trigger: TriggerRetry, Continues: "s"})
	require.Equal(t, &slot, scenario.The[RunAdmitted](t, g.Events()).Slot)
}

// Rule 22: a run that tries a fix is still its trial when its own retries are spent.
func TestRule22AFixIsConfirmedByItsRunAlsoAfterALongOutage(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(taken("a"))...).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered).
		When(ProposeFix{Proposal: "p1", Task: "t-a", Code: codeV11}).Given(TypeFixProposed).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).Given(TypeFixApplied).
		When(AdmitRun{Run: "a0", Trigger: TriggerContinuation, Continues: "a"}).Given(TypeRunAdmitted)
	for i := range 9 {
		g = g.When(settleFailed(fmt.Sprint("a", i), refused)).Given(TypeNetworkErrorClassified).After(time.Hour)
		if i < 8 {
			g = g.When(AdmitRun{Run: fmt.Sprint("a", i+1), Trigger: TriggerRetry, Continues: fmt.Sprint("a", i)}).ThenTypes(TypeRunAdmitted)
		}
	}
	require.Len(t, g.State().Queue, 1)
	g.When(AdmitRun{Run: "a9", Trigger: TriggerRetry, Continues: "a8"}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "a9"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
}

// Rule 22: runs by hand, and runs that have written, are not put into the queue.
func TestRule22IsAboutInputsThatHaveWrittenNothing(t *testing.T) {
	t.Parallel()
	given(t, running...).When(settleFailed("r1", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified)
	given(t, active.and(taken("a"))...).When(halfDone("a", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified, TypeRunUnfinished)
}

// kinds has these kinds of events come, each as often as it says, and succeed.
func kinds(times map[string]int) history {
	h := active
	for _, kind := range sortedKeys(times) {
		for i := range times[kind] {
			run := fmt.Sprint(kind, i)
			h = h.and(RunAdmitted{Run: run, Version: v10, Trigger: TriggerWebhook, Kind: kind}, RunSucceeded{Run: run, Version: v10})
		}
	}
	return h
}

// Rule 22: one event of a kind that never succeeded takes no workflow down: it waits for a version that takes it, and the others go on.
func TestRule22AnInputOfANewKindIsParked(t *testing.T) {
	t.Parallel()
	event := func(run, kind string) OfferInput {
		return OfferInput{Run: run, Trigger: TriggerWebhook, Input: json.RawMessage(`{"type":"` + kind + `","data":{}}`)}
	}
	g := given(t, kinds(map[string]int{"order.created": 2, "order.paid": 2})...).When(event("a", "order.refunded")).ThenTypes(TypeRunAdmitted)
	parked := g.When(settleFailed("a", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)
	require.Equal(t, StatusActive, parked.State().Status)
	require.Equal(t, WaitsTaker, parked.State().Queue[0].Waits)
	_, _, ok := parked.State().NextInput(parked.Now())
	require.False(t, ok, "not by the clock")
	parked = parked.When(event("b", "order.paid")).ThenTypes(TypeRunAdmitted).When(SettleRun{Run: "b"}).ThenTypes(TypeRunSucceeded, TypeRecovered)
	_, _, ok = parked.State().NextInput(parked.Now())
	require.False(t, ok)
	order, done := drains(t, parked.When(SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}).Given())
	require.Equal(t, []string{"a"}, order)
	done.When(event("c", "order.refunded")).ThenTypes(TypeRunAdmitted).When(settleFailed("c", typeError)).Given(TypeMaintenanceEntered) // it is known by now

	// A person has it tried again; it is parked again, and not repaired.
	again := parked.When(RetryInputs{}).ThenTypes(TypeInputRequeued).When(AdmitRun{Run: "a'", Trigger: TriggerRetry, Continues: "a"}).ThenTypes(TypeRunAdmitted)
	again.When(settleFailed("a'", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)

	for name, c := range map[string]struct {
		before history
		ask    OfferInput
	}{
		"a kind that has succeeded":           {kinds(map[string]int{"order.created": 4}), event("a", "order.created")},
		"nothing has succeeded":               {active, event("a", "order.created")},
		"what is another in each one (an id)": {kinds(map[string]int{"id1": 1, "id2": 1, "id3": 1, "id4": 1}), event("a", "id5")},
		"no kind":                             {kinds(map[string]int{"order.created": 4}), OfferInput{Run: "a", Trigger: TriggerWebhook, Input: json.RawMessage(`{"type":7}`)}},
	} {
		g := given(t, c.before...).When(c.ask).ThenTypes(TypeRunAdmitted).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered)
		require.Equal(t, StatusMaintenance, g.State().Status, name)
	}
	// Runs that have written, and failures that are not the script's, are judged as ever.
	g.When(halfDone("a", typeError)).Given(TypeMaintenanceEntered)
	g.When(settleFailed("a", refused)).Given(TypeRetryScheduled)
}

// Rule 22: so does one that the types of main refuse.
func TestRule22AnInputThatMainDoesNotTakeIsParked(t *testing.T) {
	t.Parallel()
	settle := settleFailed("a", typeError)
	settle.Refused = "n is a text, and main takes a number"
	parked := given(t, active.and(taken("a"))...).When(settle)
	require.Equal(t, "it is not what main takes: n is a text, and main takes a number: "+typeError.String(), scenario.The[InputRequeued](t, parked.Events()).Reason)
	parked.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)
}
