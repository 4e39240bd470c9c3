package sqlitelog_test

import (
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// What is kept beside the events has to agree with them, and guards that somebody dropped are put back and told.
func TestExamine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, says string }{
		"nothing":           {"UPDATE event SET recorded_at = recorded_at + 1", ""},
		"an id twice":       {"UPDATE event SET id = (SELECT id FROM event WHERE pos = 2) WHERE pos = 3", "has an event id twice"},
		"another id":        {"UPDATE event SET id = randomblob(16) WHERE pos = 3", "does not agree"},
		"the index":         {"DELETE FROM indexed_id WHERE revision = 7", "are missing in the index"},
		"another index":     {"UPDATE indexed_id SET revision = 8 WHERE revision = 7", "does not agree"},
		"a note":            {"UPDATE noted_ids SET ids = zeroblob(8 * 16)", "the note of ids of stream number"},
		"the newest events": {"DELETE FROM event WHERE revision > 1050", "goes on"},
		"a short stream":    {"DELETE FROM event WHERE stream = (SELECT id FROM stream WHERE name = 'short')", "short has lost all its events"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.NoError(t, err)
			fill := func(stream string, batches, each int) {
				for i := range batches {
					batch := make([]eventlog.Event, each)
					for n := range batch {
						batch[n] = newEvent([]byte("{}"))
						batch[n].ID = uuid.NewString()
					}
					_, err := log.Append(t.Context(), stream, eventlog.At(int64(i*each-1)), batch)
					require.NoError(t, err)
				}
			}
			fill("noted", 4, 16)
			fill("long", 1, 1100)
			fill("long2", 1, 20)
			fill("short", 1, 1)
			require.NoError(t, log.Close())
			log, err = sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.NoError(t, err)
			_, err = log.Append(t.Context(), "long", eventlog.At(1099), []eventlog.Event{func() eventlog.Event { e := newEvent(nil); e.ID = uuid.NewString(); return e }()})
			require.NoError(t, err)
			restored, err := log.Examine(t.Context())
			require.NoError(t, err)
			require.Empty(t, restored)
			require.NoError(t, log.Close())

			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			require.NoError(t, err)
			require.NoError(t, sqlitex.ExecuteScript(conn, "DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete; DROP TRIGGER stream_no_delete", nil))
			require.NoError(t, sqlitex.ExecuteTransient(conn, c.change, nil))
			require.Positive(t, conn.Changes(), "it changes something")
			require.NoError(t, conn.Close())
			log, err = sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, log.Close()) }()
			restored, err = log.Examine(t.Context())
			require.Equal(t, []string{"trigger event_no_update", "trigger event_no_delete", "trigger stream_no_delete"}, restored)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, eventlog.ErrDamaged)
			require.ErrorContains(t, err, c.says)
		})
	}
}
