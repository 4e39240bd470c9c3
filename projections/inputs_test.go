package projections_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Waiting inputs, and who starts whom, are as the workflows' states say; that inputs are lost is told
// once until there is room again.
func TestInputsAgreeWithState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for _, id := range []string{"source", "target"} {
		w.create(id, id)
		_, err := w.commands.SaveScript(ctx, id, workflow.SaveScript{Code: "function main() {}", Origin: workflow.OriginPerson}, ann)
		require.NoError(t, err)
		_, err = w.commands.ActivateWorkflow(ctx, id, workflow.Activate{}, ann)
		require.NoError(t, err)
	}
	_, err := w.commands.ChangeSettings(ctx, "target", workflow.ChangeSettings{Settings: workflow.Settings{QueuedInputs: 2}}, ann)
	require.NoError(t, err)
	for _, outcomes := range [][]workflow.Outcome{{workflow.OutcomeFailed}, {workflow.OutcomeSucceeded}} {
		_, err := w.commands.SetTrigger(ctx, "target", workflow.SetTrigger{Source: "source", Outcomes: outcomes}, ann)
		require.NoError(t, err)
	}
	offer := func(key string) {
		t.Helper()
		_, err := w.commands.OfferInput(ctx, "target", workflow.OfferInput{
			Run: commands.InputRun("target", key), Trigger: workflow.TriggerWebhook, Input: json.RawMessage(`{"a":1}`),
		}, ann)
		require.NoError(t, err)
	}
	check := func() (waits []projections.QueuedInput, told []projections.Notification) {
		t.Helper()
		w.catchUp()
		waits, err := w.queries.QueuedInputs(ctx, "target")
		require.NoError(t, err)
		state, err := w.commands.LoadWorkflow(ctx, "target")
		require.NoError(t, err)
		require.Len(t, waits, len(state.Queue))
		for i, one := range state.Queue {
			require.Equal(t, one.Run, waits[i].Run)
			require.Equal(t, 7, waits[i].Bytes)
		}
		told, err = w.queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyInputs, Open: true})
		require.NoError(t, err)
		return waits, told
	}
	for _, key := range []string{"1", "2", "3", "4", "5"} { // one runs, two wait
		offer(key)
	}
	waits, told := check()
	require.Len(t, waits, 2)
	require.Len(t, told, 1)
	require.Contains(t, told[0].Text, "2 inputs wait already")
	for _, of := range []string{"source", "target"} {
		triggers, err := w.queries.EventTriggers(ctx, of)
		require.NoError(t, err)
		require.Equal(t, []projections.EventTrigger{{Workflow: "target", Source: "source", Outcomes: []workflow.Outcome{workflow.OutcomeSucceeded}}}, triggers)
	}

	_, err = w.commands.SettleRun(ctx, "target", workflow.SettleRun{Run: commands.InputRun("target", "1")}, ann)
	require.NoError(t, err)
	_, err = w.commands.AdmitRun(ctx, "target", workflow.AdmitRun{Run: waits[0].Run, Trigger: workflow.TriggerWebhook}, ann)
	require.NoError(t, err)
	waits, told = check()
	require.Len(t, waits, 1)
	require.Empty(t, told, "there is room again")

	_, err = w.commands.RemoveTrigger(ctx, "target", workflow.RemoveTrigger{Source: "source"}, ann)
	require.NoError(t, err)
	_, err = w.commands.ArchiveWorkflow(ctx, "target", workflow.Archive{}, ann)
	require.NoError(t, err)
	waits, _ = check()
	require.Empty(t, waits)
	triggers, err := w.queries.EventTriggers(ctx, "source")
	require.NoError(t, err)
	require.Equal(t, []projections.EventTrigger{}, triggers)
}

