package sqlitelog_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	var paths sync.Map // log -> its file
	open := func(t testing.TB, path string) eventlog.Log {
		log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = log.Close() })
		paths.Store(log, path)
		return log
	}
	openAgain := func(t testing.TB, log eventlog.Log) eventlog.Log {
		path, _ := paths.Load(log)
		return open(t, path.(string))
	}
	eventlogtest.Run(t, eventlogtest.Abilities{Reopen: openAgain, Second: openAgain, Erases: true}, func(t testing.TB) eventlog.Log {
		return open(t, filepath.Join(t.TempDir(), "events.db"))
	})
}
