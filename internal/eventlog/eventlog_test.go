package eventlog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Errors say what happened and to which stream.
func TestErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"eventlog: stream run-1 is at revision 4, not at 2 as expected":                                                                    &eventlog.ConflictError{Stream: "run-1", Expected: 2, Actual: 4},
		"eventlog: stream run-1, at revision 4, has events of this append already, elsewhere than expected":                                &eventlog.ConflictError{Stream: "run-1", Expected: 4, Actual: 4},
		"eventlog: event id 7 is already in stream run-1 with other content":                                                               &eventlog.ContentError{Stream: "run-1", ID: "7"},
		`eventlog: append to stream "run 1" refused: the stream name has the character ' '; spaces and control characters are not allowed`: eventlog.Validate("run 1", eventlog.NoStream{}, make([]eventlog.Event, 1)),
	} {
		require.EqualError(t, err, want)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	require.Equal(t, eventlog.NoStream{}, eventlog.At(-1))
	require.Equal(t, eventlog.Exact(0), eventlog.At(0))
	require.Equal(t, int64(-1), eventlog.NoStream{}.Revision())
	require.Equal(t, int64(7), eventlog.Exact(7).Revision())
}

type wrapped struct{ eventlog.Log }

func (w wrapped) Unwrap() eventlog.Log { return w.Log }

type able struct{ eventlog.Log }

func (able) Examine(context.Context) error { return nil }

func (able) Restored() []string { return nil }

// TestAs: an ability of a log is found behind its wrappers, and none is made up.
func TestAs(t *testing.T) {
	t.Parallel()
	_, is := eventlog.As[eventlog.Examiner](wrapped{wrapped{able{}}})
	require.True(t, is)
	_, is = eventlog.As[eventlog.Lister](wrapped{wrapped{able{}}})
	require.False(t, is)
	_, is = eventlog.As[eventlog.Examiner](wrapped{})
	require.False(t, is)
}