// Inputs whose runs failed stand in the list with what they wait for, and what stops them says how many there are: one notice.
func TestInputsThatWaitAreCountedInWhatIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	_, err := w.commands.SaveScript(ctx, "w", workflow.SaveScript{Code: "function main() {}", Origin: workflow.OriginPerson}, ann)
	require.NoError(t, err)
	_, err = w.commands.ActivateWorkflow(ctx, "w", workflow.Activate{}, ann)
	require.NoError(t, err)
	offer := func(run string) {
		t.Helper()
		_, err := w.commands.OfferInput(ctx, "w", workflow.OfferInput{Run: run, Trigger: workflow.TriggerWebhook, Input: json.RawMessage(`{}`)}, ann)
		require.NoError(t, err)
	}
	fail := func(run string, class failure.Class) {
		t.Helper()
		_, err := w.commands.SettleRun(ctx, "w", workflow.SettleRun{Run: run, Failure: &failure.Failure{Class: class, Name: "Error", Message: "no", Strict: run, Loose: run}}, ann)
		require.NoError(t, err)
	}
	told := func() (open []projections.Notification, waits []projections.QueuedInput) {
		t.Helper()
		w.catchUp()
		open, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Open: true})
		require.NoError(t, err)
		waits, err = w.queries.QueuedInputs(ctx, "w")
		require.NoError(t, err)
		return open, waits
	}
	offer("a")
	fail("a", failure.Auth)
	open, waits := told()
	require.Len(t, open, 1)
	require.Equal(t, "no\n1 input waits, to be carried out afterwards, in order.", open[0].Text)
	require.Equal(t, workflow.WaitsAccess, waits[0].Waits)
	require.Contains(t, waits[0].Reason, "no")
	offer("b")
	offer("c")
	open, waits = told()
	require.Len(t, open, 1, "one notice")
	require.Equal(t, "no\n3 inputs wait, to be carried out afterwards, in order.", open[0].Text)
	require.Len(t, waits, 3)
	_, err = w.commands.ActivateWorkflow(ctx, "w", workflow.Activate{}, ann)
	require.NoError(t, err)
	_, err = w.commands.AdmitRun(ctx, "w", workflow.AdmitRun{Run: "a2", Trigger: workflow.TriggerRetry, Continues: "a"}, ann)
	require.NoError(t, err)
	fail("a2", failure.Internal)
	open, waits = told()
	require.Len(t, open, 1)
	require.Equal(t, projections.NotifyInputs, open[0].Type)
	require.Equal(t, []string{projections.ActionRetryInputs}, open[0].Actions)
	require.Contains(t, open[0].Text, "They are tried again by themselves")
	require.Len(t, waits, 3)
	_, err = w.commands.LeaveRun(ctx, "w", workflow.LeaveRun{Run: "a2"}, ann)
	require.NoError(t, err)
	open, waits = told()
	require.Empty(t, open, "nobody waits for it")
	require.Len(t, waits, 2)
	// A notice says once since when slots are missed.
	_, err = w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModeOff}}, ann)
	require.NoError(t, err)
	_, err = w.commands.AdmitRun(ctx, "w", workflow.AdmitRun{Run: waits[0].Run, Trigger: workflow.TriggerWebhook}, ann)
	require.NoError(t, err)
	fail(waits[0].Run, failure.Logic)
	for i := range 2 {
		slot := time.Date(2026, 3, 2+i, 7, 30, 0, 0, time.UTC)
		_, err = w.commands.SkipSlot(ctx, "w", workflow.SkipSlot{Slot: &slot, Reason: "it was handed to you"}, ann)
		require.NoError(t, err)
	}
	open, _ = told()
	require.Len(t, open, 1)
	require.True(t, strings.HasSuffix(open[0].Text, "\nSlots of its schedule are skipped since 2026-03-02 07:30:00 UTC.\n2 inputs wait, to be carried out afterwards, in order."), open[0].Text)
}

// A fix that waits for a person says since when slots are missed because of it, once, also after it was judged again.
func TestAFixThatWaitsSaysSinceWhenSlotsAreMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	w.did(w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
	w.fail("w", manual("r1"), because(failure.Logic, "a"))
	w.propose("w", "task-r1", "p1", "guess")
	w.judge("w", "p1", workflow.VerdictIdentical)
	for day := range 2 {
		slot := noon.AddDate(0, 0, day)
		w.did(w.commands.SkipSlot(ctx, "w", workflow.SkipSlot{Slot: &slot, Reason: "a fix waits"}, executor))
	}
	told := func() string {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyFixWaiting, Workflow: "w", Open: true})
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0].Text
	}
	require.Regexp(t, `[^\n]+\nSlots of its schedule are skipped since 2026-03-01 12:00:00 UTC\.$`, told())
	w.did(w.commands.RecheckFix(ctx, "w", workflow.RecheckFix{Proposal: "p1", Verification: workflow.Verification{Verdict: workflow.VerdictIdentical, Reasons: []string{"it drops a call"}}}, executor))
	require.Regexp(t, `it drops a call\n.*\nSlots of its schedule are skipped since 2026-03-01 12:00:00 UTC\.$`, told())
}

