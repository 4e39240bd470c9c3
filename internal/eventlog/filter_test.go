package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// A filter takes one of its prefixes and one of its types; none is any.
func TestFilter(t *testing.T) {
	t.Parallel()
	runs := eventlog.Filter{StreamPrefixes: []string{"run-", "thread-"}}
	ends := eventlog.Filter{Types: []string{"RunEnded", "ThreadClosed"}}
	both := eventlog.Filter{StreamPrefixes: runs.StreamPrefixes, Types: ends.Types}
	for _, c := range []struct {
		stream, eventType string
		runs, ends        bool
	}{
		{"run-1", "RunEnded", true, true},
		{"run-", "RunStarted", true, false},
		{"thread-1", "ThreadClosed", true, true},
		{"run", "RunEnded", false, true},
		{"Run-1", "runended", false, false},
		{"workflow-run-1", "RunEndedNot", false, false},
	} {
		require.True(t, eventlog.Everything.Passes(c.stream, c.eventType))
		require.Equal(t, c.runs, runs.Passes(c.stream, c.eventType), c)
		require.Equal(t, c.ends, ends.Passes(c.stream, c.eventType), c)
		require.Equal(t, c.runs && c.ends, both.Passes(c.stream, c.eventType), c)
	}
}
