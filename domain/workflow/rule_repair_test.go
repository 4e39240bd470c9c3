package workflow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

type story = scenario.Given[State, Command]

// mend goes from a failed run to a continued run on the fixed version.
func mend(g story, run string, f failure.Failure) story {
	g = g.When(settleFailed(run, f)).Given(TypeMaintenanceEntered)
	return applyFix(g, run)
}

func applyFix(g story, run string) story {
	g = g.When(ProposeFix{Proposal: "p-" + run, Task: "t-" + run, Code: codeV11, Comment: "c"}).ThenTypes(TypeFixProposed).
		When(JudgeFix{Proposal: "p-" + run, ScriptID: "s-" + run, Verification: identical}).
		ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	return g.When(AdmitRun{Run: run + "'", Trigger: TriggerContinuation, Continues: run}).ThenTypes(TypeRunAdmitted)
}

func numbered(n int) failure.Failure {
	f := typeError
	f.Strict, f.Loose = fmt.Sprintf("S-%d", n), fmt.Sprintf("L-%d", n)
	return f
}

// Rule 5: the budget is checked BEFORE maintenance is entered; at the budget the workflow
// is escalated, once, and all unconfirmed fixes are withdrawn.
func TestRule05BudgetIsCheckedBeforeMaintenance(t *testing.T) {
	t.Parallel()
	g, run := given(t, running...), "r1"
	for n := 1; n <= 3; n++ {
		require.Equal(t, n-1, g.State().FixCount)
		g = mend(g, run, numbered(n))
		run += "'"
	}
	when := g.When(settleFailed(run, numbered(4)))
	require.Equal(t, Escalated{
		Reason: EscalatedBudget, Run: run, Actions: []string{ActionReplan, ActionEdit, ActionRollback, ActionActivate},
		Withdrawn: []Version{v11, v12, v13}, Active: v10,
		Explanation: "3 of 3 fixes are spent and version 1.3 still fails: TypeError: Cannot read property 'map' of undefined." +
			" Version 1.0 is active again; taken back: 1.1, 1.2, 1.3.",
	}, scenario.The[Escalated](t, when.Events()))
	g = when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated)
	require.Equal(t, StatusEscalated, g.State().Status)
	require.Equal(t, v10, g.State().Active)
	require.Nil(t, g.State().Continuation)
	// Once: a run that was admitted before fails as well.
	g.And(admitted("late", v10)).When(settleFailed("late", numbered(5))).ThenTypes(TypeRunFailed, TypeLogicErrorClassified)
}

func TestRule05BudgetIsASetting(t *testing.T) {
	t.Parallel()
	one := SettingsChanged{Settings: Settings{Budget: 1}}
	g := mend(given(t, running.and(one)...), "r1", numbered(1))
	when := g.When(settleFailed("r1'", numbered(2)))
	require.Equal(t, EscalatedBudget, scenario.The[Escalated](t, when.Events()).Reason)
}

// Rule 5: the count returns to zero on FixConfirmed, any save or rollback, or a person's
// activation; applying a fix does not reset it.
func TestRule05TheEventsThatResetTheCount(t *testing.T) {
	t.Parallel()
	spent := fold(continuing...)
	require.Equal(t, 1, spent.FixCount, "applying does not reset it")
	require.Zero(t, fold(confirmed...).FixCount)
	for name, reset := range map[string]Command{
		"planner":  SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner},
		"person":   SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPerson},
		"rollback": Rollback{To: v10, ScriptID: "s"},
		"activate": Activate{},
	} {
		events := given(t, continuing...).When(reset).Events()
		require.Zero(t, fold(continuing.and(events...)...).FixCount, name)
	}
	afterEscalation := given(t, continuing...).When(settleFailed("r2", typeError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated).
		When(Activate{}).Then(WorkflowActivated{})
	require.Zero(t, afterEscalation.State().FixCount)
	// A pause and a refused command are no activation.
	require.Equal(t, 1, fold(continuing.and(WorkflowPaused{})...).FixCount)
}

