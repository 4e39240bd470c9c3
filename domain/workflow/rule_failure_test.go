package workflow_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 3: a logic failure of the active version enters maintenance in ONE append, with
// one task, its own thread and its own inbox item.
func TestRule03LogicFailureEntersMaintenanceInOneAppend(t *testing.T) {
	t.Parallel()
	g := given(t, running...).
		When(SettleRun{Run: "r1", Failure: &typeError, Rehearsed: RehearsedReproduced, Evidence: "thrown by the script", Task: "t1", Thread: "th", Item: "it"}).
		Then(
			RunFailed{Run: "r1", Version: v10, Failure: typeError},
			LogicErrorClassified{Classified{Run: "r1", Strict: "S1", Loose: "L1", Evidence: "thrown by the script"}},
			MaintenanceEntered{Task: "t1", Thread: "th", Item: "it", Run: "r1", Base: v10, Attempt: 1, Budget: 3, At: scenario.Start},
		)
	require.Equal(t, StatusMaintenance, g.State().Status)
	require.True(t, g.State().MaintainerWanted())
	require.Equal(t, typeError, g.State().Maintenance.Failure)
	require.JSONEq(t, `{"day":1}`, string(g.State().Maintenance.Info.Input))
}

func TestRule03LimitFailureEntersMaintenance(t *testing.T) {
	t.Parallel()
	given(t, running...).When(settleFailed("r1", timeLimit)).ThenTypes(TypeRunFailed, TypeLimitErrorClassified, TypeMaintenanceEntered)
}

func TestRule03MaintenanceNeedsTheIdsOfItsTask(t *testing.T) {
	t.Parallel()
	given(t, running...).When(SettleRun{Run: "r1", Failure: &typeError}).ThenRefused(fault.Invalid, "ids of a task")
}

