package sqlitelog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/measure/lossydisk"
)

func openLog(t *testing.T, path string) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func readAll(t *testing.T, log eventlog.Log) []eventlog.Record {
	t.Helper()
	var all []eventlog.Record
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		all = append(all, record)
	}
	return all
}

// newLargeLog has so many events that they are not copied in one step.
func newLargeLog(t *testing.T) *sqlitelog.Log {
	t.Helper()
	log := openLog(t, filepath.Join(t.TempDir(), "events.db"))
	for i := range int64(5) {
		_, err := log.Append(t.Context(), "large", eventlog.At(i-1), []eventlog.Event{newEvent(make([]byte, 1<<20))})
		require.NoError(t, err)
	}
	return log
}

func requireFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var have []string
	for _, entry := range entries {
		have = append(have, entry.Name())
	}
	require.Equal(t, want, have)
}

// A backup made while others append is a sound log: the beginning of its original, with
// everything that was acknowledged before.
func TestBackup(t *testing.T) {
	t.Parallel()
	log := newLargeLog(t)
	var mu sync.Mutex
	acknowledged := eventlog.Start
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for writer := range 4 {
		group.Go(func() {
			for i := int64(0); ctx.Err() == nil; i++ {
				appended, err := log.Append(t.Context(), fmt.Sprintf("s%d", writer), eventlog.At(i-1), []eventlog.Event{newEvent([]byte("{}"))})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = max(acknowledged, appended.Position)
				mu.Unlock()
			}
		})
	}
	for i := range 5 {
		mu.Lock()
		before := acknowledged
		mu.Unlock()
		dir := t.TempDir()
		path := filepath.Join(dir, "backup.db")
		steps, last := 0, int64(0)
		require.NoError(t, log.Backup(t.Context(), path, func(done, total int64) {
			require.NoFileExists(t, path, "half a backup has its name")
			require.Greater(t, done, last)
			require.LessOrEqual(t, done, total)
			if steps == 0 { // the copy goes on while an append is made
				_, err := log.Append(t.Context(), fmt.Sprintf("during-%d", i), eventlog.NoStream{}, []eventlog.Event{newEvent(nil)})
				require.NoError(t, err)
			}
			steps, last = steps+1, done
		}))
		require.Greater(t, steps, 4)
		requireFiles(t, dir, "backup.db")
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.Equal(t, last, info.Size())

		backup := openLog(t, path)
		eventlogtest.RequireSound(t, backup)
		copied := readAll(t, backup)
		require.GreaterOrEqual(t, copied[len(copied)-1].Position, before)
		require.Equal(t, readAll(t, log)[:len(copied)], copied)
		_, err = backup.Append(t.Context(), "large", eventlog.Exact(4), []eventlog.Event{newEvent(nil)})
		require.NoError(t, err, "it is a log like any other")
	}
	cancel()
	group.Wait()
}

// A backup that cannot be made says why, and leaves everything as it was.
func TestBackupFails(t *testing.T) {
	t.Parallel()
	log := newLargeLog(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "backup.db")

	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, log.Backup(ctx, path, func(int64, int64) { cancel() }), context.Canceled)
	requireFiles(t, dir)
	require.ErrorIs(t, log.Backup(ctx, path, nil), context.Canceled)
	requireFiles(t, dir)

	require.ErrorIs(t, log.Backup(t.Context(), filepath.Join(dir, "no", "backup.db"), nil), os.ErrNotExist)
	requireFiles(t, dir)

	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	err := log.Backup(t.Context(), path, nil)
	require.ErrorIs(t, err, os.ErrExist)
	require.ErrorContains(t, err, path)
	requireFiles(t, dir, "backup.db")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))

	// Somebody else takes the name while the copy is made.
	taken := filepath.Join(dir, "taken.db")
	err = log.Backup(t.Context(), taken, func(int64, int64) { require.NoError(t, os.WriteFile(taken, []byte("theirs"), 0o600)) })
	require.ErrorIs(t, err, os.ErrExist)
	requireFiles(t, dir, "backup.db", "taken.db")
}

// A log that is closed ends its backups.
func TestBackupOfAClosedLog(t *testing.T) {
	t.Parallel()
	log := newLargeLog(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "backup.db")
	closed := make(chan error, 1)
	begun := sync.OnceFunc(func() {
		go func() { closed <- log.Close() }()
		for { // until Close waits for the backup
			if _, err := log.Head(t.Context()); err != nil {
				return
			}
		}
	})
	require.ErrorIs(t, log.Backup(t.Context(), path, func(int64, int64) { begun() }), eventlog.ErrClosed)
	require.NoError(t, <-closed)
	require.ErrorIs(t, log.Backup(t.Context(), path, nil), eventlog.ErrClosed)
	requireFiles(t, dir)
}

// A backup that was made survives a power cut.
func TestBackupPowerCut(t *testing.T) {
	t.Parallel()
	log := newLargeLog(t)
	disk, dir, mounted := mountLossy(t)
	if !mounted {
		return
	}
	path := filepath.Join(dir, "backup.db")
	require.NoError(t, log.Backup(t.Context(), path, nil))
	require.NoError(t, disk.Cut(lossydisk.Loss{Keep: 0, Unit: lossydisk.Page, Seed: 1}))
	backup := openLog(t, path)
	require.Equal(t, readAll(t, log), readAll(t, backup))
	require.NoError(t, backup.Close())
}