// Rule 6: the same strict fingerprint on the version that was to fix it escalates at once.
func TestRule06TheSameErrorAfterItsFixEscalatesAtOnce(t *testing.T) {
	t.Parallel()
	when := given(t, continuing...).When(settleFailed("r2", typeError))
	escalated := scenario.The[Escalated](t, when.Events())
	require.Equal(t, EscalatedSameError, escalated.Reason)
	require.Contains(t, escalated.Explanation, "Version 1.1 was to fix this error")
	require.Equal(t, []Version{v11}, escalated.Withdrawn)
	g := when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated)
	require.Equal(t, v10, g.State().Active)

	// Once the fix was confirmed it did help, and the same words are a new trouble.
	given(t, confirmed.and(admitted("r5", v11))...).When(settleFailed("r5", typeError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	// A withdrawn fix is not in force: the error of the version before it may be repaired again.
	g.When(Activate{}).ThenTypes(TypeWorkflowActivated).And(admitted("r6", v10)).
		When(settleFailed("r6", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	// And a new major starts afresh.
	given(t, continuing.and(ScriptSaved{Version: v20, Origin: OriginPlanner}, admitted("r6", v20))...).
		When(settleFailed("r6", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
}

func TestRule06TheSameErrorEscalatesAlsoWhileATaskIsOpen(t *testing.T) {
	t.Parallel()
	g := given(t, continuing.and(admitted("r3", v11))...).When(settleFailed("r3", otherError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered).
		When(settleFailed("r2", typeError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated, TypeMaintenanceExited)
	require.Equal(t, StatusEscalated, g.State().Status)
	require.Nil(t, g.State().Maintenance)
}

// Rule 6: another failure, further on, starts the next repair from the version just applied.
func TestRule06TwoStepChangesConverge(t *testing.T) {
	t.Parallel()
	when := given(t, continuing...).When(settleFailed("r2", otherError))
	require.Equal(t, MaintenanceEntered{
		Task: "t-r2", Thread: "th-r2", Item: "it-r2", Run: "r2", Base: v11, Attempt: 2, Budget: 3, At: scenario.Start,
	}, scenario.The[MaintenanceEntered](t, when.Events()))
	g := applyFix(when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeMaintenanceEntered), "r2")
	require.Equal(t, v12, g.State().Active)
	g = g.When(SettleRun{Run: "r2'"}).Then(
		RunSucceeded{Run: "r2'", Version: v12}, FixConfirmed{Version: v12, Run: "r2'"}, Recovered{Run: "r2'"})
	require.Empty(t, g.State().Unconfirmed(), "1.1 is part of 1.2")
	require.Equal(t, v12, g.State().LastConfirmed)
}

// Rule 6: the same loose fingerprint at another place is the second strike: it is mended once
// more, and then it is out.
func TestRule06TheSameKindOfErrorIsASecondStrike(t *testing.T) {
	t.Parallel()
	moved := func(strict string) failure.Failure {
		f := typeError
		f.Strict = strict
		return f
	}
	g := mend(given(t, running...), "r1", moved("place-1"))
	g = mend(g, "r1'", moved("place-2"))
	when := g.When(settleFailed("r1''", moved("place-3")))
	escalated := scenario.The[Escalated](t, when.Events())
	require.Equal(t, EscalatedSameError, escalated.Reason)
	require.Contains(t, escalated.Explanation, "they hide it")
	// A confirmed fix is no strike.
	good := given(t, active...)
	for _, place := range []string{"place-1", "place-2", "place-3"} {
		good = good.When(AdmitRun{Run: place, Trigger: TriggerSchedule}).ThenTypes(TypeRunAdmitted)
		good = mend(good, place, moved(place)).When(SettleRun{Run: place + "'"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	}
}

func TestRule06NoFingerprintMatchesNothing(t *testing.T) {
	t.Parallel()
	bare := failure.Failure{Class: failure.Logic, Name: "Error", Message: "x"}
	g := mend(given(t, running...), "r1", bare)
	g = mend(g, "r1'", bare)
	mend(g, "r1''", bare)
}

// Rule 7: at most N repairs an hour.
func TestRule07RepairsAnHourAreBounded(t *testing.T) {
	t.Parallel()
	g, run := given(t, running.and(SettingsChanged{Settings: Settings{RepairsPerHr: 2, Budget: 9}})...), "r1"
	g = mend(g, run, numbered(1)).After(20 * time.Minute)
	g = mend(g, run+"'", numbered(2)).After(20 * time.Minute)
	when := g.When(settleFailed(run+"''", numbered(3)))
	require.Equal(t, EscalatedRateLimit, scenario.The[Escalated](t, when.Events()).Reason)
	// Each offered answer of the person works: repairs go on.
	for then, answer := range map[string]Command{
		TypeWorkflowActivated: Activate{}, TypeScriptSaved: SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner},
	} {
		answered := g.And(when.Events()...).When(answer).ThenTypes(then)
		answered.And(admitted("n", answered.State().Active)).When(settleFailed("n", numbered(4))).
			ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	}
	// An hour after the first there is room for one more.
	g.After(20*time.Minute).When(settleFailed(run+"''", numbered(3))).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeMaintenanceEntered)
	// A save does not make room: it is the hour that counts.
	g.When(SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPerson}).ThenTypes(TypeScriptSaved).
		And(admitted("n", v20)).When(settleFailed("n", numbered(4))).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeEscalated)
}

func TestRule07DefaultIsSix(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{Budget: 99}})...)
	for n := range 7 {
		run := fmt.Sprintf("n%d", n)
		g = g.And(admitted(run, g.State().Active))
		if n == 6 {
			require.Equal(t, EscalatedRateLimit, scenario.The[Escalated](t, g.When(settleFailed(run, numbered(n))).Events()).Reason)
			return
		}
		g = mend(g, run, numbered(n)).When(SettleRun{Run: run + "'"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	}
}

// Rule 8: planner before maintainer. A planner that waits for a person is not running.
func TestRule08TheMaintainerWaitsForThePlanner(t *testing.T) {
	t.Parallel()
	judge := JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}
	g := given(t, judging...).When(OpenPlannerTask{Task: "plan-2", Thread: "th", Ask: "also list disputes"}).
		Then(PlannerTaskOpened{Task: "plan-2", Thread: "th", Ask: "also list disputes"})
	require.True(t, g.State().PlannerRunning())
	require.False(t, g.State().MaintainerWanted())
	g.When(judge).ThenRefused(fault.Conflict, "the planner is at work")
	g.When(EndMaintenance{Task: "t1"}).ThenRefused(fault.Conflict, "the planner is at work")
	given(t, maintenance...).When(OpenPlannerTask{Task: "plan-2", Thread: "th"}).ThenTypes(TypePlannerTaskOpened).
		When(ProposeFix{Proposal: "p1", Task: "t1", Code: codeV11}).ThenRefused(fault.Conflict, "the planner is at work")

	waits := g.When(WaitPlannerTask{Task: "plan-2"}).Then(PlannerTaskWaiting{Task: "plan-2"})
	require.True(t, waits.State().MaintainerWanted())
	waits.When(judge).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	waits.When(WaitPlannerTask{Task: "plan-2"}).ThenNothing()

	closed := g.When(ClosePlannerTask{Task: "plan-2", Outcome: "done"}).Then(PlannerTaskClosed{Task: "plan-2", Outcome: "done"})
	closed.When(judge).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	closed.When(ClosePlannerTask{Task: "plan-2"}).ThenRefused(fault.NotFound, "no open planner task plan-2")
	g.When(OpenPlannerTask{Task: "plan-3", Thread: "th"}).ThenRefused(fault.Conflict, "has an open planner task already")
}

func TestRule08AnAnswerSetsThePlannerToWorkAgain(t *testing.T) {
	t.Parallel()
	g := given(t, active...).When(OpenPlannerTask{Task: "plan-2", Thread: "th"}).ThenTypes(TypePlannerTaskOpened).
		When(AskQuestion{Question: "q1", Task: "plan-2", Text: "Which account?", Options: []string{"a", "b"}}).
		Then(QuestionAsked{Question: "q1", Task: "plan-2", Text: "Which account?", Options: []string{"a", "b"}}).
		When(AskQuestion{Question: "q2", Task: "plan-2", Text: "Since when?"}).ThenTypes(TypeQuestionAsked).
		When(WaitPlannerTask{Task: "plan-2"}).ThenTypes(TypePlannerTaskWaiting)
	g.When(AskQuestion{Question: "q1", Task: "plan-2", Text: "?"}).ThenRefused(fault.Conflict, "asked already")
	g.When(AskQuestion{Question: "q3", Task: "nobody", Text: "?"}).ThenRefused(fault.NotFound, "no open task nobody")
	first := g.When(AnswerQuestion{Question: "q1", Answer: "a"}).Then(QuestionAnswered{Question: "q1", Answer: "a"})
	require.False(t, first.State().PlannerRunning(), "a question is open still")
	first.When(AnswerQuestion{Question: "q1", Answer: "b"}).ThenRefused(fault.NotFound, "no open question q1")
	second := first.When(AnswerQuestion{Question: "q2", Answer: "May"}).ThenTypes(TypeQuestionAnswered)
	require.True(t, second.State().PlannerRunning())
	// The questions of a task end with it.
	ended := g.When(ClosePlannerTask{Task: "plan-2"}).ThenTypes(TypePlannerTaskClosed)
	require.Empty(t, ended.State().Questions)
	asking := given(t, maintenance...).When(AskQuestion{Question: "q", Task: "t1", Text: "?"}).ThenTypes(TypeQuestionAsked)
	require.Empty(t, asking.And(MaintenanceExited{Task: "t1", Why: ExitReplanned}).State().Questions)
}

// Rule 9: a fix that was overtaken is recorded, never applied, never escalated.
func TestRule09OvertakenFixesAreStale(t *testing.T) {
	t.Parallel()
	for why, overtake := range map[string][]Command{
		StaleReplanned:  {SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner}},
		StaleRolledBack: {Rollback{To: v10, ScriptID: "s"}},
		StaleArchived:   {Archive{}},
		StaleEscalated:  {EndMaintenance{Task: "t1", Explanation: "gave up"}},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			g := given(t, judging...)
			for _, command := range overtake {
				g = g.When(command).Given(TypeMaintenanceExited)
			}
			before := g.State()
			g = g.When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).Then(
				FixVerified{Proposal: "p1", Verification: identical},
				FixRejectedStale{Proposal: "p1", Base: v10, Current: before.Active, Why: why})
			require.Equal(t, before.Status, g.State().Status)
			require.Equal(t, before.Active, g.State().Active)
			require.Empty(t, g.State().Undecided)
			g.When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenRefused(fault.Conflict, "it is stale")
		})
	}
}

