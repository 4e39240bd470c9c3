package sqlitelog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func newEvent(payload []byte) eventlog.Event {
	return eventlog.Event{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: payload}
}

// newFile makes a closed log with some events in several chunks of reading.
func newFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.db")
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	for i := range 20 {
		batch := make([]eventlog.Event, 100)
		for n := range batch {
			batch[n] = newEvent(bytes.Repeat([]byte("payload "), 20))
		}
		_, err := log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, batch)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())
	return path
}

func execute(t *testing.T, path string, statements ...string) error {
	t.Helper()
	conn, err := sqlitedb.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	for _, statement := range statements {
		if err := sqlitedb.Exec(conn, statement); err != nil {
			return err
		}
	}
	return nil
}

// A file that is not a log of this format is refused with the reason, and left as it is.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		message string
	}{
		"text": {
			func(t *testing.T, path string) {
				require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database\n", 500)), 0o600))
			},
			"not an event log",
		},
		"another program's database": {
			func(t *testing.T, path string) { require.NoError(t, execute(t, path, "CREATE TABLE t (a)")) },
			"another program",
		},
		"a newer format": {
			func(t *testing.T, path string) {
				log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
				require.NoError(t, err)
				require.NoError(t, log.Close())
				require.NoError(t, execute(t, path, "PRAGMA user_version = 2"))
			},
			"format 2, written by a newer version",
		},
		"half a file": {
			func(t *testing.T, path string) {
				whole, err := os.ReadFile(newFile(t))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
			},
			"damaged",
		},
		"a directory": {
			func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
			"events.db",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			c.prepare(t, path)
			before, readErr := os.ReadFile(path)
			_, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.ErrorContains(t, err, c.message)
			require.ErrorContains(t, err, path)
			if readErr == nil {
				after, err := os.ReadFile(path)
				require.NoError(t, err)
				require.True(t, bytes.Equal(before, after), "the file was changed")
			}
		})
	}
	_, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "no", "directory"), sqlitelog.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Many may make the log at the same moment.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	const openers = 8
	failures := make([]error, openers)
	var group sync.WaitGroup
	for i := range openers {
		group.Go(func() {
			log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			if err == nil {
				_, err = log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, []eventlog.Event{newEvent(nil)})
			}
			if err == nil {
				err = log.Close()
			}
			failures[i] = err
		})
	}
	group.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, eventlog.Position(fmt.Sprintf("%019d", openers)), head)
}

// The log holds what people's automations did: nobody else on the machine reads it.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	_, err = log.Append(t.Context(), "a", eventlog.NoStream{}, []eventlog.Event{newEvent(nil)})
	require.NoError(t, err)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), path+suffix)
	}
}

// The file itself refuses to change or lose an event.
func TestFileIsAppendOnly(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	for _, statement := range []string{
		"UPDATE event SET payload = x'00' WHERE pos = 1",
		"DELETE FROM event WHERE pos = 1",
		"DELETE FROM event",
		"UPDATE stream SET name = 'other'",
		"DELETE FROM stream",
	} {
		require.ErrorContains(t, execute(t, path, statement), "append-only", statement)
	}
}

// A damaged file is an error that says so, never fewer or other events.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string){
		"pages overwritten": func(t *testing.T, path string) {
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			require.NoError(t, err)
			info, err := file.Stat()
			require.NoError(t, err)
			_, err = file.WriteAt(bytes.Repeat([]byte{0xaa}, 64<<10), info.Size()/2)
			require.NoError(t, err)
			require.NoError(t, file.Close())
		},
		"an event taken out": func(t *testing.T, path string) {
			require.NoError(t, execute(t, path, "DROP TRIGGER event_no_delete", "DELETE FROM event WHERE pos = 1234"))
		},
		"the last event of a chunk taken out": func(t *testing.T, path string) {
			require.NoError(t, execute(t, path, "DROP TRIGGER event_no_delete", "DELETE FROM event WHERE pos = 512"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t)
			damage(t, path)
			log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, log.Close()) }()
			var last error
			for _, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
				last = err
			}
			require.ErrorContains(t, last, "damaged")
			require.ErrorContains(t, last, path)
		})
	}
	t.Run("in a stream", func(t *testing.T) {
		t.Parallel()
		path := newFile(t)
		require.NoError(t, execute(t, path, "DROP TRIGGER event_no_delete", "DELETE FROM event WHERE pos = 150"))
		log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, log.Close()) }()
		var last error
		for _, err := range log.Stream(t.Context(), "s1", 0) {
			last = err
		}
		require.ErrorContains(t, last, "revision 49 is missing")
	})
}
