package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

var overtaken = failure.Failure{
	Class: failure.Logic, Name: "ContinuationError", Code: failure.CodeOvertaken, Message: `later runs have changed key "n"`, Strict: "SO", Loose: "LO",
}

// retrying is a run that goes on with one that the network failed.
var retrying = active.and(admitted("r0", v10), RunFailed{Run: "r0", Version: v10, Failure: refused, Writes: 1}, RetryScheduled{Run: "r0", Attempt: 3},
	RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerRetry, Continues: "r0", Attempt: 3})

// Rule 15: a run that later ones have overtaken stands still for its person, and its workflow goes on.
func TestRule15ARunThatWasOvertakenStandsStill(t *testing.T) {
	t.Parallel()
	require.False(t, NeedsRehearsal(fold(retrying...), "r1", overtaken))
	stands := given(t, retrying...).When(settleFailed("r1", overtaken)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeRunUnfinished)
	require.Equal(t, StatusActive, stands.State().Status)
	require.Contains(t, stands.State().Unfinished["r1"].Problem, `key "n"`)
	stands.When(AdmitRun{Run: "next", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)

	// A person who is told what has changed, and has the run go on, is not asked about it again.
	goesOn := stands.When(ContinueRun{Run: "r1"}).Then(RetryScheduled{Run: "r1", Attempt: 1, At: stands.Now(), Regardless: true})
	again := goesOn.When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
	require.True(t, again.State().Admitted["r2"].Regardless)
	require.True(t, again.When(settleFailed("r2", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).State().Retries["r2"].Regardless)
	stands.When(LeaveRun{Run: "r1"}).ThenTypes(TypeRunLeft)
	stands.When(AdmitRun{Run: "r2", Trigger: TriggerManual, Restarts: "r1"}).ThenTypes(TypeRunAdmitted)

	// Only a word about this very run has it go on.
	goes := SettingsChanged{Settings: Settings{Unfinished: UnfinishedContinue}}
	given(t, retrying.and(goes)...).When(settleFailed("r1", overtaken)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeRunUnfinished)
	stands.And(Escalated{Reason: EscalatedUnfixable, Run: "r9", Active: v10}).When(Activate{}).ThenTypes(TypeWorkflowActivated)
}

// Rule 15: one that has written nothing reads again instead: nothing can happen twice.
func TestRule15ARunThatWasOvertakenBeforeItWroteReadsAgain(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(admitted("r0", v10), RunFailed{Run: "r0", Version: v10, Failure: refused}, RetryScheduled{Run: "r0", Attempt: 3},
		RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerRetry, Continues: "r0", Attempt: 3})...)
	retry := g.When(settleFailed("r1", overtaken)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeRetryScheduled).State().Retries["r1"]
	require.True(t, retry.Fresh)
	require.False(t, retry.Regardless)
	require.Equal(t, 4, retry.Attempt)
	require.True(t, retry.At.After(g.Now().Add(time.Second)))
}

// Rule 15: that a continuation was overtaken says nothing about the fix.
func TestRule15AnOvertakenContinuationDoesNotRegressItsFix(t *testing.T) {
	t.Parallel()
	settle := settleFailed("r2", overtaken)
	settle.Writes = 1
	stands := given(t, continuing...).When(settle).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeRunUnfinished)
	require.Equal(t, StatusActive, stands.State().Status)
	require.Equal(t, []Version{v11}, stands.State().Unconfirmed())
	goesOn := stands.When(ContinueRun{Run: "r2"}).ThenTypes(TypeRetryScheduled).When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted)
	goesOn.When(SettleRun{Run: "r3"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
}
