package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Texts of a person are checked before any of them is kept, in every command. Texts of the program itself are not.
func TestAPersonsWordsAreCheckedBeforeTheyAreKept(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := commands.New(commands.Config{
		Log: log, Codec: newCodec(), CheckScript: checkScript, Now: func() time.Time { return noon }, NewID: uuid.NewString,
		CheckWords: func(_ context.Context, text []byte) error {
			if bytes.Contains(text, []byte("sesame")) {
				return fault.New(fault.Invalid, "it is a secret")
			}
			return nil
		},
	})
	create(t, c, "w")
	before := len(records(t, log, workflow.Stream("w")))
	admit := workflow.AdmitRun{Run: "r", Trigger: workflow.TriggerManual, Input: json.RawMessage(`{"token":"sesame"}`)}
	for _, refused := range []func() (commands.Result, error){
		func() (commands.Result, error) { return c.AdmitRun(t.Context(), "w", admit, ann) },
		func() (commands.Result, error) {
			return c.SaveScript(t.Context(), "w", workflow.SaveScript{Code: "function main() { return 'sesame' }", Comment: "x", Origin: workflow.OriginPerson}, ann)
		},
		func() (commands.Result, error) {
			return c.ChangeIntent(t.Context(), "w", workflow.ChangeIntent{Intent: "use sesame"}, ann)
		},
	} {
		_, err := refused()
		require.ErrorContains(t, err, "it is a secret")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	require.Len(t, records(t, log, workflow.Stream("w")), before)
	_, err := c.AdmitRun(t.Context(), "w", admit, commands.Meta{Actor: "system:scheduler"})
	require.NoError(t, err)
}
