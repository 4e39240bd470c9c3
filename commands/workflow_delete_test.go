package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// A log whose events cannot be changed and keep their places deletes nothing, and says what to do. A log that can
// erases the same again for a repeated command; the state in memory knows the workflow as deleted.
func TestDeletingAWorkflow(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w")
	_, err := c.ArchiveWorkflow(t.Context(), "w", workflow.Archive{}, as("archive"))
	require.NoError(t, err)

	fixed := on(struct{ eventlog.Log }{log})
	_, err = fixed.DeleteWorkflow(t.Context(), "w", nil, as("refused"))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "move the log to SQLite or PostgreSQL first (kintsugi store copy)")

	before := records(t, log, workflow.Stream("w"))
	_, err = c.DeleteWorkflow(t.Context(), "w", nil, as("delete"))
	require.NoError(t, err)
	for _, by := range []*commands.Commands{c, on(log), c} {
		_, err = by.EraseWorkflow(t.Context(), "w", as("erase"))
		require.NoError(t, err)
	}
	after := records(t, log, workflow.Stream("w"))
	require.Len(t, after, len(before)+2)
	for i, one := range before {
		require.Equal(t, eventlog.Erased(one.Payload), after[i].Payload)
	}
	for _, by := range []*commands.Commands{c, on(log)} {
		state, err := by.LoadWorkflow(t.Context(), "w")
		require.NoError(t, err)
		require.Equal(t, workflow.StatusDeleted, state.Status)
		_, err = by.RestoreWorkflow(t.Context(), "w", workflow.Restore{}, as("restore"))
		require.ErrorContains(t, err, "was deleted for good")
	}
	require.NoError(t, c.VerifyChains(t.Context(), []string{workflow.Stream("w")}))
}
