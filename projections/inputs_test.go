package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// What waits, and who starts whom, is what the workflows' states say; that inputs are lost is told
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
