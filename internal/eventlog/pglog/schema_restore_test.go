package pglog_test

import (
	"flag"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestLostEvents: events that somebody deleted past the guards are damage, and no conflict that is met for ever.
func TestLostEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		last   int64 // as a reader finds it
	}{
		"the newest": {"DELETE FROM kintsugi.event WHERE stream = 'a' AND revision = 2", 1},
		"all":        {"DELETE FROM kintsugi.event WHERE stream = 'a'", -1},
		"the row":    {"DELETE FROM kintsugi.stream WHERE name = 'a'", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			log := open(t, url)
			mustAppend(t, log, "a", -1, 3)
			mustAppend(t, log, "b", -1, 2)
			require.NoError(t, log.Examine(t.Context()))
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DISABLE TRIGGER refuse_change")
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.stream DISABLE TRIGGER refuse_change")
			pgtest.Exec(t, url, c.change)
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.event ENABLE ALWAYS TRIGGER refuse_change")
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.stream ENABLE ALWAYS TRIGGER refuse_change")
			err := log.Examine(t.Context())
			require.ErrorIs(t, err, eventlog.ErrDamaged)
			require.ErrorContains(t, err, "stream a ")
			if name != "the row" {
				_, err = log.Append(t.Context(), "a", eventlog.At(c.last), newEvents(1))
				require.ErrorIs(t, err, eventlog.ErrDamaged)
			}
			mustAppend(t, log, "b", 1, 1)
		})
	}
}

// TestGuardsArePutBack: triggers and indexes that somebody removed or switched off are there again after the next open,
// which says so; doubles that came in meanwhile are damage.
func TestGuardsArePutBack(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	mustAppend(t, log, "a", -1, 3)
	require.NoError(t, log.Examine(t.Context()))
	require.Empty(t, log.Restored())
	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DISABLE TRIGGER refuse_change")
	pgtest.Exec(t, url, "DROP TRIGGER refuse_change ON kintsugi.stream")
	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DROP CONSTRAINT event_stream_id_key")
	require.NoError(t, log.Close())
	log = open(t, url)
	require.NoError(t, log.Examine(t.Context()))
	restored := log.Restored()
	require.Len(t, restored, 3)
	require.Contains(t, restored[0], "trigger event.refuse_change is CREATE TRIGGER")
	require.Contains(t, restored[0], "not always, made was")
	require.Equal(t, []string{"constraint event.event_stream_id_key is missing", "trigger stream.refuse_change is missing"}, restored[1:])
	_, err := pgtest.Connect(t, url).Exec(t.Context(), "DELETE FROM kintsugi.event", pgx.QueryExecModeSimpleProtocol)
	require.ErrorContains(t, err, "forgets nothing")
	require.NoError(t, log.Close())
	require.NoError(t, open(t, url).Close())

	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DROP CONSTRAINT event_stream_id_key")
	pgtest.Exec(t, url, `INSERT INTO kintsugi.event (position, revision, id, schema_version, stream, type, metadata, payload)
		SELECT position + 1000000, revision + 100, id, schema_version, stream, type, metadata, payload FROM kintsugi.event`)
	_, err = pglog.Open(t.Context(), url, pglog.Options{})
	require.ErrorIs(t, err, eventlog.ErrDamaged)
	require.ErrorContains(t, err, "constraint event.event_stream_id_key is missing")
}

// TestAServerThatPrintsOtherwise: the parts themselves are compared, and not their text, which depends on the
// server's version and settings.
func TestAServerThatPrintsOtherwise(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	require.NoError(t, open(t, url).Close())
	pgtest.Exec(t, url, "ALTER DATABASE "+databaseOf(url)+" SET quote_all_identifiers = on; ALTER DATABASE "+databaseOf(url)+" SET search_path = kintsugi")
	log := open(t, url)
	require.Empty(t, log.Restored())
	require.NoError(t, log.Examine(t.Context()))
	pgtest.Exec(t, url, "DROP TRIGGER refuse_change ON kintsugi.stream; ALTER TABLE kintsugi.incarnation DROP CONSTRAINT incarnation_base_check, DROP CONSTRAINT incarnation_pkey")
	require.NoError(t, log.Close())
	log = open(t, url)
	require.Len(t, log.Restored(), 3)
	require.NoError(t, log.Examine(t.Context()))
}

