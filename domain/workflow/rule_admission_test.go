package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 4: the status table, for every trigger. An entry that is not "yes" is the start of the refusal.
func TestRule04RunsStartOnlyWhereTheStatusTableSaysSo(t *testing.T) {
	t.Parallel()
	retrying := RetryScheduled{Run: "r0", Attempt: 1, At: scenario.Start}
	statuses := map[Status]history{
		StatusDraft: draft, StatusActive: active, StatusMaintenance: maintenance, StatusHeld: held,
		StatusWaiting: waiting, StatusEscalated: escalated, StatusPaused: paused, StatusArchived: archived,
	}
	table := map[Status]map[Trigger]bool{
		StatusDraft:       {TriggerManual: true, TriggerRetry: true, TriggerImport: true},
		StatusActive:      {TriggerManual: true, TriggerSchedule: true, TriggerWebhook: true, TriggerEvent: true, TriggerRetry: true, TriggerImport: true},
		StatusMaintenance: {TriggerImport: true},
		StatusHeld:        {TriggerWebhook: true, TriggerEvent: true, TriggerImport: true},
		StatusWaiting:     {TriggerImport: true},
		StatusEscalated:   {TriggerImport: true},
		StatusPaused:      {TriggerImport: true},
		StatusArchived:    {},
	}
	for status, h := range statuses {
		g := given(t, h.and(SettingsChanged{Settings: Settings{MaxActive: 2}}, retrying)...)
		require.Equal(t, status, g.State().Status)
		for _, trigger := range []Trigger{TriggerManual, TriggerSchedule, TriggerWebhook, TriggerEvent, TriggerRetry, TriggerContinuation, TriggerImport} {
			ask := AdmitRun{Run: "new", Trigger: trigger}
			if trigger == TriggerRetry || trigger == TriggerContinuation {
				ask.Continues = "r0"
			}
			if table[status][trigger] {
				g.When(ask).ThenTypes(TypeRunAdmitted)
			} else {
				g.When(ask).ThenRefused(fault.Conflict, "")
			}
		}
	}
}

func TestRule04RefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for says, h := range map[string]history{
		"is a draft": draft, "being repaired": maintenance, "a fix that waits for you": held, "waits for access": waiting,
		"was handed to you": escalated, "is paused: activate it first": paused, "is archived: restore it first": archived,
	} {
		given(t, h...).When(AdmitRun{Run: "new", Trigger: TriggerSchedule}).ThenRefused(fault.Conflict, says)
	}
	given(t, created).When(AdmitRun{Run: "new", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "no script")
	given(t).When(AdmitRun{Run: "new", Trigger: TriggerManual}).ThenRefused(fault.NotFound, "no such workflow")
}

// A run without input gets that of the settings, or an object without members: scripts read members of their input.
func TestARunWithoutInputGetsTheDefault(t *testing.T) {
	t.Parallel()
	set := SettingsChanged{Settings: Settings{Input: json.RawMessage(`{"day":"today"}`)}}
	admitted := func(h history, c AdmitRun) string {
		return string(scenario.The[RunAdmitted](t, given(t, h...).When(c).Events()).Input)
	}
	for _, trigger := range []Trigger{TriggerManual, TriggerWebhook} {
		require.Equal(t, `{}`, admitted(active, AdmitRun{Run: "new", Trigger: trigger}))
		require.Equal(t, `{"day":"today"}`, admitted(active.and(set), AdmitRun{Run: "new", Trigger: trigger}))
		require.Equal(t, `null`, admitted(active.and(set), AdmitRun{Run: "new", Trigger: trigger, Input: json.RawMessage(`null`)}))
	}
	scheduled := given(t, active.and(set, ScheduleChanged{Spec: "@daily"})...)
	require.JSONEq(t, `{"day":"today","slot":"2026-03-01T00:00:00Z","zone":"Europe/Vienna"}`,
		string(scheduled.State().SlotInput(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))))
	given(t, active...).When(ChangeSettings{Settings: Settings{Input: json.RawMessage(`{`)}}).ThenRefused(fault.Invalid, "not JSON")
}

