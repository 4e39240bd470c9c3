package eventlogtest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// patience is how long the suite waits for what must happen before it says that it did not. The suite's
// own tests, where it does not happen, wait less.
func patience(t testing.TB) time.Duration {
	if hasty, ok := t.(interface{ Patience() time.Duration }); ok {
		return hasty.Patience()
	}
	return time.Minute
}

// event makes an event whose id depends on its label alone.
func event(format string, args ...any) eventlog.Event {
	label := fmt.Sprintf(format, args...)
	return eventlog.Event{
		ID:            uuid.NewSHA1(uuid.NameSpaceOID, []byte(label)).String(),
		Type:          "Tested",
		SchemaVersion: 1,
		Payload:       []byte(`{"label":"` + label + `"}`),
		Metadata:      []byte(`{"actor":"system:test"}`),
	}
}

// events makes n events.
func events(n int, format string, args ...any) []eventlog.Event {
	label := fmt.Sprintf(format, args...)
	all := make([]eventlog.Event, n)
	for i := range all {
		all[i] = event("%s/%d", label, i)
	}
	return all
}

func appendEvents(t testing.TB, log eventlog.Log, stream string, expected eventlog.Expected, all ...eventlog.Event) eventlog.Appended {
	t.Helper()
	appended, err := log.Append(t.Context(), stream, expected, all)
	require.NoError(t, err)
	return appended
}

func collect(t testing.TB, records iter.Seq2[eventlog.Record, error]) []eventlog.Record {
	t.Helper()
	var all []eventlog.Record
	for record, err := range records {
		require.NoError(t, err)
		all = append(all, record)
	}
	return all
}

func readStream(t testing.TB, log eventlog.Log, stream string) []eventlog.Record {
	t.Helper()
	return collect(t, log.Stream(t.Context(), stream, 0))
}

func readAll(t testing.TB, log eventlog.Log) []eventlog.Record {
	t.Helper()
	return collect(t, log.All(t.Context(), eventlog.Start, eventlog.Everything))
}

// requireIDs asserts that the ids are the same, in the same order. It tells the first that is not: all
// of them, as require.Equal would show, nobody reads.
func requireIDs(t testing.TB, want, got []string, about ...any) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			require.Fail(t, fmt.Sprintf("event %d is %s, not %s; there are %d, of %d", i, got[i], want[i], len(got), len(want)), about...)
		}
	}
	if len(got) != len(want) {
		require.Fail(t, fmt.Sprintf("there are %d events, not %d", len(got), len(want)), about...)
	}
}

// requireRecords is requireIDs for whole records.
func requireRecords(t testing.TB, want, got []eventlog.Record, about ...any) {
	t.Helper()
	requireIDs(t, ids(want), ids(got), about...)
	for i := range want {
		if !equal(want[i], got[i]) {
			require.Fail(t, fmt.Sprintf("event %d is %+v, not %+v", i, got[i], want[i]), about...)
		}
	}
}

func equal(a, b eventlog.Record) bool {
	return a.ID == b.ID && a.Type == b.Type && a.SchemaVersion == b.SchemaVersion && bytes.Equal(a.Payload, b.Payload) && bytes.Equal(a.Metadata, b.Metadata) &&
		a.Stream == b.Stream && a.Revision == b.Revision && a.Position == b.Position && a.RecordedAt.Equal(b.RecordedAt)
}

// requireCount asserts a number of records without printing them all.
func requireCount(t testing.TB, want int, records []eventlog.Record) {
	t.Helper()
	if len(records) != want {
		require.Failf(t, "not as many records as expected", "there are %d, not %d", len(records), want)
	}
}

func ids(records []eventlog.Record) []string {
	all := make([]string, len(records))
	for i, record := range records {
		all[i] = record.ID
	}
	return all
}

func idsOf(all []eventlog.Event) []string {
	out := make([]string, len(all))
	for i, event := range all {
		out[i] = event.ID
	}
	return out
}

// requireConflict asserts a conflict with both revisions.
func requireConflict(t testing.TB, err error, stream string, expected, actual int64) {
	t.Helper()
	conflict, ok := errors.AsType[*eventlog.ConflictError](err)
	require.Truef(t, ok, "want a conflict, got %v", err)
	require.Equal(t, eventlog.ConflictError{Stream: stream, Expected: expected, Actual: actual}, *conflict)
}

// requireOnlyError asserts that a read yields an error and nothing else.
func requireOnlyError(t testing.TB, records iter.Seq2[eventlog.Record, error], format string, args ...any) {
	t.Helper()
	require.Errorf(t, onlyError(t, records), format, args...)
}

// onlyError gives the error that a read yields, nil if it yields none. It fails if there is a record, or anything after the error.
func onlyError(t testing.TB, records iter.Seq2[eventlog.Record, error]) error {
	t.Helper()
	var failure error
	for record, err := range records {
		require.NoErrorf(t, failure, "a read goes on after its error")
		require.Errorf(t, err, "a record, of stream %s", record.Stream)
		failure = err
	}
	return failure
}

// requireInvalid asserts that an append was refused for what it is.
func requireInvalid(t testing.TB, err error, stream string) {
	t.Helper()
	invalid, ok := errors.AsType[*eventlog.InvalidError](err)
	require.Truef(t, ok, "want a refusal, got %v", err)
	require.Equal(t, stream, invalid.Stream)
	require.NotEmpty(t, invalid.Reason)
}

// RequireSound asserts what holds for every log at any time: positions grow, revisions
// have no gaps, no id is twice in a stream, and each stream reads as it does in the log.
func RequireSound(t testing.TB, log eventlog.Log) {
	t.Helper()
	streams := make(map[string][]eventlog.Record)
	seen := make(map[string]bool)
	last := eventlog.Start
	for _, record := range readAll(t, log) {
		require.Greater(t, record.Position, last, "positions grow")
		last = record.Position
		stream := streams[record.Stream]
		require.Equalf(t, int64(len(stream)), record.Revision, "revisions of %s have no gaps", record.Stream)
		id := record.Stream + " " + record.ID
		require.Falsef(t, seen[id], "an id is twice: %s", id)
		seen[id] = true
		streams[record.Stream] = append(stream, record)
	}
	for name, records := range streams {
		requireRecords(t, records, readStream(t, log, name), "%s reads as it does in the log", name)
	}
}
