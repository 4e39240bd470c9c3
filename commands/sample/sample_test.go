package sample_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func write(t testing.TB, config sample.Config) []eventlog.Record {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	written, err := sample.Write(t.Context(), log, config)
	require.NoError(t, err)
	require.GreaterOrEqual(t, written, config.Events)
	var events []eventlog.Record
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		events = append(events, record)
	}
	require.Len(t, events, written)
	return events
}

// A sample has what real logs have, in whole chains.
func TestMix(t *testing.T) {
	t.Parallel()
	types, streams := map[string]int{}, map[string]*hashchain.Verifier{}
	for _, record := range write(t, sample.Config{Seed: 1, Events: 15_000}) {
		types[record.Type]++
		if streams[record.Stream] == nil {
			streams[record.Stream] = new(hashchain.Verifier)
		}
		require.NoError(t, streams[record.Stream].Check(record))
	}
	for _, name := range []string{
		"WorkflowCreated", "WorkflowActivated", "WorkflowPaused", "WorkflowArchived", "WorkflowRestored", "ScriptSaved", "ScheduleChanged", "SettingsChanged",
		"RunAdmitted", "RunStarted", "ToolAnswered", "ToolCalled", "ToolReturned", "LogWritten", "RunEnded", "RunSucceeded", "RunFailed",
		"NetworkErrorClassified", "RetryScheduled", "AuthErrorClassified", "LogicErrorClassified",
		"MaintenanceEntered", "FixProposed", "FixVerified", "FixApplied", "FixHeld", "FixConfirmed", "Escalated",
		"ThreadOpened", "MessageAppended", "ToolInvoked", "CandidateJudged", "ThreadClosed", "PlannerTaskOpened", "QuestionAsked",
	} {
		require.Positive(t, types[name], name)
	}
}

// The same seed makes the same events in the same order, another one others.
func TestSeed(t *testing.T) {
	t.Parallel()
	once, twice := write(t, sample.Config{Seed: 7, Events: 1000}), write(t, sample.Config{Seed: 7, Events: 1000})
	same := func(a, b eventlog.Record) bool {
		return a.ID == b.ID && a.Stream == b.Stream && a.Position == b.Position && slices.Equal(a.Payload, b.Payload) && slices.Equal(a.Metadata, b.Metadata)
	}
	require.True(t, slices.EqualFunc(once, twice, same))
	require.NotEqual(t, once[0].ID, write(t, sample.Config{Seed: 8, Events: 10})[0].ID)
}