// People are told of an outage once: since when, what waits, and when it is asked next, which is kept up. Its end closes the notice, and
// says how long it took.
func TestAnOutageIsToldOnceUntilItIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	now := noon.Add(time.Hour)
	later := commands.New(commands.Config{
		Log: w.log, Codec: w.codec, CheckScript: func(string) error { return nil }, NewID: uuid.NewString, Now: func() time.Time { return now },
	})
	fail := func(run string) {
		t.Helper()
		why := because(failure.Network, "a")
		why.Body, why.RetryAfterMS = `{"message":"We are moving house"}`, (40 * time.Minute).Milliseconds()
		w.did(later.SettleRun(ctx, "w", workflow.SettleRun{Run: run, Failure: &why}, executor))
	}
	told := func(filter projections.NotificationFilter) []projections.Notification {
		t.Helper()
		w.catchUp()
		list, err := w.queries.Notifications(ctx, filter)
		require.NoError(t, err)
		return list
	}
	open := projections.NotificationFilter{Workflow: "w", Open: true}
	offer := func(run string) {
		t.Helper()
		w.did(later.OfferInput(ctx, "w", workflow.OfferInput{Run: run, Trigger: workflow.TriggerWebhook}, executor))
	}
	offer("a")
	fail("a")
	offer("b")
	w.did(later.ReportOutage(ctx, "w", executor))
	require.Empty(t, told(open), "it may pass by itself")

	now = now.Add(30 * time.Minute)
	w.did(later.ReportOutage(ctx, "w", executor))
	w.did(later.ReportOutage(ctx, "w", executor))
	list := told(open)
	require.Len(t, list, 1)
	require.Equal(t, "No answer since 2026-03-01 13:00 UTC: api.example.test", list[0].Title)
	require.Equal(t, projections.NotifyError, list[0].Type)
	require.Equal(t, []string{projections.ActionRetryInputs}, list[0].Actions)
	require.Equal(t, `TypeError: it broke at a
The host says: We are moving house
Waiting: 1 run, 1 input. It is asked next at 2026-03-01 13:40:00 UTC. All of it goes on by itself, in order.`, list[0].Text)

	now = now.Add(10 * time.Minute)
	// Each try that fails says when the next one is; the slots that are skipped meanwhile are told as well.
	w.did(later.AdmitRun(ctx, "w", workflow.AdmitRun{Run: "a1", Trigger: workflow.TriggerRetry, Continues: "a"}, executor))
	fail("a1")
	slot := now
	w.did(later.SkipSlot(ctx, "w", workflow.SkipSlot{Slot: &slot, Reason: "a run is tried again"}, executor))
	offer("c")
	list = told(open)
	require.Len(t, list, 1, "one notice of an outage")
	require.Contains(t, list[0].Text, "\nSlots of its schedule are skipped since 2026-03-01 13:40:00 UTC.\nWaiting: 1 run, 2 inputs. It is asked next at 2026-03-01 14:20:00 UTC")
	one, err := w.queries.Workflow(ctx, "w")
	require.NoError(t, err)
	require.Equal(t, projections.AgentRetrying, one.Agent)
	require.Len(t, one.Retrying, 1)

	// One press has everything tried now.
	w.did(later.RetryInputs(ctx, "w", ann))
	require.Contains(t, told(open)[0].Text, "It is asked next at 2026-03-01 13:40:00 UTC")
	now = now.Add(time.Hour)
	w.did(later.AdmitRun(ctx, "w", workflow.AdmitRun{Run: "a2", Trigger: workflow.TriggerRetry, Continues: "a1"}, executor))
	w.did(later.SettleRun(ctx, "w", workflow.SettleRun{Run: "a2"}, executor))
	require.Empty(t, told(open))
	all := told(projections.NotificationFilter{Workflow: "w"})
	require.Len(t, all, 1)
	require.Empty(t, all[0].Actions, "what is closed offers nothing")
	require.Contains(t, all[0].Text, "\nThere is an answer again, since 2026-03-01 14:40 UTC. It took 1h40m0s.")
	require.NotContains(t, all[0].Text, "Waiting:")
	require.False(t, all[0].Resolved.IsZero())
	one, err = w.queries.Workflow(ctx, "w")
	require.NoError(t, err)
	require.Equal(t, projections.AgentIdle, one.Agent)
}
