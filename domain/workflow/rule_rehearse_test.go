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

// Rule 23: a workflow that was handed to a person goes on unchanged when its code works again, with all waiting
// inputs.
func TestRule23EscalatedIsNotTheEnd(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(taken("a"))...).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered).
		When(EndMaintenance{Task: "t-a"}).Given(TypeEscalated).When(offered("b")).ThenTypes(TypeInputQueued)
	run, _, ok := g.State().Rehearsable()
	require.True(t, ok)
	require.Equal(t, "a", run)
	g.When(FindWorking{Run: "b"}).ThenNothing()
	works := g.When(FindWorking{Run: "a"}).Then(NotReproduced{Run: "a"})
	require.Equal(t, StatusActive, works.State().Status)
	order, _ := drains(t, works)
	require.Equal(t, []string{"a", "b"}, order)
	works.When(FindWorking{Run: "a"}).ThenNothing()

	// A half-done run goes on where it stopped.
	half := given(t, active.and(taken("a"))...).When(halfDone("a", typeError)).Given(TypeMaintenanceEntered).
		When(EndMaintenance{Task: "t-a"}).ThenTypes(TypeEscalated, TypeMaintenanceExited, TypeRunUnfinished)
	half.When(FindWorking{Run: "a"}).Then(NotReproduced{Run: "a"}, RetryScheduled{Run: "a", Attempt: 1, At: scenario.Start, Fresh: true})
}

// Rule 23: the setting has runs start all the same while a workflow is handed to its person; their failures change
// nothing more, and waiting inputs are tried at a person's word.
func TestRule23ASettingRunsWhatWasHandedOver(t *testing.T) {
	t.Parallel()
	h := active.and(SettingsChanged{Settings: Settings{OnEscalation: OnHoldContinue}}, taken("a"))
	g := given(t, h...).When(settleFailed("a", typeError)).Given(TypeMaintenanceEntered).When(EndMaintenance{Task: "t-a"}).Given(TypeEscalated)
	require.Equal(t, StatusEscalated, g.State().Status)
	slot := at(time.Hour)
	for _, admit := range []AdmitRun{{Run: "n", Trigger: TriggerManual}, {Run: "n", Trigger: TriggerSchedule, Slot: &slot}, {Run: "n", Trigger: TriggerWebhook}} {
		g.When(admit).ThenTypes(TypeRunAdmitted)
	}
	again := g.When(offered("b")).ThenTypes(TypeRunAdmitted).When(settleFailed("b", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)
	require.Equal(t, StatusEscalated, again.State().Status)
	order, _ := drains(t, again.When(RetryInputs{}).ThenTypes(TypeInputRequeued, TypeInputRequeued))
	require.Equal(t, []string{"a", "b"}, order)

	blocked := g.And(SettingsChanged{})
	blocked.When(AdmitRun{Run: "n", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "was handed to you")
	blocked.When(RetryInputs{}).ThenRefused(fault.Conflict, "was handed to you")
	given(t, active...).When(ChangeSettings{Settings: Settings{OnEscalation: "run"}}).ThenRefused(fault.Invalid, "on_escalation")
}

// Rule 23: nor does a fix that waits for a person hold up what works again: it is overtaken.
func TestRule23AHeldWorkflowGoesOnWhenItWorksAgain(t *testing.T) {
	t.Parallel()
	works := given(t, held...).When(FindWorking{Run: "r1"}).Then(
		NotReproduced{Run: "r1"}, FixRejectedStale{Proposal: "p1", Base: v10, Current: v10, Why: StaleWorks}, MaintenanceExited{Task: "t1", Why: ExitWorks},
		RetryScheduled{Run: "r1", Attempt: 1, At: scenario.Start, Fresh: true})
	require.Equal(t, StatusActive, works.State().Status)

	// Nothing here waits for what an imported run would do.
	var imported []event.Event
	for _, one := range held {
		switch of := one.(type) {
		case RunAdmitted:
			of.Trigger = TriggerImport
			one = of
		case LogicErrorClassified:
			one = RepairAsked{Run: "r1", Version: v10, Failure: typeError}
		}
		imported = append(imported, one)
	}
	given(t, imported...).When(FindWorking{Run: "r1"}).ThenTypes(TypeNotReproduced, TypeFixRejectedStale, TypeMaintenanceExited)
}

// Rule 23: a rehearsal says nothing about what does not repeat its writes, what looked wrong, and what a person took back.
func TestRule23ARunThatARehearsalCannotJudgeIsNotRehearsed(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]history{
		"active": active, "repaired": judging, "waits for access": waiting, "paused": escalated.and(WorkflowPaused{}), "archived": escalated.and(WorkflowArchived{}),
		"diverged":  continuing.and(RunFailed{Run: "r2", Version: v11, Failure: diverged}, Escalated{Reason: EscalatedDiverged, Run: "r2", Active: v10, Withdrawn: []Version{v11}}),
		"withdrawn": applied.and(Escalated{Reason: EscalatedWithdrawn, Active: v10, Withdrawn: []Version{v11}}),
	} {
		_, _, ok := fold(h...).Rehearsable()
		require.False(t, ok, name)
	}
}

// Rule 23: the pauses between rehearsals double, up to a day.
func TestRule23RehearsalsBackOff(t *testing.T) {
	t.Parallel()
	handed := State{}
	for _, e := range active.and(taken("a"), RunFailed{Run: "a", Version: v10, Failure: typeError}, Escalated{Reason: EscalatedUnfixable, Run: "a", Active: v10}) {
		handed = EvolveAt(handed, e, scenario.Start)
	}
	for name, s := range map[string]State{"a": handed, "r1": heldAt(scenario.Start, Settings{}, identical)} {
		last := scenario.Start
		var pauses []time.Duration
		for range 12 {
			run, next, due := s.RehearsalDue()
			require.True(t, due)
			require.Equal(t, name, run)
			early, err := Decide(s, NoteRehearsal{Run: run}, next.Add(-time.Millisecond))
			require.NoError(t, err)
			require.Empty(t, early, "before a slot is skipped it may be rehearsed more often")
			events, err := Decide(s, NoteRehearsal{Run: run}, next)
			require.NoError(t, err)
			require.Equal(t, []event.Event{StillFails{Run: run, At: next}}, events)
			// The history alone says what is known of it, so another life of the server goes on with the same pauses.
			_, err = Follow(s, events[0])
			require.NoError(t, err)
			s = EvolveAt(s, events[0], next)
			pauses, last = append(pauses, next.Sub(last)/time.Minute), next
		}
		require.Equal(t, []time.Duration{10, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440}, pauses)
	}
	none, err := Decide(fold(active...), NoteRehearsal{Run: "a"}, scenario.Start)
	require.NoError(t, err)
	require.Empty(t, none)
}