// The setting on_hold: block is the default for schedules and people, continue for webhooks and events.
func TestRule04OnHoldDecidesWhileAFixIsHeld(t *testing.T) {
	t.Parallel()
	block := SettingsChanged{Settings: Settings{OnHold: OnHoldBlock}}
	goOn := SettingsChanged{Settings: Settings{OnHold: OnHoldContinue}}
	for _, trigger := range []Trigger{TriggerManual, TriggerSchedule, TriggerWebhook, TriggerEvent} {
		given(t, held.and(block)...).When(AdmitRun{Run: "new", Trigger: trigger}).ThenRefused(fault.Conflict, "waits for you")
		given(t, held.and(goOn)...).When(AdmitRun{Run: "new", Trigger: trigger, Repair: true}).
			Then(RunAdmitted{Run: "new", Version: v10, Trigger: trigger, Input: json.RawMessage(`{}`)})
	}
	// A retry does as the run that it continues.
	webhook := held.and(RunAdmitted{Run: "hook", Version: v10, Trigger: TriggerWebhook}, RunFailed{Run: "hook", Version: v10, Failure: refused},
		RetryScheduled{Run: "hook", Attempt: 1, At: scenario.Start})
	given(t, webhook...).When(AdmitRun{Run: "new", Trigger: TriggerRetry, Continues: "hook"}).ThenTypes(TypeRunAdmitted)
	schedule := held.and(RunAdmitted{Run: "slot", Version: v10, Trigger: TriggerSchedule}, RunFailed{Run: "slot", Version: v10, Failure: refused},
		RetryScheduled{Run: "slot", Attempt: 1, At: scenario.Start})
	given(t, schedule...).When(AdmitRun{Run: "new", Trigger: TriggerRetry, Continues: "slot"}).ThenRefused(fault.Conflict, "waits for you")
}

// Rule 4: runs beside each other come out as if one had been after the other. A run's writes count only if no other
// run has committed since the state that the run's reads were compared with.
func TestRule04RunsBesideEachOtherCommitOneAfterTheOther(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{MaxActive: 2}}, beside("r1"), beside("r2"))...)
	g.When(CommitRun{Run: "r1", Through: 2, Seen: 1}).ThenRefused(fault.Conflict, "compare what run r1 has read")
	one := g.When(CommitRun{Run: "r1", Through: 2}).Then(RunCommitted{Run: "r1", Through: 2})
	one.When(CommitRun{Run: "r1", Through: 2, Seen: 7}).ThenNothing()
	one.When(CommitRun{Run: "r2", Through: 2}).ThenRefused(fault.Conflict, "other runs of workflow")
	one.When(CommitRun{Run: "r2", Through: 2, Seen: 1}).Then(RunCommitted{Run: "r2", Through: 2}).
		When(SettleRun{Run: "r1"}).ThenTypes(TypeRunSucceeded).
		When(CommitRun{Run: "r1", Through: 3, Seen: 2}).ThenRefused(fault.NotFound, "no active run r1")
	given(t, running...).When(CommitRun{Run: "r1", Through: 2}).ThenRefused(fault.NotFound, "holds back")
}