func TestRule09AStaleFixNeedsNoVerdict(t *testing.T) {
	t.Parallel()
	g := given(t, judging.and(ScriptSaved{Version: v20, Origin: OriginPerson}, MaintenanceExited{Task: "t1", Why: ExitReplanned})...)
	require.Equal(t, []string{"p1"}, g.State().Undecided)
	g.When(JudgeFix{Proposal: "p1"}).Then(FixRejectedStale{Proposal: "p1", Base: v10, Current: v20, Why: StaleReplanned})
	given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s"}).ThenRefused(fault.Invalid, "not a verdict")
}

// Rule 9: recorded even after maintenance was left, also if it is only proposed then.
func TestRule09AFixProposedAfterMaintenanceWasLeft(t *testing.T) {
	t.Parallel()
	left := maintenance.and(ScriptSaved{Version: v20, Origin: OriginPerson}, MaintenanceExited{Task: "t1", Why: ExitReplanned})
	given(t, left...).When(ProposeFix{Proposal: "p1", Task: "t1", Code: codeV11, Comment: "reads latest_charge", Fixer: Fixer{Kind: "templates", Version: "renamed-field/1"}}).
		Then(proposed("p1", "t1", "r1", v10), FixRejectedStale{Proposal: "p1", Base: v10, Current: v20, Why: StaleReplanned})
	given(t, active...).When(ProposeFix{Proposal: "p1", Task: "t9", Code: codeV11}).ThenRefused(fault.NotFound, "no maintainer task t9")
}

