package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 25: a run that is under way is settled by its cancellation, and nothing follows from it, whatever it had written.
func TestRule25ACancelledRunIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, writes := range []int{0, 2} {
		cancel := CancelRun{Run: "r1", Reason: "not needed", Writes: writes}
		g := given(t, running...).When(cancel).Then(RunCancelled{Run: "r1", Version: v10, Reason: "not needed", Writes: writes})
		s := g.State()
		require.Equal(t, StatusActive, s.Status)
		require.Zero(t, s.Failing)
		require.Empty(t, s.Admitted)
		require.Empty(t, s.Unfinished)
		over, settled := s.Run("r1")
		require.True(t, settled && over.Cancelled && !over.Succeeded)
		_, retriable := s.Retriable("r1")
		require.False(t, retriable)

		g.When(cancel).ThenRefused(fault.Conflict, "run r1 was cancelled already")
		g.When(SettleRun{Run: "r1"}).ThenRefused(fault.Conflict, "settled already")
		g.When(settleFailed("r1", typeError)).ThenRefused(fault.Conflict, "settled already")
		g.When(ContinueRun{Run: "r1"}).ThenRefused(fault.Conflict, "not unfinished")
		g.When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
	}
}

// Rule 25: a run that has ended is not cancelled, and the refusal says what became of it.
func TestRule25ARunThatHasEndedIsNotCancelled(t *testing.T) {
	t.Parallel()
	cancel := CancelRun{Run: "r1"}
	given(t, running.and(RunSucceeded{Run: "r1", Version: v10})...).When(cancel).ThenRefused(fault.Conflict, "run r1 has succeeded")
	given(t, waiting...).When(cancel).ThenRefused(fault.Conflict, "run r1 has failed, and nothing goes on with it")
	given(t, continuing...).When(cancel).ThenRefused(fault.Conflict, "run r2 goes on with it: cancel that one")
	given(t, running...).When(CancelRun{Run: "r1", Ended: true}).ThenRefused(fault.Conflict, "what follows from that is being decided")
	given(t, active...).When(cancel).ThenRefused(fault.NotFound, "has no run r1")
	given(t, active.and(RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerImport})...).When(cancel).ThenRefused(fault.Conflict, "happened elsewhere")
}

// Rule 25: a run that waits is cancelled, too: for its retry, for a fix or with one, half done, and with its input in the queue.
func TestRule25ARunThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	cancel := CancelRun{Run: "r1", Reason: "x"}
	cancelled := RunCancelled{Run: "r1", Version: v10, Reason: "x", Waited: true}
	wrote := cancelled
	wrote.Writes = 1

	retried := given(t, running...).When(halfDone("r1", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).When(cancel).Then(wrote)
	require.Empty(t, retried.State().Retries)
	require.Empty(t, retried.State().Unfinished)
	require.Nil(t, retried.State().Outage, "nobody asks the other side any more")
	retried.After(time.Hour).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenRefused(fault.Conflict, "does not wait")

	asked := given(t, exhausted().and(RunFailed{Run: "r1", Version: v10, Failure: refused, Writes: 1}, RunUnfinished{Run: "r1", Version: v10, Writes: 1})...).When(cancel).Then(wrote)
	require.Empty(t, asked.State().Unfinished)

	queued := given(t, several...).When(settleFailed("a", hostBroke)).Given(TypeInputRequeued).When(CancelRun{Run: "a"}).Then(RunCancelled{Run: "a", Version: v10, Waited: true})
	require.Empty(t, queued.State().Queue)
	queued.When(RetryInputs{}).ThenNothing()
	given(t, running...).When(offered("n")).ThenTypes(TypeInputQueued).When(CancelRun{Run: "n"}).
		Then(InputSkipped{Run: "n", Trigger: TriggerWebhook, Why: SkippedLeft, Reason: "a person cancelled it"})
}

// Rule 25: the script is as broken as it was, so its repair goes on. The run does not go on with the fix, and a rehearsal that works
// does not try it again.
func TestRule25TheRepairOfACancelledRunGoesOnWithoutIt(t *testing.T) {
	t.Parallel()
	cancel := CancelRun{Run: "r1"}
	gone := given(t, judging...).When(cancel).ThenTypes(TypeRunCancelled)
	require.Equal(t, StatusMaintenance, gone.State().Status)
	mended := gone.When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	require.Nil(t, mended.State().Continuation)
	mended.When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)

	given(t, applied...).When(cancel).ThenTypes(TypeRunCancelled).When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
	given(t, held...).When(cancel).ThenTypes(TypeRunCancelled).When(FindWorking{Run: "r1"}).ThenTypes(TypeNotReproduced, TypeFixRejectedStale, TypeMaintenanceExited)

	attached := given(t, maintenance.and(SettingsChanged{Settings: Settings{MaxActive: 2}}, beside("r2"))...).When(settleFailed("r2", typeError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached).When(CancelRun{Run: "r2"}).ThenTypes(TypeRunCancelled)
	require.Empty(t, attached.State().Maintenance.Attached)
}

// Rule 25: also what comes in from outside has its outcome then: it is not requeued when the repair that it led to ends.
func TestRule25TheInputOfACancelledRunHasItsOutcome(t *testing.T) {
	t.Parallel()
	came := active.and(taken("r1"))
	given(t, came...).When(CancelRun{Run: "r1"}).ThenTypes(TypeRunCancelled)
	g := given(t, came.and(logicFailed("r1", v10, typeError)...).and(entered("t1", "r1", v10, 1))...).When(CancelRun{Run: "r1"}).ThenTypes(TypeRunCancelled)
	g.When(EndMaintenance{Task: "t1", Explanation: "x"}).ThenTypes(TypeEscalated, TypeMaintenanceExited)
}
