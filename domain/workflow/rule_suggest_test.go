package workflow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

func suggestion(proposal string, v Verification) SuggestFix {
	return SuggestFix{
		Proposal: proposal, ScriptID: "s-" + proposal, Base: v10, Code: codeV11, Comment: "reads latest_charge", By: "agent:claude",
		Verification: v, Run: "r1", Task: "t9", Thread: "th9", Item: "it9",
	}
}

func suggested(proposal, task string) FixProposed {
	p := proposed(proposal, task, "r1", v10)
	p.Fixer = Fixer{Kind: FixerSuggested, Version: "agent:claude"}
	return p
}

// handedOver is a failure for which no fix was found.
var handedOver = decided(maintenance, EndMaintenance{Task: "t1", Explanation: "nothing fits"})

// decided adds what a command leads to.
func decided(h history, c Command) history {
	events, err := Decide(fold(h...), c, scenario.Start)
	if err != nil {
		panic(err)
	}
	return h.and(events...)
}

// A fix that comes from outside while the task is open takes its place like one of the maintainer's.
func TestASuggestedFixOfAnOpenTask(t *testing.T) {
	t.Parallel()
	g := given(t, maintenance...).When(suggestion("p9", identical)).
		Then(history{suggested("p9", "t1")}.and(fixed("p9", "t1", v11)...)...)
	require.Equal(t, "r1", g.State().Continuation.Run, "the failed run goes on with it")
	g.When(suggestion("p10", identical)).ThenRefused(fault.Conflict, "no failure that is being repaired")
}

// A suggested fix reopens a failure that was handed to a person, with the evidence of the failed run.
func TestASuggestedFixOfWhatWasHandedOver(t *testing.T) {
	t.Parallel()
	again := entered("t9", "r1", v10, 1)
	again.Thread, again.Item = "th9", "it9"
	g := given(t, handedOver...).When(suggestion("p9", identical)).
		Then(history{again, suggested("p9", "t9")}.and(fixed("p9", "t9", v11)...)...)
	require.Equal(t, StatusActive, g.State().Status)
	g.When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).Then(continues("r2", "r1", v11))

	waits := identical
	waits.Reasons = heldReasons
	g = given(t, handedOver...).When(suggestion("p9", waits)).ThenTypes(TypeMaintenanceEntered, TypeFixProposed, TypeFixVerified, TypeFixHeld)
	require.Equal(t, StatusHeld, g.State().Status)
	require.Equal(t, typeError, g.State().Maintenance.Failure)
	g.When(DeclineFix{Proposal: "p9"}).ThenTypes(TypeFixDeclined, TypeEscalated, TypeMaintenanceExited).
		When(suggestion("p10", identical)).ThenTypes(TypeMaintenanceEntered, TypeFixProposed, TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
}

// A suggested fix that is not proved, or was made of another version, changes nothing.
func TestASuggestedFixThatIsRefused(t *testing.T) {
	t.Parallel()
	refused := func(why string, change func(*SuggestFix), histories ...history) {
		c := suggestion("p9", identical)
		change(&c)
		for _, one := range histories {
			_, err := Decide(fold(one...), c, scenario.Start)
			require.ErrorContains(t, err, why)
		}
	}
	open := maintenance
	same := func(*SuggestFix) {}
	refused("changes what used to work: run r0", func(c *SuggestFix) { c.Verification = different }, open, handedOver)
	refused("version 1.0 is what fails now", func(c *SuggestFix) { c.Base = v11 }, open, handedOver)
	refused("was judged on run r0, and run r1 is what failed now", func(c *SuggestFix) { c.Run = "r0" }, open, handedOver)
	refused("is version 1.0 unchanged", func(c *SuggestFix) { c.Code = codeV1 }, open, handedOver)
	refused("is not a verdict", func(c *SuggestFix) { c.Verification = Verification{} }, open)
	refused("the script is empty", func(c *SuggestFix) { c.Code = " " }, open)
	refused("needs ids", func(c *SuggestFix) { c.Thread = "" }, handedOver)
	refused("the planner is at work", same, open.and(PlannerTaskOpened{Task: "pl"}), handedOver.and(PlannerTaskOpened{Task: "pl"}))
	refused("no failure that is being repaired", same, active, waiting)
	refused("is archived", same, handedOver.and(WorkflowArchived{}))
}

// A run that its person left is not gone on with, and one of a version that was taken back proves nothing.
func TestASuggestedFixNeedsARunThatCanGoOn(t *testing.T) {
	t.Parallel()
	half := slices.Clone(maintenance)
	for i, e := range half {
		if failed, is := e.(RunFailed); is {
			failed.Writes = 1
			half[i] = failed
		}
	}
	half = decided(half, EndMaintenance{Task: "t1", Explanation: "nothing fits"})
	given(t, half...).When(suggestion("p9", identical)).ThenTypes(
		TypeMaintenanceEntered, TypeFixProposed, TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	given(t, half...).When(LeaveRun{Run: "r1"}).ThenTypes(TypeRunLeft).
		When(suggestion("p9", identical)).ThenRefused(fault.Conflict, "run r1 was left as it is")

	takenBack := decided(applied, WithdrawFixes{})
	given(t, takenBack...).When(suggestion("p9", identical)).ThenRefused(fault.Conflict, "no failed run of version 1.0")
}

// A fix that waits for a person gives way to a better one, and not to one that would wait as well.
func TestASuggestedFixBesideOneThatIsHeld(t *testing.T) {
	t.Parallel()
	given(t, held...).When(suggestion("p9", identical)).
		ThenTypes(TypeFixProposed, TypeFixVerified, TypeFixRejectedStale, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited)
	waits := identical
	waits.Reasons = heldReasons
	given(t, held...).When(suggestion("p9", waits)).ThenRefused(fault.Conflict, "proposal p1 of workflow \"Refund report\" waits for a person")
}

// Rule 5 holds for them, too.
func TestSuggestedFixesAreWithinTheBudget(t *testing.T) {
	t.Parallel()
	spent := handedOver.and(SettingsChanged{Settings: Settings{Budget: 1}})
	given(t, spent...).When(suggestion("p9", identical)).Given(TypeFixApplied).
		When(AdmitRun{Run: "r2", Trigger: TriggerContinuation, Continues: "r1"}).Given(TypeRunAdmitted).
		When(settleFailed("r2", otherError)).ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeFixRegressed, TypeEscalated).
		When(suggestion("p10", identical)).ThenRefused(fault.Conflict, "no failed run of version 1.0")
}

// Suggestions begin as many repairs in an hour as the settings allow, and no more.
func TestSuggestedFixesAreRepairsOfTheHour(t *testing.T) {
	t.Parallel()
	once := history{SettingsChanged{Settings: Settings{RepairsPerHr: 1}}}
	full := handedOver.and(once...)
	given(t, full...).When(suggestion("p9", identical)).ThenRefused(fault.Conflict, "as many repairs in the last hour")
	_, err := fold(full...).Suggestible(scenario.Start.Add(2 * time.Hour))
	require.NoError(t, err)
}
