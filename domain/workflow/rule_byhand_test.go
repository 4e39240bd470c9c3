package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// tried is an active workflow in which a person tries something.
var tried = active.and(RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerManual, Input: json.RawMessage(`{"day":7}`), Aside: true})

func asksRepair(run string, f failure.Failure) RepairRun {
	return RepairRun{Run: run, Failure: f, Input: json.RawMessage(`{"day":7}`), Task: "t-" + run, Thread: "th-" + run, Item: "it-" + run}
}

// Rule 21: a failed run that a person started by hand changes nothing of the workflow.
func TestRule21AFailureByHandIsItsRunsAlone(t *testing.T) {
	t.Parallel()
	given(t, active...).When(AdmitRun{Run: "r1", Trigger: TriggerManual, Input: json.RawMessage(`{"day":7}`)}).Then(tried[len(tried)-1])
	given(t, active...).When(AdmitRun{Run: "r1", Trigger: TriggerManual, Repair: true}).
		Then(RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerManual, Input: json.RawMessage(`{}`)})
	for _, f := range []failure.Failure{typeError, timeLimit, signedOut, notAllowed, hostBroke, diverged} {
		require.False(t, NeedsRehearsal(fold(tried...), "r1", f))
		g := given(t, tried...).When(settleFailed("r1", f)).Then(RunFailed{Run: "r1", Version: v10, Failure: f})
		require.Equal(t, StatusActive, g.State().Status)
		g.When(AdmitRun{Run: "slot", Trigger: TriggerSchedule}).ThenTypes(TypeRunAdmitted)
	}
	// Trouble that may pass has the run tried again, and no slot waits for it.
	later := given(t, tried...).When(settleFailed("r1", refused)).ThenTypes(TypeRunFailed, TypeRetryScheduled)
	slot := later.When(AdmitRun{Run: "slot", Trigger: TriggerSchedule}).ThenTypes(TypeRunAdmitted)
	slot.When(SettleRun{Run: "slot"}).ThenTypes(TypeRunSucceeded).
		After(time.Minute).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted).
		When(settleFailed("r2", typeError)).Then(RunFailed{Run: "r2", Version: v10, Failure: typeError})
	// One that had written is half done, and its person is asked.
	given(t, tried...).When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeRunUnfinished)
}

// Rule 21: a person may have it repaired; then it is evidence as any other failure.
func TestRule21AFailureByHandIsRepairedIfAPersonAsks(t *testing.T) {
	t.Parallel()
	failed := given(t, tried...).When(settleFailed("r1", typeError)).ThenTypes(TypeRunFailed)
	asked := failed.When(asksRepair("r1", typeError)).Then(
		RepairAsked{Run: "r1", Version: v10, Failure: typeError, Input: json.RawMessage(`{"day":7}`)},
		MaintenanceEntered{Task: "t-r1", Thread: "th-r1", Item: "it-r1", Run: "r1", Base: v10, Attempt: 1, Budget: 3, At: at(0)},
	)
	require.Equal(t, StatusMaintenance, asked.State().Status)
	require.Equal(t, typeError, asked.State().Maintenance.Failure)
	fixed := applyFix(asked, "r1")
	fixed.When(SettleRun{Run: "r1'"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed)
	fixed.When(settleFailed("r1'", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated)
	asked.When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "being repaired already")

	// One that comes while a repair is under way joins it.
	given(t, maintenance.and(RunAdmitted{Run: "r2", Version: v10, Trigger: TriggerManual, Aside: true}, RunFailed{Run: "r2", Version: v10, Failure: otherError})...).
		When(asksRepair("r2", otherError)).ThenTypes(TypeRepairAsked, TypeFailureAttached)

	failed.When(asksRepair("rx", typeError)).ThenRefused(fault.NotFound, "no run rx")
	given(t, tried...).When(settleFailed("r1", signedOut)).ThenTypes(TypeRunFailed).When(asksRepair("r1", signedOut)).ThenRefused(fault.Conflict, "no change of the script mends")
	given(t, tried...).When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "has not ended")
	failed.And(ScriptSaved{Version: v20, Code: codeV11, Origin: OriginPerson}).When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "version 2.0 is active")
	failed.And(SettingsChanged{Settings: Settings{AutoFix: ModeOff}}).When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "automatic fixes off")
	given(t, active.and(RunAdmitted{Run: "f", Version: v10, Trigger: TriggerFork}, RunFailed{Run: "f", Version: v10, Failure: typeError})...).
		When(asksRepair("f", typeError)).ThenRefused(fault.Conflict, "is a fork")
	given(t, tried...).When(SettleRun{Run: "r1"}).ThenTypes(TypeRunSucceeded).When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "succeeded")
	gone := given(t, tried...).When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeRunUnfinished).
		When(AdmitRun{Run: "r2", Trigger: TriggerManual, Restarts: "r1"}).ThenTypes(TypeRunAdmitted)
	gone.When(asksRepair("r1", typeError)).ThenRefused(fault.Conflict, "has gone on with")
}