// Rule 9: unrelated events in between, and a pause, never make a fix stale.
func TestRule09EventsInBetweenDoNotMakeAFixStale(t *testing.T) {
	t.Parallel()
	slot := at(0)
	between := history{
		IntentChanged{Intent: "more"}, ScheduleChanged{Spec: "0 7 * * *"}, SettingsChanged{Settings: Settings{Budget: 5}},
		SlotSkipped{Slot: &slot, Reason: "maintenance"}, FailureAttached{Task: "t1", Run: "r7"}, NotificationAcknowledged{Notification: "n"},
		PlannerTaskOpened{Task: "plan", Thread: "th"}, PlannerTaskClosed{Task: "plan"}, WorkflowPaused{},
		RunSucceeded{Run: "r0", Version: v10}, RunExempted{Run: "r0", Reason: "wrong"},
	}
	g := given(t, judging.and(between...)...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).
		ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	require.Equal(t, v11, g.State().Active)
	require.Equal(t, StatusPaused, g.State().Status)
}

// Rule 9: also where a history is stranger than any that Decide makes.
func TestRule09TheActiveVersionMustBeTheBase(t *testing.T) {
	t.Parallel()
	g := given(t, judging.and(ScriptSaved{Version: v20, Origin: OriginRollback})...).
		When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).
		Then(FixVerified{Proposal: "p1", Verification: identical},
			FixRejectedStale{Proposal: "p1", Base: v10, Current: v20, Why: StaleRolledBack},
			MaintenanceExited{Task: "t1", Why: ExitStale})
	require.Nil(t, g.State().Maintenance)
	given(t, held.and(ScriptSaved{Version: v20, Origin: OriginPlanner})...).When(AcceptFix{Proposal: "p1", ScriptID: "s"}).
		Then(FixRejectedStale{Proposal: "p1", Base: v10, Current: v20, Why: StaleReplanned}, MaintenanceExited{Task: "t1", Why: ExitStale})
}

