package logcopy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

// sink takes appends in order as a log does, and keeps what they were.
type sink struct {
	eventlog.Log
	loads [][]string // of each time: the stream, the first revision and the number of events of each append
}

func (s *sink) AppendInOrder(_ context.Context, batches []eventlog.Batch) error {
	var load []string
	for _, b := range batches {
		load = append(load, fmt.Sprintf("%s from %d: %d", b.Stream, b.Expected.Revision()+1, len(b.Events)))
	}
	s.loads = append(s.loads, load)
	return eventlog.ValidateInOrder(batches)
}

// written is n events of a stream from a revision on.
func written(stream string, from int64, n int, payload []byte) (records []eventlog.Record) {
	for i := range int64(n) {
		event := eventlog.Event{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: payload}
		records = append(records, eventlog.Record{Event: event, Stream: stream, Revision: from + i})
	}
	return records
}

// A log is given as much together as one append may have, and consecutive events of a stream are
// one append. Each time the stored events are told.
func TestLoads(t *testing.T) {
	t.Parallel()
	large := make([]byte, eventlog.MaxAppendBytes-10)
	var records []eventlog.Record
	for _, some := range [][]eventlog.Record{
		written("a", 0, eventlog.MaxAppendEvents-3, nil), written("b", 0, 1, nil), written("a", eventlog.MaxAppendEvents-3, 2, nil),
		written("a", eventlog.MaxAppendEvents-1, 3, nil), written("a", 7, 1, nil), // no log has this: it is not for the copy to judge
		written("large", 0, 1, large), written("large", 1, 1, large[:10]),
		written("large", 2, 1, large), written("large", 3, 1, large[:11]),
	} {
		records = append(records, some...)
	}
	to, told := &sink{}, []int(nil)
	require.NoError(t, logcopy.Append(t.Context(), to, unfailing(records), func(n int) { told = append(told, n) }))
	require.Equal(t, [][]string{
		{"a from 0: 9997", "b from 0: 1", "a from 9997: 2"},
		{"a from 9999: 3", "a from 7: 1", "large from 0: 2"},
		{"large from 2: 1"},
		{"large from 3: 1"},
	}, to.loads)
	require.Equal(t, []int{10_000, 6, 1, 1}, told)
}

// Nothing is appended of no records, and nothing more after an error of their source.
func TestAppendOfAnError(t *testing.T) {
	t.Parallel()
	to := &sink{}
	never := func(int) { t.Error("nothing was stored") }
	require.NoError(t, logcopy.Append(t.Context(), to, unfailing(nil), never))
	failing := func(yield func(eventlog.Record, error) bool) {
		_ = yield(written("a", 0, 1, nil)[0], nil) && yield(eventlog.Record{}, eventlog.ErrUnavailable)
	}
	require.ErrorIs(t, logcopy.Append(t.Context(), to, failing, never), eventlog.ErrUnavailable)
	require.Empty(t, to.loads)
}
