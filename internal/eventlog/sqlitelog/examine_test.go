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

// Tables beside the events have to agree with them. Guards that somebody dropped are put back and reported.
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
			require.NoError(t, log.Examine(t.Context()))
			require.Empty(t, log.Restored())
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
			err = log.Examine(t.Context())
			require.Equal(t, []string{"trigger event_no_delete", "trigger event_no_update", "trigger stream_no_delete"}, log.Restored())
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, eventlog.ErrDamaged)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// The whole schema is compared with the one that the program makes: triggers are put back and told, also those that do nothing,
// rewrite or swallow events; a table that was made otherwise is damage, for as long as it is there.
func TestExamineTheSchema(t *testing.T) {
	t.Parallel()
	const rebuild = `DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete; CREATE TABLE other AS SELECT * FROM event; DROP TABLE event;
		CREATE TABLE event (pos INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES stream (id), revision INTEGER NOT NULL, schema_version INTEGER NOT NULL,
			recorded_at INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL, metadata BLOB NOT NULL, payload BLOB NOT NULL) STRICT;
		INSERT INTO event SELECT * FROM other;`
	for name, c := range map[string]struct {
		change   string
		restored []string
		says     string
	}{
		"nothing":                      {"SELECT 1", nil, ""},
		"a table and a view of others": {"CREATE TABLE mine (a); CREATE TRIGGER mine_too AFTER INSERT ON mine BEGIN SELECT 1; END; CREATE INDEX event_type ON event (type); CREATE VIEW seen AS SELECT type FROM event", nil, ""},
		"a trigger that does nothing": {
			"DROP TRIGGER event_no_update; CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT 1; END",
			[]string{"trigger event_no_update, which was CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT 1; END"}, "",
		},
		"a trigger that rewrites": {
			"DROP TRIGGER event_no_update; CREATE TRIGGER event_no_update AFTER INSERT ON event BEGIN UPDATE event SET payload = x'7b7d' WHERE pos = new.pos; END",
			[]string{"trigger event_no_update, which was CREATE TRIGGER event_no_update AFTER INSERT ON event BEGIN UPDATE event SET payload = x'7b7d' WHERE pos = new.pos; END"}, "",
		},
		"a trigger that swallows": {
			`CREATE TRIGGER "so ""quiet" BEFORE INSERT ON event WHEN new.type = 'FixHeld' BEGIN SELECT RAISE(IGNORE); END`,
			[]string{`trigger so "quiet, which was CREATE TRIGGER "so ""quiet" BEFORE INSERT ON event WHEN new.type = 'FixHeld' BEGIN SELECT RAISE(IGNORE); END`}, "",
		},
		"a table without its UNIQUE": {rebuild, []string{"trigger event_no_delete", "trigger event_no_update"}, "table event is not as this program makes it"},
		"an index that refuses":      {"CREATE UNIQUE INDEX once ON event (type, stream, revision)", nil, "index once refuses events"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
			require.NoError(t, err)
			event := newEvent([]byte(`{"a":1}`))
			_, err = log.Append(t.Context(), "a", eventlog.NoStream{}, []eventlog.Event{event})
			require.NoError(t, err)
			require.NoError(t, log.Close())
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			require.NoError(t, err)
			require.NoError(t, sqlitex.ExecuteScript(conn, c.change, nil))
			require.NoError(t, conn.Close())

			for range 2 { // what is put back is told once, the rest each time
				log, err = sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
				require.NoError(t, err)
				require.Equal(t, c.restored, log.Restored())
				c.restored = nil
				if err = log.Examine(t.Context()); c.says == "" {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, eventlog.ErrDamaged)
					require.ErrorContains(t, err, c.says)
				}
				require.NoError(t, log.Close())
			}
		})
	}
}