// Rule 10: a maintainer that ends without a fix escalates with its last message and a
// Re-plan action; all unconfirmed fixes are withdrawn.
func TestRule10AMaintainerWithoutAFixEscalates(t *testing.T) {
	t.Parallel()
	g := given(t, maintenance...).When(EndMaintenance{Task: "t1", Explanation: "The field is gone from the API."}).Then(
		Escalated{
			Reason: EscalatedUnfixable, Explanation: "The field is gone from the API.", Run: "r1", Task: "t1",
			Actions: []string{ActionReplan, ActionEdit, ActionActivate}, Active: v10,
		},
		MaintenanceExited{Task: "t1", Why: ExitEscalated})
	require.Equal(t, StatusEscalated, g.State().Status)
	g.When(EndMaintenance{Task: "t1"}).ThenRefused(fault.Conflict, "was left already: escalated")
	given(t, active...).When(EndMaintenance{Task: "t7"}).ThenRefused(fault.NotFound, "no maintainer task t7")
	given(t, held...).When(EndMaintenance{Task: "t1"}).ThenRefused(fault.Conflict, "waits for a person")

	second := given(t, continuing...).When(settleFailed("r2", otherError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeMaintenanceEntered).
		When(EndMaintenance{Task: "t-r2"})
	escalated := scenario.The[Escalated](t, second.Events())
	require.Equal(t, []Version{v11}, escalated.Withdrawn)
	require.Equal(t, v10, escalated.Active)
	require.Contains(t, escalated.Explanation, "did not say why")
}

// A fix that the gate calls different is rejected, and the maintainer goes on.
func TestRule10ADifferentFixIsRejectedAndTheTaskStaysOpen(t *testing.T) {
	t.Parallel()
	g := given(t, judging...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: different}).Then(
		FixVerified{Proposal: "p1", Verification: different},
		FixRejectedDifferent{Proposal: "p1", Divergence: different.Divergence})
	require.Equal(t, StatusMaintenance, g.State().Status)
	g.When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}).ThenTypes(TypeFixProposed).
		When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: identical}).
		ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
}

