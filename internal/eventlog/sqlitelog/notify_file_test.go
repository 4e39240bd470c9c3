package sqlitelog_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// awaitForeign waits until log's listener is told of an append by another log on the same file, which knows nothing of
// it, as another process would.
func awaitForeign(t *testing.T, log, other *sqlitelog.Log, hint <-chan struct{}, stream string) {
	t.Helper()
	appended, err := other.Append(t.Context(), stream, eventlog.NoStream{}, []eventlog.Event{newEvent([]byte("{}"))})
	require.NoError(t, err)
	for {
		select {
		case <-t.Context().Done():
			return
		case <-hint:
		}
		head, err := log.Head(t.Context())
		require.NoError(t, err)
		if head >= appended.Position {
			return
		}
	}
}

// A waiting reader is told of another process's append without polling: here it would poll after an hour.
func TestAppendsOfOtherProcessesAreNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	log := openWatching(t, path, time.Hour)
	other := openWatching(t, path, time.Hour)
	hint, release := log.Wake()
	defer release()
	for _, stream := range []string{"a", "b", "c"} {
		awaitForeign(t, log, other, hint, stream)
	}
}

// A reader that is not told polls: where the file cannot be made, and after it was removed; then the file is made
// again.
func TestReadersPollWithoutTheNotifyFile(t *testing.T) {
	t.Parallel()
	t.Run("never there", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "events.db")
		require.NoError(t, os.Mkdir(path+"-wake", 0o700))
		log, other := openWatching(t, path, time.Millisecond), openWatching(t, path, time.Millisecond)
		hint, release := log.Wake()
		defer release()
		awaitForeign(t, log, other, hint, "a")
	})
	t.Run("taken away", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "events.db")
		log, other := openWatching(t, path, time.Millisecond), openWatching(t, path, time.Millisecond)
		hint, release := log.Wake()
		defer release()
		awaitForeign(t, log, other, hint, "a")
		require.NoError(t, os.Remove(path+"-wake"))
		awaitForeign(t, log, other, hint, "b")
		require.Eventually(t, func() bool { _, err := os.Stat(path + "-wake"); return err == nil }, time.Minute, time.Millisecond)
		awaitForeign(t, log, openWatching(t, path, time.Hour), hint, "c")
	})
}

func openWatching(t *testing.T, path string, every time.Duration) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{WatchInterval: every})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}
