package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Decisions for the installation are in one stream that every process reads. It is chained and audited as all others
// are, and a repeated command decides nothing.
func TestInstallation(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	codec := newCodec()
	c := on(log)
	ctx := t.Context()
	state, err := c.LoadInstallation(ctx)
	require.NoError(t, err)
	require.False(t, state.Off)
	five := 5.0
	once := as("stop")
	for range 2 {
		result, err := c.StopRepairs(ctx, installation.StopRepairs{Reason: "look first"}, once)
		require.NoError(t, err)
		require.Len(t, result.Events, 1)
		require.Equal(t, installation.Subject, result.Events[0].Metadata.Subject)
	}
	_, err = c.ChangeSpendCap(ctx, installation.ChangeSpendCap{PerDayUSD: &five}, ann)
	require.NoError(t, err)
	_, err = c.ReportSpend(ctx, installation.ReportSpend{Spent: installation.Spent{DayUSD: 6}}, ann)
	require.NoError(t, err)
	_, err = c.ResumeRepairs(ctx, installation.ResumeRepairs{}, ann)
	require.NoError(t, err)
	_, err = c.AcknowledgeNotice(ctx, installation.AcknowledgeNotice{Notification: "n"}, ann)
	require.NoError(t, err)
	state, err = c.LoadInstallation(ctx)
	require.NoError(t, err)
	require.False(t, state.Off)
	require.InDelta(t, 5, state.PerDayUSD, 0)

	require.True(t, domain.OwnStream(installation.Stream))
	audit := commands.NewAudit(codec)
	count := 0
	for record, err := range log.All(ctx, eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		require.NoError(t, audit.Check(record))
		count++
	}
	require.Equal(t, 5, count)

	// An event that cannot follow, and one that says it is of a workflow.
	var resumed eventlog.Record
	for record, err := range log.Stream(ctx, installation.Stream, 3) {
		require.NoError(t, err)
		resumed = record
		break
	}
	require.Equal(t, installation.TypeRepairsResumed, resumed.Type)
	audit = commands.NewAudit(codec)
	resumed.Revision = 0
	require.Error(t, audit.Check(resumed))
	_, err = installation.Follow(installation.State{}, installation.RepairsResumed{})
	require.ErrorAs(t, err, new(*event.ImpossibleError))
}