func TestProposalsAreJudgedOneByOne(t *testing.T) {
	t.Parallel()
	g := given(t, judging...)
	g.When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}).ThenRefused(fault.Conflict, "p1 of task t1 is not judged yet")
	g.When(ProposeFix{Proposal: "p1", Task: "t1", Code: codeV11}).ThenRefused(fault.Conflict, "submitted already")
	g.When(ProposeFix{Task: "t1", Code: codeV11}).ThenRefused(fault.Invalid, "needs an id")
	g.When(ProposeFix{Proposal: "p2", Task: "t1"}).ThenRefused(fault.Invalid, "empty")
	g.When(JudgeFix{Proposal: "p9"}).ThenRefused(fault.NotFound, "no proposal p9")
	g.When(JudgeFix{Proposal: "p1", Verification: identical}).ThenRefused(fault.Invalid, "needs the id")
	given(t, held...).When(ProposeFix{Proposal: "p2", Task: "t1", Code: codeV11}).ThenRefused(fault.Conflict, "waits for a person")
	given(t, held...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenRefused(fault.Conflict, "it is held")
	given(t, applied...).When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenRefused(fault.Conflict, "it is applied")
}

// Rule 15: the run after a fix continues the failed one, and none may slip in before it.
func TestRule15TheFailedRunGoesOnFirst(t *testing.T) {
	t.Parallel()
	g := given(t, applied...)
	require.Equal(t, &Continuation{Run: "r1", Version: v11, Info: fold(running...).Admitted["r1"]}, g.State().Continuation)
	g.When(AdmitRun{Run: "r2", Trigger: TriggerSchedule}).ThenRefused(fault.Conflict, "goes on with run r1 on the fixed version first")
	g.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r7"}).ThenRefused(fault.Conflict, "r7 does not wait")
	on := g.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).Then(continues("r2", "r1", v11))
	require.Nil(t, on.State().Continuation)
	require.Equal(t, v11, on.State().Admitted["r2"].Fix)
	require.Equal(t, TriggerManual, on.State().Admitted["r2"].Origin)
	on.When(AdmitRun{Run: "r3", Trigger: TriggerContinuation, Continues: "r1"}).ThenRefused(fault.Conflict, "does not wait")
}

// Rule 15: only the continued run confirms a fix.
func TestRule15OnlyTheContinuedRunConfirms(t *testing.T) {
	t.Parallel()
	together := slices.Clone(continuing)
	on := together[len(together)-1].(RunAdmitted)
	on.Beside = true
	together[len(together)-1] = on
	g := given(t, together.and(SettingsChanged{Settings: Settings{MaxActive: 2}})...).
		When(AdmitRun{Run: "hook", Trigger: TriggerWebhook}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "hook"}).Then(RunSucceeded{Run: "hook", Version: v11}, Recovered{Run: "hook"})
	require.Equal(t, []Version{v11}, g.State().Unconfirmed())
	g = g.When(SettleRun{Run: "r2"}).Then(RunSucceeded{Run: "r2", Version: v11}, FixConfirmed{Version: v11, Run: "r2"})
	require.Empty(t, g.State().Unconfirmed())
}