// TestDamageThatTheServerReports: PostgreSQL's own errors of a broken page or a missing column are damage, when a log
// is read, examined and opened.
func TestDamageThatTheServerReports(t *testing.T) {
	t.Parallel()
	read := func(log *pglog.Log) error {
		for _, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name, change := range map[string]string{
		"a column":   "ALTER TABLE kintsugi.event DROP COLUMN payload CASCADE",
		"a table":    "DROP TABLE kintsugi.event CASCADE",
		"a function": "DROP FUNCTION kintsugi.base() CASCADE",
		"the page":   "CREATE FUNCTION kintsugi.torn() RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'invalid page in block 3' USING ERRCODE = 'XX001'; END $$; ALTER FUNCTION kintsugi.base() RENAME TO old_base; ALTER FUNCTION kintsugi.torn() RENAME TO base",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			log := open(t, url)
			mustAppend(t, log, "a", -1, 3)
			pgtest.Exec(t, url, change)
			require.ErrorIs(t, read(log), eventlog.ErrDamaged)
			require.ErrorIs(t, log.Examine(t.Context()), eventlog.ErrDamaged)
		})
	}
}

var update = flag.Bool("update", false, "write catalog.txt")

// TestCatalog: the text that a schema is compared with is what the migrations make.
func TestCatalog(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	made, err := pglog.Made(t.Context(), url) // without what puts it back
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("catalog.txt", []byte(made), 0o600))
	}
	declared, err := os.ReadFile("catalog.txt")
	require.NoError(t, err)
	require.Equal(t, string(declared), made, "write it again with -update")
	require.Empty(t, open(t, url).Restored())
}

// TestExamineTheSchema: the whole schema is compared. Triggers, rules and functions are put back and told; columns, kinds of tables
// and what refuses events stay, as damage that is told each time.
func TestExamineTheSchema(t *testing.T) {
	t.Parallel()
	const swallow = "CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
	for name, c := range map[string]struct{ change, restored, says string }{
		"what people may add": {"CREATE TABLE kintsugi.mine (a int); CREATE VIEW kintsugi.seen AS SELECT type FROM kintsugi.event; CREATE INDEX ON kintsugi.event (type); ALTER TABLE kintsugi.event SET (fillfactor = 90)", "", ""},
		"a trigger that does nothing": {
			swallow + "DROP TRIGGER refuse_change ON kintsugi.event; CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON kintsugi.event FOR EACH STATEMENT EXECUTE FUNCTION public.swallow(); ALTER TABLE kintsugi.event ENABLE ALWAYS TRIGGER refuse_change",
			"trigger event.refuse_change is CREATE TRIGGER", "",
		},
		"a trigger that swallows": {
			swallow + "CREATE TRIGGER \"So quiet\" BEFORE INSERT ON kintsugi.event FOR EACH ROW WHEN (new.type = 'FixHeld') EXECUTE FUNCTION public.swallow()",
			"trigger event.So quiet is not made by this program", "",
		},
		"a rule that swallows":  {"CREATE RULE quiet AS ON INSERT TO kintsugi.event WHERE new.type = 'FixHeld' DO INSTEAD NOTHING", "rule event.quiet is not made by this program", ""},
		"a guard that is empty": {"CREATE OR REPLACE FUNCTION kintsugi.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'", "function refuse_change() is", ""},
		"an append that rewrites": {
			`CREATE OR REPLACE FUNCTION kintsugi.append_one(stream text, expected bigint, id uuid, type text, schema_version integer, metadata bytea, payload bytea)
			 RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'`, "function append_one(", "",
		},
		"a function that is gone": {"DROP FUNCTION kintsugi.incarnate()", "function incarnate() is missing", ""},
		"not durable":             {"ALTER TABLE kintsugi.event SET UNLOGGED", "", "table event is not durable, made was permanent"},
		"row security":            {"ALTER TABLE kintsugi.event ENABLE ROW LEVEL SECURITY", "", "with row security"},
		"a column more":           {"ALTER TABLE kintsugi.event ADD COLUMN note text", "", "column event.note is not made by this program"},
		"another type":            {"DROP VIEW kintsugi.event_json; ALTER TABLE kintsugi.event ALTER COLUMN schema_version TYPE bigint", "", "column event.schema_version is int8 not null"},
		"a check":                 {"ALTER TABLE kintsugi.event ADD CONSTRAINT short CHECK (length(payload) < 100000) NOT VALID", "", "constraint event.short is not made by this program"},
		"an index that refuses":   {"CREATE UNIQUE INDEX once ON kintsugi.event (stream, type, revision)", "", "index event.once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			log := open(t, url)
			mustAppend(t, log, "a", -1, 3)
			require.NoError(t, log.Close())
			pgtest.Exec(t, url, c.change)
			for again := range 2 {
				log = open(t, url)
				if again == 0 && c.restored != "" {
					require.Len(t, log.Restored(), 1)
					require.Contains(t, log.Restored()[0], c.restored)
				} else {
					require.Empty(t, log.Restored())
				}
				if err := log.Examine(t.Context()); c.says == "" {
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
