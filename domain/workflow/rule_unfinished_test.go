package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// halfDone settles a run with a failure after it had made a write.
func halfDone(run string, f failure.Failure) SettleRun {
	settle := settleFailed(run, f)
	settle.Writes = 1
	return settle
}

func unfinished(run string, v Version, f failure.Failure) RunUnfinished {
	return RunUnfinished{Run: run, Version: v, Writes: 1, Problem: f.String()}
}

// exhausted is a run at its last try.
func exhausted() history {
	return active.and(admitted("r0", v10), RunFailed{Run: "r0", Version: v10, Failure: refused, Writes: 1},
		RetryScheduled{Run: "r0", Attempt: 8}, RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerRetry, Continues: "r0", Attempt: 8})
}

// Rule 17: an event that leaves a half-done run without a way on asks about it in the same append.
func TestRule17NoHalfDoneRunIsDroppedSilently(t *testing.T) {
	t.Parallel()
	save := SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}
	plan := SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPlanner}
	repaired := func(t *testing.T) scenario.Given[State, Command] {
		return given(t, running...).When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	}
	held := func(t *testing.T) scenario.Given[State, Command] {
		return repaired(t).When(ProposeFix{Proposal: "p1", Task: "t-r1", Code: codeV11}).ThenTypes(TypeFixProposed).
			When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: Verification{Verdict: VerdictIdentical, Reasons: heldReasons}}).ThenTypes(TypeFixVerified, TypeFixHeld)
	}
	fixed := func(t *testing.T) scenario.Given[State, Command] {
		return repaired(t).When(ProposeFix{Proposal: "p1", Task: "t-r1", Code: codeV11}).ThenTypes(TypeFixProposed).
			When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	}
	retried := func(t *testing.T) scenario.Given[State, Command] {
		return given(t, running...).When(halfDone("r1", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	}
	noAccess := func(t *testing.T) scenario.Given[State, Command] {
		return given(t, running...).When(halfDone("r1", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified)
	}
	off := running.and(SettingsChanged{Settings: Settings{AutoFix: ModeOff}})
	for name, c := range map[string]struct {
		given scenario.Given[State, Command]
		when  Command
		asks  RunUnfinished
	}{
		"a save while it is repaired":          {repaired(t), save, unfinished("r1", v10, typeError)},
		"the planner's, too":                   {repaired(t), plan, unfinished("r1", v10, typeError)},
		"a rollback":                           {repaired(t), Rollback{To: v10, ScriptID: "s2"}, unfinished("r1", v10, typeError)},
		"the archive":                          {repaired(t), Archive{}, unfinished("r1", v10, typeError)},
		"no fix is found":                      {repaired(t), EndMaintenance{Task: "t-r1"}, unfinished("r1", v10, typeError)},
		"a save while a fix is held":           {held(t), save, unfinished("r1", v10, typeError)},
		"a fix is declined":                    {held(t), DeclineFix{Proposal: "p1"}, unfinished("r1", v10, typeError)},
		"a save before the continuation":       {fixed(t), save, unfinished("r1", v10, typeError)},
		"fixes are withdrawn before it":        {fixed(t), WithdrawFixes{}, unfinished("r1", v10, typeError)},
		"a save while a retry waits":           {retried(t), save, unfinished("r1", v10, refused)},
		"the archive while a retry waits":      {retried(t), Archive{}, unfinished("r1", v10, refused)},
		"a save while access is waited for":    {noAccess(t), save, unfinished("r1", v10, signedOut)},
		"it fails on a version that is gone":   {given(t, running.and(ScriptSaved{Version: v20, Code: codeV11, Origin: OriginPerson})...), halfDone("r1", typeError), unfinished("r1", v10, typeError)},
		"Kintsugi itself fails":                {given(t, running...), halfDone("r1", hostBroke), unfinished("r1", v10, hostBroke)},
		"fixes are off":                        {given(t, off...), halfDone("r1", typeError), unfinished("r1", v10, typeError)},
		"the last retry is spent":              {given(t, exhausted()...), settleFailed("r1", refused), unfinished("r1", v10, refused)},
		"the last retry, and it was told once": {given(t, exhausted().and(RetriesExhausted{Run: "r9", Strict: "SN"})...), settleFailed("r1", refused), unfinished("r1", v10, refused)},
		"it fails in the archive":              {given(t, running.and(WorkflowArchived{})...), halfDone("r1", refused), unfinished("r1", v10, refused)},
		"it does not repeat what it wrote":     {given(t, exhausted()...), settleFailed("r1", diverged), unfinished("r1", v10, diverged)},
	} {
		when := c.given.When(c.when)
		require.Equal(t, c.asks, scenario.The[RunUnfinished](t, when.Events()), name)
	}
	// A run that wrote nothing is not half done.
	given(t, running...).When(settleFailed("r1", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified)
}

// Rule 17: a half-done run that joined a repair, and is not continued on the fix, is asked about when the repair is
// over.
func TestRule17AnAttachedRunIsAskedAboutOnceTheRepairIsOver(t *testing.T) {
	t.Parallel()
	g := given(t, judging.and(admitted("r8", v10))...).
		When(halfDone("r8", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFailureAttached)
	when := g.When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical})
	require.Equal(t, unfinished("r8", v10, typeError), scenario.The[RunUnfinished](t, when.Events()))
}

// Rule 17: the same code goes on by itself when a person's activation answers what stopped it.
func TestRule17ActivationContinuesTheSameCode(t *testing.T) {
	t.Parallel()
	retry := RetryScheduled{Run: "r1", Attempt: 1, At: scenario.Start}
	fresh := retry
	fresh.Fresh = true // what it read was the trouble
	noAccess := given(t, running...).When(halfDone("r1", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified)
	noAccess.When(Activate{}).Then(WorkflowActivated{}, retry)
	given(t, running...).When(halfDone("r1", notAllowed)).ThenTypes(TypeRunFailed, TypePermissionErrorClassified).When(Activate{}).Then(WorkflowActivated{}, retry)
	given(t, running.and(SettingsChanged{Settings: Settings{AutoFix: ModeOff}})...).
		When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeEscalated, TypeRunUnfinished).
		When(Activate{}).Then(WorkflowActivated{}, fresh)
	// Other code is a decision.
	noAccess.When(SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}).ThenTypes(TypeScriptSaved, TypeRunUnfinished).
		When(Activate{}).Then(WorkflowActivated{})
	noAccess.When(SaveScript{ScriptID: "s2", Code: codeV1, Origin: OriginPerson}).ThenTypes(TypeScriptSaved).When(Activate{}).Then(WorkflowActivated{}, retry)
	// A pause on purpose is not what stopped the run: the activation after it continues nothing.
	given(t, running...).When(halfDone("r1", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified, TypeRunUnfinished).
		When(Pause{}).ThenTypes(TypeWorkflowPaused).When(Activate{}).Then(WorkflowActivated{})
}

// Rule 17: a person continues it on the new version, starts it again, or leaves it; each once.
func TestRule17ThePersonDecides(t *testing.T) {
	t.Parallel()
	asked := given(t, running...).When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered).
		When(SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}).ThenTypes(TypeScriptSaved, TypeMaintenanceExited, TypeRunUnfinished)
	again := AdmitRun{Run: "r2", Trigger: TriggerManual, Restarts: "r1"}

	goesOn := asked.When(ContinueRun{Run: "r1"}).Then(RetryScheduled{Run: "r1", Attempt: 1, At: scenario.Start})
	goesOn.When(again).ThenRefused(fault.Conflict, "waits for its retry")
	admit := AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}
	goesOn = goesOn.When(admit).Then(RunAdmitted{Run: "r2", Version: v20, Trigger: TriggerRetry, Input: json.RawMessage(`{"day":1}`), Continues: "r1", Attempt: 1})
	goesOn.When(LeaveRun{Run: "r1"}).ThenRefused(fault.Conflict, "not unfinished")
	goesOn.When(SettleRun{Run: "r2"}).ThenTypes(TypeRunSucceeded, TypeRecovered)
	// It does not repeat what was written: the run is asked about again, and nothing else is stopped.
	when := goesOn.When(settleFailed("r2", diverged))
	require.Equal(t, unfinished("r2", v20, diverged), scenario.The[RunUnfinished](t, when.Events()))
	require.Equal(t, StatusActive, when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeRunUnfinished).State().Status)

	asked.When(again).Then(RunAdmitted{Run: "r2", Version: v20, Trigger: TriggerManual, Input: json.RawMessage(`{"day":1}`), Restarts: "r1"}).
		When(ContinueRun{Run: "r1"}).ThenRefused(fault.Conflict, "answered already")
	again.Trigger = TriggerSchedule
	asked.When(again).ThenRefused(fault.Invalid, "by hand")

	left := asked.When(LeaveRun{Run: "r1", Note: "done by hand"}).Then(RunLeft{Run: "r1", Note: "done by hand"})
	require.Empty(t, left.State().Unfinished)
	left.When(LeaveRun{Run: "r1"}).ThenRefused(fault.Conflict, "answered already")
	asked.When(LeaveRun{Run: "nobody"}).ThenRefused(fault.NotFound, "no run nobody")

	// A save takes the way on from it again, and it is asked about again.
	asked.When(ContinueRun{Run: "r1"}).ThenTypes(TypeRetryScheduled).
		When(SaveScript{ScriptID: "s3", Code: codeV1, Origin: OriginPerson}).ThenTypes(TypeScriptSaved, TypeRunUnfinished)
}

