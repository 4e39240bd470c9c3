package commands_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule: a run that a person starts is refused before it is admitted if the input, or the default in its place, does
// not fit the active version. Inputs from elsewhere, and those of earlier runs, become runs.
func TestInputThatDoesNotFit(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := commands.New(commands.Config{
		Log: log, Codec: newCodec(), CheckScript: checkScript, Now: func() time.Time { return noon },
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
		CheckInput: func(_ string, input json.RawMessage) error {
			var given struct{ Day *string }
			if json.Unmarshal(input, &given) != nil || given.Day == nil {
				return errors.New("input.day is missing")
			}
			return nil
		},
	})
	create(t, c, "w1")
	good, bad := json.RawMessage(`{"day":"x"}`), json.RawMessage(`{"date":"x"}`)
	admit := func(command workflow.AdmitRun) error {
		_, err := c.AdmitRun(t.Context(), "w1", command, ann)
		return err
	}
	for _, given := range []json.RawMessage{bad, nil} {
		err := admit(workflow.AdmitRun{Run: "r1", Trigger: workflow.TriggerManual, Input: given})
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.ErrorContains(t, err, `the input is not what version 1.0 of "Refunds of w1" takes: input.day is missing`)
	}
	_, err := c.ChangeSchedule(t.Context(), "w1", workflow.ChangeSchedule{Spec: "@daily", Input: bad}, ann)
	require.ErrorContains(t, err, "input.day is missing")
	_, err = c.ChangeSchedule(t.Context(), "w1", workflow.ChangeSchedule{Spec: "@daily", Input: good}, ann)
	require.NoError(t, err)

	_, err = c.OfferInput(t.Context(), "w1", workflow.OfferInput{Run: "r2", Trigger: workflow.TriggerWebhook, Input: bad}, ann)
	require.NoError(t, err)
	s, err := c.LoadWorkflow(t.Context(), "w1")
	require.NoError(t, err)
	require.Contains(t, s.Admitted, "r2")
	require.NotContains(t, s.Admitted, "r1")
	_, err = c.SettleRun(t.Context(), "w1", workflow.SettleRun{Run: "r2"}, ann)
	require.NoError(t, err)
	two := s.Settings
	two.MaxActive = 2
	_, err = c.ChangeSettings(t.Context(), "w1", workflow.ChangeSettings{Settings: two}, ann)
	require.NoError(t, err)
	require.NoError(t, admit(workflow.AdmitRun{Run: "r3", Trigger: workflow.TriggerManual, Input: good}))
}