// Rule 15: only the continued run's logic or limit failure regresses a fix.
func TestRule15OnlyTheContinuedRunRegresses(t *testing.T) {
	t.Parallel()
	given(t, continuing...).When(settleFailed("r2", timeLimit)).
		ThenTypes(TypeRunFailed, TypeLimitErrorClassified, TypeFixRegressed, TypeMaintenanceEntered)
	given(t, continuing.and(RunAdmitted{Run: "hook", Version: v11, Trigger: TriggerWebhook})...).
		When(settleFailed("hook", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
	for _, f := range []failure.Failure{signedOut, notAllowed, hostBroke} {
		events := given(t, continuing...).When(settleFailed("r2", f)).Events()
		require.Len(t, events, 2, "%s", f.Class)
	}
	// One that did not reproduce says nothing about the fix.
	settle := settleFailed("r2", otherError)
	settle.Rehearsed = RehearsedWorks
	given(t, continuing...).When(settle).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeNotReproduced, TypeRetryScheduled)
}

// Rule 15: a network error neither confirms nor regresses; the retry of the continued run
// continues it and confirms later.
func TestRule15ARetryOfTheContinuedRunConfirms(t *testing.T) {
	t.Parallel()
	g := given(t, continuing...).When(settleFailed("r2", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).
		After(time.Minute).When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted)
	require.Equal(t, 1, g.State().Admitted["r3"].Attempt, "the chain of tries starts with the continuation")
	g.When(SettleRun{Run: "r3"}).Then(
		RunSucceeded{Run: "r3", Version: v11}, FixConfirmed{Version: v11, Run: "r3"}, Recovered{Run: "r3"})
	g.When(settleFailed("r3", typeError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated)
}

// In maintenance only what tries the newest fix is admitted: the retry of a continued run.
func TestRule15TheContinuedRunIsRetriedInMaintenance(t *testing.T) {
	t.Parallel()
	g := given(t, continuing.and(RunAdmitted{Run: "hook", Version: v11, Trigger: TriggerWebhook})...).
		When(settleFailed("r2", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled).
		When(settleFailed("hook", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered).
		After(time.Minute).When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "r3"}).Then(RunSucceeded{Run: "r3", Version: v11}, FixConfirmed{Version: v11, Run: "r3"}, Recovered{Run: "r3"})
	require.Equal(t, StatusMaintenance, g.State().Status)
	require.Equal(t, v11, g.State().LastConfirmed)
}

// A retry that tries an older fix does not try the newest one: it waits like every other run.
func TestRule15ARetryOfAnOlderFixWaitsInMaintenance(t *testing.T) {
	t.Parallel()
	g := given(t, continuing.and(RunAdmitted{Run: "hook", Version: v11, Trigger: TriggerWebhook})...).
		When(settleFailed("r2", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	g = mend(g, "hook", otherError).When(settleFailed("hook'", thirdError)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeMaintenanceEntered).After(time.Minute)
	g.When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenRefused(fault.Conflict, "is being repaired")
	// And it neither confirms nor regresses a version that its fix is not.
	g = applyFix(g, "hook'").When(SettleRun{Run: "hook''"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	g.When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "r3"}).Then(RunSucceeded{Run: "r3", Version: v13})
}

// A run that continues the failure of one fix, on the version of the next, says nothing about either.
func TestRule15ARunConfirmsOnlyTheVersionItRanOn(t *testing.T) {
	t.Parallel()
	two := SettingsChanged{Settings: Settings{MaxActive: 2}}
	g := given(t, continuing.and(two, RunAdmitted{Run: "hook", Version: v11, Trigger: TriggerWebhook})...).
		When(settleFailed("r2", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	g = mend(g, "hook", otherError).After(time.Minute).
		When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted)
	require.Equal(t, v12, g.State().Admitted["r3"].Version)
	g.When(SettleRun{Run: "r3"}).Then(RunSucceeded{Run: "r3", Version: v12}, Recovered{Run: "r3"})
	g.When(settleFailed("r3", thirdError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeMaintenanceEntered)
}

// A withdrawn fix is not tried any more.
func TestRule15AnEscalationEndsTheContinuation(t *testing.T) {
	t.Parallel()
	g := given(t, applied...).When(WithdrawFixes{}).ThenTypes(TypeEscalated).When(Activate{}).ThenTypes(TypeWorkflowActivated)
	require.Nil(t, g.State().Continuation)
	g.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).ThenRefused(fault.Conflict, "does not wait")
	g.When(AdmitRun{Run: "r2", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
}

// Rule 15: if the new code does not repeat the writes that already happened, a person decides.
func TestRule15ADivergedContinuationGoesToAPerson(t *testing.T) {
	t.Parallel()
	settle := settleFailed("r2", diverged)
	settle.Rehearsed = RehearsedWorks // says nothing: the code is not at fault
	when := given(t, continuing...).When(settle)
	escalated := scenario.The[Escalated](t, when.Events())
	require.Equal(t, EscalatedDiverged, escalated.Reason)
	require.Equal(t, []Version{v11}, escalated.Withdrawn)
	when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated)
	require.False(t, NeedsRehearsal(fold(continuing...), "r2", diverged))
}

// Rule 15: if code does not repeat what it wrote itself, that is no fault of the fix: the run is half done, and its person is asked.
func TestRule15ARunThatDoesNotRepeatItselfIsNoFaultOfTheFix(t *testing.T) {
	t.Parallel()
	ours := diverged
	ours.Class = failure.Internal
	settle := settleFailed("r2", ours)
	settle.Writes = 1
	given(t, continuing...).When(settle).ThenTypes(TypeRunFailed, TypeInternalErrorClassified, TypeRunUnfinished)
	require.False(t, NeedsRehearsal(fold(continuing...), "r2", ours))
}

func TestRule15AContinuationWaitsWhereNoRunMayStart(t *testing.T) {
	t.Parallel()
	ask := AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}
	paused := given(t, applied.and(WorkflowPaused{})...)
	paused.When(ask).ThenRefused(fault.Conflict, "is paused")
	paused.When(Activate{}).ThenTypes(TypeWorkflowActivated).When(ask).Then(continues("r2", "r1", v11))
	busy := given(t, applied.and(RunAdmitted{Run: "hook", Version: v10, Trigger: TriggerWebhook})...)
	busy.When(ask).ThenRefused(fault.Conflict, "max_active")
	busy.When(SettleRun{Run: "hook"}).ThenTypes(TypeRunSucceeded).When(ask).ThenTypes(TypeRunAdmitted)
	// A save ends it: the new script is another automation.
	given(t, applied.and(ScriptSaved{Version: v20, Origin: OriginPerson})...).When(ask).ThenRefused(fault.Conflict, "does not wait")
}

// A draft's run may be mended too; it is a draft afterwards.
func TestADraftIsMendedAndStaysADraft(t *testing.T) {
	t.Parallel()
	g := mend(given(t, draft.and(admitted("r1", v10))...), "r1", typeError)
	require.Equal(t, StatusDraft, g.State().Status)
	g = g.When(SettleRun{Run: "r1'"}).ThenTypes(TypeRunSucceeded, TypeFixConfirmed, TypeRecovered)
	g.When(AdmitRun{Run: "n", Trigger: TriggerSchedule}).ThenRefused(fault.Conflict, "is a draft")
}

// Waiting for access is not forgotten while a fix is made.
func TestWaitingOutlastsMaintenance(t *testing.T) {
	t.Parallel()
	g := given(t, judging.and(admitted("r8", v10))...).When(settleFailed("r8", signedOut)).ThenTypes(TypeRunFailed, TypeAuthErrorClassified)
	require.Equal(t, StatusMaintenance, g.State().Status)
	g = g.When(JudgeFix{Proposal: "p1", ScriptID: "s", Verification: identical}).ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	require.Equal(t, StatusWaiting, g.State().Status)
	ask := AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}
	g.When(ask).ThenRefused(fault.Conflict, "waits for access")
	g.When(Activate{}).ThenTypes(TypeWorkflowActivated).When(ask).ThenTypes(TypeRunAdmitted)
}