// Rule 17: nor does a long wait for the next try hold anything: a person has it try now, or gives it up.
func TestRule17ThePersonDecidesAboutARunThatWaitsForItsRetry(t *testing.T) {
	t.Parallel()
	later := refused
	later.RetryAfterMS = (24 * time.Hour).Milliseconds()
	slot := at(time.Minute)
	for _, wrote := range []int{0, 1} {
		settle := settleFailed("r1", later)
		settle.Writes = wrote
		waits := given(t, running...).When(settle).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
		next := AdmitRun{Run: "next", Trigger: TriggerSchedule, Slot: &slot}
		waits.When(next).ThenRefused(fault.Conflict, "'kintsugi run continue r1' tries it now, 'kintsugi run leave r1' gives it up")
		waits.When(AdmitRun{Run: "r2", Trigger: TriggerManual, Restarts: "r1"}).ThenRefused(fault.Conflict, "waits for its retry")

		// Now, and as the same try; when that is due anyway there is nothing to decide.
		goesOn := waits.After(time.Minute).When(ContinueRun{Run: "r1"}).Then(RetryScheduled{Run: "r1", Attempt: 1, At: at(time.Minute)})
		goesOn.When(ContinueRun{Run: "r1"}).Then()
		again := goesOn.When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).
			Then(RunAdmitted{Run: "r2", Version: v10, Trigger: TriggerRetry, Input: json.RawMessage(`{"day":1}`), Continues: "r1", Attempt: 1})
		require.Equal(t, wrote, again.State().Admitted["r2"].Writes)
		waits.And(WorkflowPaused{}).When(ContinueRun{Run: "r1"}).ThenRefused(fault.Conflict, "is paused: activate it first")

		left := waits.When(LeaveRun{Run: "r1", Note: "the host is gone"}).Then(RunLeft{Run: "r1", Note: "the host is gone"})
		require.Empty(t, left.State().Retries)
		require.Empty(t, left.State().Unfinished)
		left.When(next).ThenTypes(TypeRunAdmitted)
		left.When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenRefused(fault.Conflict, "does not wait")
		left.When(ContinueRun{Run: "r1"}).Then(RetryScheduled{Run: "r1", Attempt: 1, At: scenario.Start}) // they changed their mind
	}
	// A run that tries a fix is still its trial when a person continues it.
	trying := settleFailed("r2", later)
	fixed := given(t, continuing...).When(trying).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	fixed.When(ContinueRun{Run: "r2"}).ThenTypes(TypeRetryScheduled).
		When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "r3"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	require.Equal(t, []Version{v11}, fixed.When(LeaveRun{Run: "r2"}).ThenTypes(TypeRunLeft).State().Unconfirmed())
}

