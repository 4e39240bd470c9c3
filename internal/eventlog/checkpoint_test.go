package eventlog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func newLog(t *testing.T) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// put appends events whose ids follow from stream and revision, so that two logs can share them.
func put(t *testing.T, log eventlog.Log, stream string, from, n int) eventlog.Position {
	t.Helper()
	events := make([]eventlog.Event, n)
	for i := range events {
		events[i] = eventlog.Event{ID: idOf(stream, from+i), Type: "Tested", SchemaVersion: 1, Payload: []byte("{}")}
	}
	appended, err := log.Append(t.Context(), stream, eventlog.At(int64(from-1)), events)
	require.NoError(t, err)
	return appended.Position
}

func idOf(stream string, revision int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s %d", stream, revision)).String()
}

// A checkpoint is found in its own log at its own position, in a log that has the event
// elsewhere at that one's position, and in no log without the event.
func TestResolve(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log, elsewhere := newLog(t), newLog(t)
	put(t, log, "a", 0, 2)
	at := put(t, log, "b", 0, 1)
	put(t, log, "a", 2, 1)
	put(t, elsewhere, "z", 0, 5)
	put(t, elsewhere, "b", 0, 1)
	put(t, elsewhere, "a", 0, 1)

	checkpoint, err := eventlog.CheckpointAt(ctx, log, at)
	require.NoError(t, err)
	require.Equal(t, eventlog.Checkpoint{Position: at, Stream: "b", Revision: 0, EventID: idOf("b", 0)}, checkpoint)
	here, err := eventlog.Resolve(ctx, log, checkpoint)
	require.NoError(t, err)
	require.Equal(t, at, here)
	there, err := eventlog.Resolve(ctx, elsewhere, checkpoint)
	require.NoError(t, err)
	require.Equal(t, eventlog.PositionOf(6), there)

	notThere := func(checkpoint eventlog.Checkpoint, says string) {
		t.Helper()
		_, err := eventlog.Resolve(ctx, elsewhere, checkpoint)
		not, ok := errors.AsType[*eventlog.NotOfLogError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, checkpoint, not.Checkpoint)
		require.ErrorContains(t, err, says)
	}
	head, err := eventlog.CheckpointAt(ctx, log, eventlog.End)
	require.NoError(t, err)
	require.Equal(t, int64(2), head.Revision)
	notThere(head, "this log has no such revision")
	// The same place of the stream, another event: a log that went another way.
	forked := checkpoint
	forked.EventID = uuid.NewString()
	notThere(forked, "this log has event "+idOf("b", 0)+" there")
	// A position that means something else here is not trusted.
	moved := checkpoint
	moved.Position = eventlog.PositionOf(2)
	here, err = eventlog.Resolve(ctx, log, moved)
	require.NoError(t, err)
	require.Equal(t, at, here)
}

// Before the first event is the start of every log; a position between events is that of the
// event before it.
func TestCheckpointAt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log := newLog(t)
	for _, position := range []eventlog.Position{eventlog.Start, eventlog.PositionOf(7), eventlog.End} {
		none, err := eventlog.CheckpointAt(ctx, log, position)
		require.NoError(t, err)
		require.Zero(t, none)
	}
	start, err := eventlog.Resolve(ctx, log, eventlog.Checkpoint{})
	require.NoError(t, err)
	require.Equal(t, eventlog.Start, start)
	head := put(t, log, "a", 0, 3)
	beyond, err := eventlog.CheckpointAt(ctx, log, eventlog.PositionOf(1000))
	require.NoError(t, err)
	require.Equal(t, head, beyond.Position)
	_, err = eventlog.CheckpointAt(ctx, log, "7")
	require.ErrorContains(t, err, `"7" is not a position`)
}

// The stored forms do not change: a written checkpoint can be read for ever.
func TestCheckpointForms(t *testing.T) {
	t.Parallel()
	checkpoint := eventlog.Checkpoint{
		Position: eventlog.PositionOf(42), Stream: "workflow-7", Revision: 3, EventID: "0190a1b2-0000-7000-8000-000000000001",
	}
	text := "0000000000000000042 workflow-7 3 0190a1b2-0000-7000-8000-000000000001"
	object := `{"position":"0000000000000000042","stream":"workflow-7","revision":3,"event_id":"0190a1b2-0000-7000-8000-000000000001"}`
	require.Equal(t, text, checkpoint.String())
	encoded, err := json.Marshal(checkpoint)
	require.NoError(t, err)
	require.Equal(t, object, string(encoded))
	for _, form := range []string{text, object, " " + text + "\n"} {
		back, err := eventlog.ParseCheckpoint(form)
		require.NoError(t, err)
		require.Equal(t, checkpoint, back)
	}
	start, err := eventlog.ParseCheckpoint(eventlog.Checkpoint{}.String())
	require.NoError(t, err)
	require.Zero(t, start)

	for bad, says := range map[string]string{
		"":                  "is not a checkpoint",
		"42":                "is not a checkpoint",
		"{":                 "is not JSON",
		`{"position":"42"}`: `"42" is not a position`,
		"0000000000000000042 s x " + checkpoint.EventID:                                 "is a number",
		"0000000000000000042 s 1 nothing":                                               "does not name an event",
		"0000000000000000042 s -1 " + checkpoint.EventID:                                "does not name an event",
		`{"stream":"s","revision":1,"event_id":"0190a1b2-0000-7000-8000-000000000001"}`: "does not name an event",
	} {
		_, err := eventlog.ParseCheckpoint(bad)
		require.ErrorContains(t, err, says, bad)
	}
}
