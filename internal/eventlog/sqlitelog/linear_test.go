package sqlitelog_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// Concurrent calls to two logs on one file can be explained by calls one after the other.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	logs := make([]eventlog.Log, 2)
	for i := range logs {
		log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		logs[i] = log
	}
	eventlogtest.Linearizable(t, 6, logs...)
}

// … also when the processes are killed in the middle.
func TestLinearizableUnderKills(t *testing.T) {
	t.Parallel()
	eventlogtest.LinearizableUnderKills(t, 6, filepath.Join(t.TempDir(), "events.db"))
}