// Rule 17: the setting decides for the person, and never goes round in circles.
func TestRule17TheSettingDecides(t *testing.T) {
	t.Parallel()
	save := SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}
	failing := func(setting string) scenario.Given[State, Command] {
		return given(t, running.and(SettingsChanged{Settings: Settings{Unfinished: setting}})...).
			When(halfDone("r1", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	}
	failing(UnfinishedAsk).When(save).ThenTypes(TypeScriptSaved, TypeMaintenanceExited, TypeRunUnfinished)
	failing(UnfinishedLeave).When(save).ThenTypes(TypeScriptSaved, TypeMaintenanceExited, TypeRunUnfinished, TypeRunLeft)
	g := failing(UnfinishedContinue).When(save).ThenTypes(TypeScriptSaved, TypeMaintenanceExited, TypeRunUnfinished, TypeRetryScheduled).
		After(time.Second).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
	g.When(settleFailed("r2", hostBroke)).ThenTypes(TypeRunFailed, TypeInternalErrorClassified, TypeRunUnfinished)
	given(t, created).When(ChangeSettings{Settings: Settings{Unfinished: "maybe"}}).ThenRefused(fault.Invalid, "ask, continue or leave")
}

// Rule 18: the outcome of a fork concerns only the fork.
func TestRule18AForksOutcomeStaysWithTheFork(t *testing.T) {
	t.Parallel()
	forked := active.and(RunAdmitted{Run: "f", Version: v10, Trigger: TriggerFork, Fork: &Fork{Run: "r1", FromCall: 2}})
	for _, f := range []failure.Failure{typeError, timeLimit, refused, signedOut, notAllowed, hostBroke, diverged} {
		g := given(t, forked...).When(halfDone("f", f)).Then(RunFailed{Run: "f", Version: v10, Failure: f, Writes: 1})
		require.Equal(t, StatusActive, g.State().Status, f.Class)
		require.False(t, NeedsRehearsal(fold(forked...), "f", f), f.Class)
		g.When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted).When(SettleRun{Run: "r2"}).ThenTypes(TypeRunSucceeded)
	}
	// Nor does its success say that the workflow works again.
	failing := active.and(admitted("r9", v10), RunFailed{Run: "r9", Version: v10, Failure: hostBroke}, InternalErrorClassified{Classified{Run: "r9"}})
	given(t, failing.and(forked[len(forked)-1])...).When(SettleRun{Run: "f"}).Then(RunSucceeded{Run: "f", Version: v10})
}