// Rule 3: while a task is open, further failures attach to it, whatever the error and
// also while the workflow is paused or a fix is held.
func TestRule03FurtherFailuresAttach(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]history{
		"maintenance": maintenance, "held": held, "paused": maintenance.and(WorkflowPaused{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := given(t, open.and(admitted("r8", v10), admitted("r9", v10))...).
				When(settleFailed("r8", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached).
				When(settleFailed("r9", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached)
			require.Equal(t, []string{"r8", "r9"}, g.State().Maintenance.Attached)
			require.Equal(t, "t1", g.State().Maintenance.Task)
		})
	}
}

// Rule 3: a failure of a version that is no longer active is recorded, never maintained.
func TestRule03FailureOfAnOldVersionIsRecordedOnly(t *testing.T) {
	t.Parallel()
	replanned := running.and(ScriptSaved{ScriptID: "s2", Version: v20, Code: codeV11, Origin: OriginPlanner})
	for _, f := range []failure.Failure{typeError, timeLimit, signedOut, notAllowed, refused, hostBroke, diverged} {
		g := given(t, replanned...)
		events := g.When(settleFailed("r1", f)).Events()
		require.Len(t, events, 2, "%s: %v", f.Class, events)
		require.Equal(t, StatusActive, fold(replanned.and(events...)...).Status, "%s", f.Class)
	}
	// The version before a fix is no longer active either.
	given(t, applied.and(RunAdmitted{Run: "r5", Version: v10, Trigger: TriggerWebhook})...).
		When(settleFailed("r5", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeInputRequeued)
}

// Rule 3: the run was admitted before the pause, and the pause does not make its failure unseen.
func TestRule03FailureAfterAPauseIsMaintained(t *testing.T) {
	t.Parallel()
	g := given(t, running.and(WorkflowPaused{})...).
		When(settleFailed("r1", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	require.Equal(t, StatusPaused, g.State().Status)
	require.True(t, g.State().MaintainerWanted())
}

func TestRule03NothingFollowsWhereAPersonHasItAlready(t *testing.T) {
	t.Parallel()
	given(t, escalated.and(admitted("r8", v10))...).When(settleFailed("r8", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified)
	given(t, archived.and(admitted("r8", v10))...).When(settleFailed("r8", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified)
	given(t, archived.and(admitted("r8", v10))...).When(settleFailed("r8", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified)
}

// Before maintenance the old code is rehearsed: if it works now, no budget is spent.
func TestRule03NotReproducedIsRetriedWithItsReadsMadeAgain(t *testing.T) {
	t.Parallel()
	settle := settleFailed("r1", typeError)
	settle.Rehearsed = RehearsedWorks
	g := given(t, running...)
	require.True(t, NeedsRehearsal(g.State(), "r1", typeError))
	events := g.When(settle).Events()
	retry := scenario.The[RetryScheduled](t, events)
	require.Equal(t, 1, retry.Attempt)
	require.True(t, retry.Fresh)
	after := g.When(settle).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeNotReproduced, TypeRetryScheduled)
	require.Zero(t, after.State().FixCount)
	require.Equal(t, StatusActive, after.State().Status)
	after.After(time.Minute).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).
		Then(RunAdmitted{Run: "r2", Version: v10, Trigger: TriggerRetry, Input: json.RawMessage(`{"day":1}`), Continues: "r1", Attempt: 1, Fresh: true}).
		// The chain stays fresh: the first run's reads must not come back by a detour.
		When(settleFailed("r2", refused)).Given(TypeRetryScheduled).
		After(time.Minute).When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).
		Then(RunAdmitted{Run: "r3", Version: v10, Trigger: TriggerRetry, Input: json.RawMessage(`{"day":1}`), Continues: "r2", Attempt: 2, Fresh: true})
}

// NeedsRehearsal is true exactly where the outcome of a rehearsal changes what is decided.
func TestNeedsRehearsalAgreesWithSettleRun(t *testing.T) {
	t.Parallel()
	off := SettingsChanged{Settings: Settings{AutoFix: ModeOff}}
	histories := map[string]history{
		"active": running, "draft": draft.and(admitted("r1", v10)), "open task": maintenance.and(admitted("r1", v10)),
		"escalated": escalated.and(admitted("r1", v10)), "archived": archived.and(admitted("r1", v10)), "off": running.and(off),
		"old version": running.and(ScriptSaved{Version: v20, Origin: OriginPerson}), "after fix": applied.and(continues("r1", "r1", v11)),
		"imported": active.and(RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerImport}),
	}
	for name, h := range histories {
		for _, f := range []failure.Failure{typeError, timeLimit, refused, signedOut, notAllowed, hostBroke, diverged} {
			s := fold(h...)
			settle := settleFailed("r1", f)
			reproduced, err := Decide(s, settle, scenario.Start)
			require.NoError(t, err)
			settle.Rehearsed = RehearsedWorks
			works, err := Decide(s, settle, scenario.Start)
			require.NoError(t, err)
			changes := NeedsRehearsal(s, "r1", f)
			if changes {
				require.NotEqual(t, reproduced, works, "%s %s", name, f.Name)
			} else {
				require.Equal(t, reproduced, works, "%s %s", name, f.Name)
			}
		}
	}
	require.False(t, NeedsRehearsal(fold(running...), "nobody", typeError))
}

// Rule 12: network errors retry with backoff: 10 s, doubling, at most 10 min, jitter only shortens.
func TestRule12NetworkErrorsRetryWithBackoff(t *testing.T) {
	t.Parallel()
	g := given(t, running...)
	run, want := "r1", 10*time.Second
	for attempt := 1; attempt <= 8; attempt++ {
		when := g.When(settleFailed(run, refused))
		retry := scenario.The[RetryScheduled](t, when.Events())
		require.Equal(t, attempt, retry.Attempt)
		wait := retry.At.Sub(g.Now())
		require.LessOrEqual(t, wait, want, "attempt %d", attempt)
		require.GreaterOrEqual(t, wait, want*8/10, "attempt %d", attempt)
		require.Equal(t, retry, scenario.The[RetryScheduled](t, g.When(settleFailed(run, refused)).Events()), "deciding again decides the same")
		g = when.ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
		require.Equal(t, StatusActive, g.State().Status)
		next := run + "+"
		g.When(AdmitRun{Run: next, Trigger: TriggerRetry, Continues: run}).ThenRefused(fault.Conflict, "to be tried again at")
		g = g.After(wait).When(AdmitRun{Run: next, Trigger: TriggerRetry, Continues: run}).
			Then(RunAdmitted{Run: next, Version: v10, Trigger: TriggerRetry, Input: json.RawMessage(`{"day":1}`), Continues: run, Attempt: attempt})
		require.Empty(t, g.State().Retries)
		run, want = next, min(2*want, 10*time.Minute)
	}
	// The eighth try failed: the person is told, the workflow stays active, the next trigger tries again.
	g = g.When(settleFailed(run, refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetriesExhausted)
	require.Equal(t, StatusActive, g.State().Status)
	require.Empty(t, g.State().Retries)
	require.Equal(t, 9, g.State().Failing)
	g.When(AdmitRun{Run: "next", Trigger: TriggerSchedule}).ThenTypes(TypeRunAdmitted)
}

func TestRule12JitterSpreadsRuns(t *testing.T) {
	t.Parallel()
	waits := map[time.Time]bool{}
	for i := range 50 {
		run := "run-" + strconv.Itoa(i)
		events := given(t, active.and(admitted(run, v10))...).When(settleFailed(run, refused)).Events()
		waits[scenario.The[RetryScheduled](t, events).At] = true
	}
	require.Greater(t, len(waits), 40)
}

func TestRule12ExhaustedRetriesAreToldOncePerFingerprint(t *testing.T) {
	t.Parallel()
	last := func(run string) RunAdmitted {
		return RunAdmitted{Run: run, Version: v10, Trigger: TriggerRetry, Attempt: 8}
	}
	otherHost := refused
	otherHost.Strict = "SN2"
	g := given(t, active.and(last("a"), last("b"), last("c"), last("d"), admitted("ok", v10))...).
		When(settleFailed("a", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetriesExhausted).
		When(settleFailed("b", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified).
		When(settleFailed("c", otherHost)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetriesExhausted).
		When(SettleRun{Run: "ok"}).Then(RunSucceeded{Run: "ok", Version: v10}, Recovered{Run: "ok"})
	require.Zero(t, g.State().Failing)
	g.When(settleFailed("d", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetriesExhausted)
}

func TestRule12RetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int64]time.Duration{
		120_000: 2 * time.Minute, 1 << 62: 24 * time.Hour,
	} {
		f := refused
		f.RetryAfterMS = asked
		retry := scenario.The[RetryScheduled](t, given(t, running...).When(settleFailed("r1", f)).Events())
		require.Equal(t, at(want), retry.At)
	}
	for _, asked := range []int64{-1, 1000} { // sooner than the backoff
		f := refused
		f.RetryAfterMS = asked
		retry := scenario.The[RetryScheduled](t, given(t, running...).When(settleFailed("r1", f)).Events())
		require.False(t, retry.At.Before(at(8*time.Second)))
	}
}

// Rule 12: the run that failed for a passing reason before a fix goes on with the fixed version.
func TestRule12RetryOfTheVersionBeforeAFix(t *testing.T) {
	t.Parallel()
	g := given(t, confirmed.and(RunAdmitted{Run: "r5", Version: v10, Trigger: TriggerWebhook})...).
		When(settleFailed("r5", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	events := g.After(time.Hour).When(AdmitRun{Run: "r6", Trigger: TriggerRetry, Continues: "r5"}).Events()
	require.Equal(t, v11, scenario.The[RunAdmitted](t, events).Version)
}

func TestRule12ASaveEndsWhatTheOldScriptLeftHalfDone(t *testing.T) {
	t.Parallel()
	g := given(t, running...).When(settleFailed("r1", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).
		And(ScriptSaved{Version: v20, Origin: OriginPerson})
	require.Empty(t, g.State().Retries)
	g.After(time.Hour).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenRefused(fault.Conflict, "does not wait")
}

// Rule 12: auth and permission errors wait for a person; the maintainer never sees them.
func TestRule12AccessErrorsWait(t *testing.T) {
	t.Parallel()
	for _, f := range []failure.Failure{signedOut, notAllowed} {
		g := given(t, running...)
		require.False(t, NeedsRehearsal(g.State(), "r1", f))
		class := map[failure.Class]string{failure.Auth: TypeAuthErrorClassified, failure.Permission: TypePermissionErrorClassified}[f.Class]
		after := g.When(settleFailed("r1", f)).ThenTypes(TypeRunFailed, class)
		require.Equal(t, StatusWaiting, after.State().Status)
		require.Equal(t, f.Class, after.State().Waiting.Class)
		after.When(AdmitRun{Run: "r2", Trigger: TriggerSchedule}).ThenRefused(fault.Conflict, "waits for access")
		after.When(SaveScript{ScriptID: "s", Code: codeV11, Origin: OriginPerson}).ThenTypes(TypeScriptSaved).
			When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "waits for access")
		after.When(Activate{}).Then(WorkflowActivated{}).
			When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
	}
}

// Rule 12: internal errors are ours: recorded and classified, nothing of the workflow changes.
func TestRule12InternalErrorsAreOurs(t *testing.T) {
	t.Parallel()
	g := given(t, running...)
	require.False(t, NeedsRehearsal(g.State(), "r1", hostBroke))
	after := g.When(settleFailed("r1", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified)
	require.Equal(t, StatusActive, after.State().Status)
	require.Empty(t, after.State().Retries)
	require.Nil(t, after.State().Maintenance)
}

func TestRule13AClassIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	unclassified := failure.Failure{Class: "weird", Name: "Error"}
	given(t, running...).When(settleFailed("r1", unclassified)).ThenRefused(fault.Invalid, `class "weird"`)
	// The text of a failure decides nothing: a network error that reads like a script's stays one.
	f := refused
	f.Name, f.Message = "TypeError", "Cannot read property 'map' of undefined"
	given(t, running...).When(settleFailed("r1", f)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
}

// Rule 14 is the sandbox's: the domain sees it as the class of the run's failure.
func TestRule14TheFailureOfTheHostIsTheFailureOfTheRun(t *testing.T) {
	t.Parallel()
	given(t, running...).When(settleFailed("r1", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified)
}

func TestSeenCountsInThisMajor(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(admitted("a", v10), admitted("b", v10), admitted("c", v10))...)
	for i, run := range []string{"a", "b"} {
		when := g.When(settleFailed(run, refused))
		require.Equal(t, i, scenario.The[NetworkErrorClassified](t, when.Events()).Seen)
		g = when.ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	}
	// A new major starts to count afresh, and an old run does not count for it.
	g = g.And(ScriptSaved{Version: v20, Origin: OriginPlanner})
	when := g.When(settleFailed("c", refused))
	require.Zero(t, scenario.The[NetworkErrorClassified](t, when.Events()).Seen)
	g = when.ThenTypes(TypeRunFailed, TypeNetworkErrorClassified).And(admitted("d", v20))
	when = g.When(settleFailed("d", refused))
	require.Zero(t, scenario.The[NetworkErrorClassified](t, when.Events()).Seen)
	g = when.Given(TypeNetworkErrorClassified).And(admitted("e", v10))
	require.Zero(t, scenario.The[NetworkErrorClassified](t, g.When(settleFailed("e", refused)).Events()).Seen, "of the old major")
}

func TestSettlingTwiceIsRefused(t *testing.T) {
	t.Parallel()
	g := given(t, running...).When(SettleRun{Run: "r1"}).Then(RunSucceeded{Run: "r1", Version: v10})
	g.When(SettleRun{Run: "r1"}).ThenRefused(fault.Conflict, "settled already")
	g.When(settleFailed("r1", typeError)).ThenRefused(fault.Conflict, "settled already")
	g.When(SettleRun{Run: "nobody"}).ThenRefused(fault.NotFound, "has not admitted run nobody")
}

func TestASettledFailureFitsAnEvent(t *testing.T) {
	t.Parallel()
	f := typeError
	f.Message, f.Stack = string(make([]byte, 5<<20)), string(make([]byte, 5<<20))
	events := given(t, running...).When(settleFailed("r1", f)).Events()
	failed := scenario.The[RunFailed](t, events)
	require.Less(t, len(failed.Failure.Message)+len(failed.Failure.Stack), 64<<10)
	require.Equal(t, "S1", failed.Failure.Strict)
}

// Rule 12: an answer that is torn is tried again, and is evidence for a repair only once it stays so.
func TestRule12ATornAnswerIsTriedAgainBeforeItIsMended(t *testing.T) {
	t.Parallel()
	torn := refused
	torn.Code = failure.CodeTorn
	g := given(t, running...).When(settleFailed("r1", torn)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	run := "r1"
	for attempt := 1; attempt <= 5; attempt++ {
		next := "t" + strconv.Itoa(attempt)
		g = g.After(time.Hour).When(AdmitRun{Run: next, Trigger: TriggerRetry, Continues: run}).Given(TypeRunAdmitted)
		require.Equal(t, attempt == 5, NeedsRehearsal(g.State(), next, torn))
		run = next
		if attempt < 5 {
			g = g.When(settleFailed(run, torn)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
		}
	}
	g.When(settleFailed(run, torn)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
}

// Rule 12: a person who gives access may have the refused run tried with it in the same append, once.
func TestRule12TheRefusedRunIsTriedWithTheAccess(t *testing.T) {
	t.Parallel()
	refusedRun := given(t, running...).When(settleFailed("r1", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified)
	refusedRun.When(Activate{}).ThenTypes(TypeWorkflowActivated)
	refusedRun.When(Activate{Retry: true}).ThenTypes(TypeWorkflowActivated, TypeRetryScheduled)
	given(t, running...).When(halfDone("r1", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified).
		When(Activate{Retry: true}).ThenTypes(TypeWorkflowActivated, TypeRetryScheduled)
}
