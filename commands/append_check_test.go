package commands_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// continued seals an event as a node would, after the newest of a stream.
func continued(t testing.TB, log eventlog.Log, stream, name, payload string) (before *eventlog.Record, after eventlog.Event) {
	t.Helper()
	id := uuid.NewString()
	metadata := []byte(`{"event_id":"` + id + `","schema_version":1,"actor":"person:ann"}`)
	link := hashchain.Link{Stream: stream, ID: id, Type: name, SchemaVersion: 1, Payload: []byte(payload), Metadata: metadata}
	var previous hashchain.Hash
	if all := records(t, log, stream); len(all) > 0 {
		before = &all[len(all)-1]
		link.Revision = before.Revision + 1
		var err error
		_, previous, err = hashchain.Unseal(before.Metadata)
		require.NoError(t, err)
	}
	return before, eventlog.Event{
		ID: link.ID, Type: name, SchemaVersion: 1, Payload: []byte(payload), Metadata: hashchain.Seal(metadata, hashchain.Next(previous, link)),
	}
}

// An event that another node appends to one of our streams is taken only if a node can have decided it: every reader
// would meet a wrong one, for ever.
func TestCheckAppend(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w")
	for name, one := range map[string]struct{ stream, event, payload, says string }{
		"as a node":             {"workflow-w", "WorkflowPaused", `{}`, ""},
		"a fix out of nothing":  {"workflow-w", "FixApplied", `{}`, "FixApplied"},
		"no object":             {"workflow-w", "WorkflowPaused", `[]`, "not a JSON object"},
		"of a newer program":    {"workflow-w", "MoonPhaseChanged", `{}`, "unknown type"},
		"erased":                {"workflow-w", "WorkflowPaused", string(eventlog.Erased([]byte(`{}`))), "not a JSON object"},
		"of no workflow":        {"workflow-x", "WorkflowPaused", `{}`, "never created"},
		"of a run":              {"run-r", "LogWritten", `{}`, ""},
		"no event of a run":     {"run-r", "WorkflowPaused", `{}`, "no event of a run"},
		"of a thread not there": {"thread-t", "ThreadClosed", `{}`, "ThreadClosed"},
		"a stream of tomorrow":  {"tomorrow-x", "WorkflowPaused", `{}`, "no stream of such a name"},
	} {
		before, event := continued(t, log, one.stream, one.event, one.payload)
		err := c.CheckAppend(t.Context(), one.stream, before, []eventlog.Event{event})
		if one.says == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, one.says, name)
		}
	}

	before, event := continued(t, log, "workflow-w", "WorkflowPaused", `{}`)
	require.ErrorContains(t, c.CheckAppend(t.Context(), "workflow-w", nil, []eventlog.Event{event}), "WorkflowPaused")
	unsealed := event
	unsealed.Metadata = []byte(`{}`)
	require.ErrorContains(t, c.CheckAppend(t.Context(), "workflow-w", before, []eventlog.Event{unsealed}), "does not end with")
	changed := event
	changed.Payload = []byte(`{"reason":"other"}`)
	require.ErrorContains(t, c.CheckAppend(t.Context(), "workflow-w", before, []eventlog.Event{changed}), "was changed")

	// A repeat is for the log to judge, and looking has changed nothing.
	_, err := c.PauseWorkflow(t.Context(), "w", workflow.Pause{}, ann)
	require.NoError(t, err)
	all := records(t, log, "workflow-w")
	last := len(all) - 1
	require.NoError(t, c.CheckAppend(t.Context(), "workflow-w", &all[last-1], []eventlog.Event{all[last].Event}))
}

// A stream whose chain is broken is not followed: otherwise the program would act on a forged event.
func TestBrokenChainIsNotFollowed(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	create(t, on(log), "w")
	_, event := continued(t, log, "workflow-w", "WorkflowPaused", `{}`)
	event.Payload = []byte(`{"reason":"forged"}`)
	_, err := log.Append(t.Context(), "workflow-w", eventlog.Exact(2), []eventlog.Event{event})
	require.NoError(t, err)
	_, err = on(log).LoadWorkflow(t.Context(), "w")
	require.ErrorContains(t, err, "is broken at revision 3")
}