// Rule 4: at most one active run, unless the overlap setting says otherwise. Imported runs happened elsewhere.
func TestRule04OverlapIsBounded(t *testing.T) {
	t.Parallel()
	g := given(t, running...)
	g.When(AdmitRun{Run: "r2", Trigger: TriggerWebhook}).ThenRefused(fault.Conflict, "max_active is 1")
	// A run that began alone stays alone: its writes to keys and files count at once.
	g.And(SettingsChanged{Settings: Settings{MaxActive: 2}}).When(AdmitRun{Run: "r2", Trigger: TriggerWebhook}).ThenRefused(fault.Conflict, "began when only one was allowed")
	two := given(t, active...).And(SettingsChanged{Settings: Settings{MaxActive: 2}}).
		When(AdmitRun{Run: "r1", Trigger: TriggerManual}).Then(RunAdmitted{Run: "r1", Version: v10, Trigger: TriggerManual, Input: json.RawMessage(`{}`), Aside: true, Beside: true}).
		When(AdmitRun{Run: "r2", Trigger: TriggerWebhook}).ThenTypes(TypeRunAdmitted)
	two.When(AdmitRun{Run: "r3", Trigger: TriggerWebhook}).ThenRefused(fault.Conflict, "has 2 active runs")
	two.When(SettleRun{Run: "r1"}).ThenTypes(TypeRunSucceeded).
		When(AdmitRun{Run: "r3", Trigger: TriggerWebhook}).ThenTypes(TypeRunAdmitted)
	given(t, active...).When(AdmitRun{Run: "old", Trigger: TriggerImport}).ThenTypes(TypeRunAdmitted).
		When(AdmitRun{Run: "r1", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
}

// Rule 4: a run that waits to be tried again is as active as one that is executing, for slots, inputs
// and people alike, until it has gone on or nothing goes on with it any more.
func TestRule04ARunThatWaitsForItsRetryIsActive(t *testing.T) {
	t.Parallel()
	slot := at(time.Minute)
	fresh := []AdmitRun{
		{Run: "new", Trigger: TriggerManual}, {Run: "new", Trigger: TriggerSchedule, Slot: &slot}, {Run: "new", Trigger: TriggerWebhook},
		{Run: "new", Trigger: TriggerEvent}, {Run: "new", Trigger: TriggerFork, Fork: &Fork{Run: "r0", FromCall: 1}},
	}
	waits := given(t, running...).When(settleFailed("r1", refused)).ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeRetryScheduled)
	retry := waits.State().Retries["r1"]
	for _, ask := range fresh {
		waits.When(ask).ThenRefused(fault.Conflict, "goes on with run r1 at "+retry.At.Format(time.RFC3339))
		waits.And(SettingsChanged{Settings: Settings{MaxActive: 2}}).When(ask).ThenTypes(TypeRunAdmitted)
	}
	waits.When(OfferInput{Run: "new", Trigger: TriggerWebhook}).ThenTypes(TypeInputQueued)
	_, _, ok := waits.And(InputQueued{Run: "new", Trigger: TriggerWebhook}).State().NextInput(at(time.Hour))
	require.False(t, ok, "the input waits as well")

	again := waits.After(time.Minute).When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
	again.When(fresh[0]).ThenRefused(fault.Conflict, "has 1 active run and")
	again.When(SettleRun{Run: "r2"}).Given(TypeRunSucceeded).When(fresh[0]).ThenTypes(TypeRunAdmitted)
	// Every event that ends the waiting gives the place back.
	waits.When(SaveScript{ScriptID: "s2", Code: codeV11, Origin: OriginPerson}).Given(TypeScriptSaved).When(fresh[0]).ThenTypes(TypeRunAdmitted)
	waits.When(Rollback{To: v10, ScriptID: "s2"}).Given(TypeScriptSaved).When(fresh[0]).ThenTypes(TypeRunAdmitted)
	waits.And(WorkflowArchived{}, WorkflowRestored{}, WorkflowActivated{}).When(fresh[0]).ThenTypes(TypeRunAdmitted)
	waits.And(WorkflowPaused{}, WorkflowActivated{}).When(fresh[0]).ThenRefused(fault.Conflict, "goes on with run r1")
	exhausted := again.And(RunFailed{Run: "r2", Version: v10, Failure: refused}, NetworkErrorClassified{Classified{Run: "r2"}}, RetriesExhausted{Run: "r2", Attempts: 8})
	exhausted.When(fresh[0]).ThenTypes(TypeRunAdmitted)
}

// Rule 4: runs that go on wait only for those that execute, so none waits for the other, also after
// a person has lowered how many there may be.
func TestRule04RunsThatWaitForTheirRetryDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	one := SettingsChanged{Settings: Settings{MaxActive: 1}}
	both := given(t, active.and(SettingsChanged{Settings: Settings{MaxActive: 2}}, admitted("r1", v10), admitted("r2", v10),
		RunFailed{Run: "r1", Version: v10, Failure: refused}, RetryScheduled{Run: "r1", Attempt: 1, At: scenario.Start},
		RunFailed{Run: "r2", Version: v10, Failure: refused}, RetryScheduled{Run: "r2", Attempt: 1, At: scenario.Start}, one)...)
	first := both.When(AdmitRun{Run: "r3", Trigger: TriggerRetry, Continues: "r2"}).ThenTypes(TypeRunAdmitted)
	first.When(AdmitRun{Run: "r4", Trigger: TriggerRetry, Continues: "r1"}).ThenRefused(fault.Conflict, "has 1 active run and")
	first.When(SettleRun{Run: "r3"}).Given(TypeRunSucceeded).When(AdmitRun{Run: "r4", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
}

func TestRule04ARunIsAdmittedOnce(t *testing.T) {
	t.Parallel()
	g := given(t, running...)
	g.When(AdmitRun{Run: "r1", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "admitted already")
	g.When(SettleRun{Run: "r1"}).ThenTypes(TypeRunSucceeded).
		When(AdmitRun{Run: "r1", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "has ended already")
	g.When(AdmitRun{Trigger: TriggerManual}).ThenRefused(fault.Invalid, "needs an id")
}

func TestRule04AdmissionChecksWhatIsAsked(t *testing.T) {
	t.Parallel()
	g := given(t, active...)
	slot := at(time.Hour)
	g.When(AdmitRun{Run: "r", Trigger: TriggerSchedule, Slot: &slot, Input: json.RawMessage(`{"a":1}`)}).
		Then(RunAdmitted{Run: "r", Version: v10, Trigger: TriggerSchedule, Slot: &slot, Input: json.RawMessage(`{"a":1}`)})
	g.When(AdmitRun{Run: "r", Trigger: "cosmic"}).ThenRefused(fault.Invalid, `"cosmic" is not a trigger`)
	g.When(AdmitRun{Run: "r", Trigger: TriggerManual, Input: json.RawMessage(`{`)}).ThenRefused(fault.Invalid, "not JSON")
	g.When(AdmitRun{Run: "r", Trigger: TriggerManual, Input: json.RawMessage("\"caf\xe9\"")}).ThenRefused(fault.Invalid, "not UTF-8")
	g.When(AdmitRun{Run: "r", Trigger: TriggerManual, Input: make(json.RawMessage, 600<<10)}).ThenRefused(fault.Invalid, "524288 are allowed")
	g.When(AdmitRun{Run: "r", Trigger: TriggerManual, Continues: "x"}).ThenRefused(fault.Invalid, "starts afresh")
	g.When(AdmitRun{Run: "r", Trigger: TriggerManual, Version: v10}).ThenRefused(fault.Invalid, "active version")
	g.When(AdmitRun{Run: "r", Trigger: TriggerContinuation, Continues: "x"}).ThenRefused(fault.Conflict, "does not wait to go on")
}

// Imported runs are history: recorded, never acted on.
func TestImportedRunsAreHistory(t *testing.T) {
	t.Parallel()
	g := given(t, applied...)
	g.When(AdmitRun{Run: "old", Trigger: TriggerImport, Version: v10}).
		Then(RunAdmitted{Run: "old", Version: v10, Trigger: TriggerImport}).
		When(settleFailed("old", typeError)).Then(RunFailed{Run: "old", Version: v10, Failure: typeError})
	g.When(AdmitRun{Run: "old", Trigger: TriggerImport, Version: Version{Major: 9}}).ThenRefused(fault.NotFound, "no version 9.0")
	done := given(t, draft...).When(AdmitRun{Run: "old", Trigger: TriggerImport}).ThenTypes(TypeRunAdmitted).
		When(settleFailed("old", signedOut)).ThenTypes(TypeRunFailed)
	require.Equal(t, StatusDraft, done.State().Status)
	require.Zero(t, done.State().Failing)
	done.When(AdmitRun{Run: "good", Trigger: TriggerImport}).ThenTypes(TypeRunAdmitted).
		When(SettleRun{Run: "good"}).Then(RunSucceeded{Run: "good", Version: v10})
}

// Admitted runs finish, whatever happens to the workflow meanwhile.
func TestRule04AdmittedRunsFinish(t *testing.T) {
	t.Parallel()
	for _, between := range []history{
		{WorkflowPaused{}}, {WorkflowArchived{}}, {ScriptSaved{Version: v20, Origin: OriginPerson}},
		{Escalated{Reason: EscalatedBudget, Active: v10}},
	} {
		given(t, running.and(between...)...).When(SettleRun{Run: "r1"}).Then(RunSucceeded{Run: "r1", Version: v10})
	}
}

func TestExemptRunDeclaresASuccessWrong(t *testing.T) {
	t.Parallel()
	g := given(t, confirmed...)
	exempted := g.When(ExemptRun{Run: "r2", Reason: "it counted twice"}).Then(RunExempted{Run: "r2", Reason: "it counted twice"})
	require.True(t, exempted.State().Exempted("r2"))
	exempted.When(ExemptRun{Run: "r2", Reason: "again"}).ThenNothing()
	g.When(ExemptRun{Run: "r1", Reason: "x"}).ThenRefused(fault.Conflict, "failed")
	g.When(ExemptRun{Run: "r7", Reason: "x"}).ThenRefused(fault.NotFound, "no ended run r7")
	g.When(ExemptRun{Run: "r2"}).ThenRefused(fault.Invalid, "say why")
}

func TestSlotsAreSkippedWithAReason(t *testing.T) {
	t.Parallel()
	slot := at(0)
	given(t, maintenance...).When(SkipSlot{Slot: &slot, Reason: "being repaired"}).Then(SlotSkipped{Slot: &slot, Reason: "being repaired"})
	given(t, maintenance...).When(SkipSlot{Slot: &slot}).ThenRefused(fault.Invalid, "needs a reason")
}

// A workflow may be held to so many runs an hour; continuations of failed runs are not counted.
func TestRunsPerHour(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{RunsPerHr: 2, MaxActive: 9}})...)
	start := g.Now()
	g = g.When(AdmitRun{Run: "a", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted).After(10 * time.Minute)
	g = g.When(AdmitRun{Run: "b", Trigger: TriggerSchedule}).ThenTypes(TypeRunAdmitted).After(10 * time.Minute)
	g.When(AdmitRun{Run: "c", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "may start at "+start.Add(time.Hour).Format(time.RFC3339))
	failed := g.And(RunFailed{Run: "a", Version: v10, Failure: refused}, RetryScheduled{Run: "a", Attempt: 1, At: g.Now()})
	failed.When(AdmitRun{Run: "c", Trigger: TriggerRetry, Continues: "a"}).ThenTypes(TypeRunAdmitted)
	again := g.After(40 * time.Minute).When(AdmitRun{Run: "c", Trigger: TriggerManual}).ThenTypes(TypeRunAdmitted)
	again.When(AdmitRun{Run: "d", Trigger: TriggerManual}).ThenRefused(fault.Conflict, "runs_per_hr allows")
	given(t, active...).When(ChangeSettings{Settings: Settings{RunsPerHr: 10_000}}).ThenRefused(fault.Invalid, "the most is 3600")
	given(t, active...).When(ChangeSettings{Settings: Settings{IdempotentHosts: []string{"a/b"}}}).ThenRefused(fault.Invalid, "idempotent_hosts")
}
