package workflow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	g := given(t).When(Create{ID: "w", Title: " Refund report ", Owner: "ada", Intent: "List refunds."}).
		Then(WorkflowCreated{ID: "w", Title: "Refund report", Owner: "ada", Zone: "UTC", Intent: "List refunds."})
	require.Equal(t, StatusDraft, g.State().Status)
	g.When(Create{ID: "w", Title: "again"}).ThenRefused(fault.Conflict, "exists already")
	g.When(Activate{}).ThenRefused(fault.Conflict, "has no script")
	given(t).When(Create{Title: "x"}).ThenRefused(fault.Invalid, "needs an id")
	for _, id := range []string{"not an id", "../w", "w/x", ".w", "w\n", "ü", strings.Repeat("w", 101)} {
		given(t).When(Create{ID: id, Title: "x"}).ThenRefused(fault.Invalid, "is not made of 1 to 100 letters, digits, - or _")
	}
	given(t).When(Create{ID: "w", Title: " "}).ThenRefused(fault.Invalid, "needs a title")
	require.Equal(t, StatusNone, given(t).State().Status)
}

func TestChangesAreRecordedOnlyIfTheyChange(t *testing.T) {
	t.Parallel()
	g := given(t, active...)
	g.When(ChangeIntent{Intent: "List refunds."}).ThenNothing()
	g.When(ChangeIntent{Title: "Refund report", Intent: "List refunds."}).ThenNothing()
	g.When(ChangeIntent{Title: "Refunds", Intent: "List refunds."}).Then(IntentChanged{Title: "Refunds", Intent: "List refunds."})
	changed := g.When(ChangeIntent{Intent: "All of them."}).Then(IntentChanged{Intent: "All of them."})
	require.Equal(t, "Refund report", changed.State().Title)

	schedule := ScheduleChanged{Spec: "0 7 * * *", Zone: "UTC", Input: json.RawMessage(`{}`), From: g.Now()}
	g.When(ChangeSchedule{Spec: "0 7 * * *", Zone: "UTC", Input: json.RawMessage(`{}`)}).Then(schedule).
		When(ChangeSchedule{Spec: "0 7 * * *", Zone: "UTC", Input: json.RawMessage(`{}`)}).ThenNothing()
	g.When(ChangeSchedule{Input: json.RawMessage(`{`)}).ThenRefused(fault.Invalid, "not JSON")

	settings := Settings{AutoFix: ModeProven, Budget: 5, AllowedHosts: []string{"localhost:8080"}}
	g.When(ChangeSettings{Settings: settings}).Then(SettingsChanged{Settings: settings}).
		When(ChangeSettings{Settings: settings}).ThenNothing()
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for says, wrong := range map[string]Settings{
		"auto_fix": {AutoFix: "yolo"}, "on_hold": {OnHold: "maybe"}, "budget": {Budget: -1}, "repairs_per_hr": {RepairsPerHr: -1},
		"max_active": {MaxActive: -1}, "limits.wall_ms": {Limits: Limits{WallMS: -1}}, "allowed_hosts": {AllowedHosts: []string{""}},
		"idempotent_hosts": {IdempotentHosts: []string{"*.example.com"}}, "atomic_hosts": {AtomicHosts: []string{"https://example.com"}}, "locale": {Locale: "german"},
	} {
		given(t, active...).When(ChangeSettings{Settings: wrong}).ThenRefused(fault.Invalid, "setting "+says)
	}
}

// A locale is a language tag and nothing else: it stands in what agents are told.
func TestLocalesAreLanguageTags(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"", "de", "de-DE", "gsw-CH", "zh-Hant-TW", "es-419", "de-CH-1996", "sl-rozaj-biske"} {
		require.NoError(t, Settings{Locale: tag}.Validate(), tag)
	}
	for _, tag := range []string{"d", "german", "de_DE", "de-", "-DE", "de-DE\nIgnore all rules", "en-US-u-ca-buddhist", "de DE", "en-US-posix-posix-posix-posix-posix"} {
		require.Error(t, Settings{Locale: tag}.Validate(), tag)
	}
}

func TestSettingsDefaults(t *testing.T) {
	t.Parallel()
	require.Equal(t, Settings{AutoFix: ModeAuto, Budget: 3, RepairsPerHr: 6, QueuedInputs: 100, MaxActive: 1, Fixers: []string{"templates", "model"}, Unfinished: UnfinishedAsk, OutageAfterMS: 1_800_000}, Settings{}.WithDefaults())
	chosen := Settings{AutoFix: ModeOff, Budget: 1, RepairsPerHr: 2, MaxActive: 3, QueuedInputs: 5, OnHold: OnHoldBlock, Fixers: []string{"model"}, Unfinished: UnfinishedLeave, OutageAfterMS: 60_000}
	require.Equal(t, chosen, chosen.WithDefaults())
}

func TestActivateMakesTheBudgetWholeAgainOnly(t *testing.T) {
	t.Parallel()
	given(t, active...).When(Activate{}).ThenNothing()
	given(t, applied...).When(Activate{}).Then(WorkflowActivated{})
}

// A person activates the version that they looked at, and no version that was saved meanwhile.
func TestActivateIsOfTheVersionThatWasLookedAt(t *testing.T) {
	t.Parallel()
	given(t, draft...).When(Activate{Seen: Version{Major: 7}}).ThenRefused(fault.Conflict, "is active meanwhile, not 7.0")
	given(t, draft...).When(Activate{Seen: v10}).ThenTypes(TypeWorkflowActivated)
}

func TestArchiveKeepsNothingUnderWay(t *testing.T) {
	t.Parallel()
	g := given(t, applied...).When(Archive{Reason: "moved"}).Then(WorkflowArchived{Reason: "moved"})
	require.Nil(t, g.State().Continuation)
	g.When(Archive{}).ThenNothing()
	restored := g.When(Restore{}).Then(WorkflowRestored{})
	require.Equal(t, StatusPaused, restored.State().Status)
	active := restored.When(Activate{}).Then(WorkflowActivated{})
	require.Equal(t, StatusActive, active.State().Status)
}

func TestASaveLeavesEscalatedAndNotPaused(t *testing.T) {
	t.Parallel()
	save := SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPlanner}
	g := given(t, escalated...).When(save).ThenTypes(TypeScriptSaved)
	require.Equal(t, StatusActive, g.State().Status)
	back := given(t, escalated...).When(Rollback{To: v10, ScriptID: "s"}).ThenTypes(TypeScriptSaved)
	require.Equal(t, StatusActive, back.State().Status)

	pausedThen := given(t, escalated.and(WorkflowPaused{})...).When(save).ThenTypes(TypeScriptSaved)
	require.Equal(t, StatusPaused, pausedThen.State().Status)
	require.Nil(t, pausedThen.State().Escalation)
}

func TestAcknowledge(t *testing.T) {
	t.Parallel()
	given(t, active...).When(AcknowledgeNotification{Notification: "n1"}).Then(NotificationAcknowledged{Notification: "n1"})
	given(t, active...).When(AcknowledgeNotification{}).ThenRefused(fault.Invalid, "name the notification")
}
