package pglog_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestLostEvents: what somebody took out behind the guards is damage, and no conflict that is met for ever.
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
			_, err := log.Examine(t.Context())
			require.NoError(t, err)
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DISABLE TRIGGER refuse_change")
			pgtest.Exec(t, url, "ALTER TABLE kintsugi.stream DISABLE TRIGGER refuse_change")
			pgtest.Exec(t, url, c.change)
			_, err = log.Examine(t.Context())
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
	restored, err := log.Examine(t.Context())
	require.NoError(t, err)
	require.Empty(t, restored)
	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DISABLE TRIGGER refuse_change")
	pgtest.Exec(t, url, "DROP TRIGGER refuse_change ON kintsugi.stream")
	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DROP CONSTRAINT event_stream_id_key")
	require.NoError(t, log.Close())
	log = open(t, url)
	restored, err = log.Examine(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"index event_stream_id_key", "trigger refuse_change of table event", "trigger refuse_change of table stream"}, restored)
	_, err = pgtest.Connect(t, url).Exec(t.Context(), "DELETE FROM kintsugi.event", pgx.QueryExecModeSimpleProtocol)
	require.ErrorContains(t, err, "forgets nothing")
	require.NoError(t, log.Close())
	require.NoError(t, open(t, url).Close())

	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DROP CONSTRAINT event_stream_id_key")
	pgtest.Exec(t, url, `INSERT INTO kintsugi.event (position, revision, id, schema_version, stream, type, metadata, payload)
		SELECT position + 1000000, revision + 100, id, schema_version, stream, type, metadata, payload FROM kintsugi.event`)
	_, err = pglog.Open(t.Context(), url, pglog.Options{})
	require.ErrorIs(t, err, eventlog.ErrDamaged)
	require.ErrorContains(t, err, "index event_stream_id_key")
}
