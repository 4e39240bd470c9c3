package pglog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestForgetsNothing: the database itself refuses to change or delete events, from its superuser too. Only a payload may give
// way to its own digest, once.
func TestForgetsNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	mustAppend(t, log, "a", -1, 3)
	conn := pgtest.Connect(t, url)
	for _, sql := range []string{
		"UPDATE kintsugi.event SET payload = ''",
		"UPDATE kintsugi.event SET revision = 7 WHERE revision = 2",
		"DELETE FROM kintsugi.event",
		"DELETE FROM kintsugi.event WHERE false",
		"TRUNCATE kintsugi.event",
		"DELETE FROM kintsugi.stream",
		"TRUNCATE kintsugi.stream",
		"DELETE FROM kintsugi.incarnation",
		"UPDATE kintsugi.incarnation SET base = 1",
		"SET session_replication_role = replica; DELETE FROM kintsugi.event",
		"UPDATE kintsugi.event SET payload = kintsugi.erased('another') WHERE revision = 1",
		"UPDATE kintsugi.event SET payload = kintsugi.erased(payload), type = 'Other'",
		"UPDATE kintsugi.event SET payload = kintsugi.erased(payload), metadata = 'another'",
	} {
		_, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.ErrorContains(t, err, "refused: the event log forgets nothing", sql)
	}
	_, err := conn.Exec(t.Context(), "UPDATE kintsugi.event SET payload = kintsugi.erased(payload) WHERE revision = 1")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "UPDATE kintsugi.event SET payload = kintsugi.erased(convert_to('x', 'UTF8')) WHERE revision = 1")
	require.ErrorContains(t, err, "forgets nothing")
	eventlogtest.RequireSound(t, log)
}

// TestView: people see payload and metadata as JSON where they are, and every other event without.
func TestView(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	payloads := []string{`{"b": 1.0, "a": [1e2]}`, "", "\xff\xfe", "not json", `{"nul": "\u0000"}`, `"text"`, strings.Repeat("[", 100_000)}
	want := []string{`{"a": [100], "b": 1.0}`, "", "", "", "", `"text"`, ""}
	events := newEvents(len(payloads))
	for i := range events {
		events[i].Payload, events[i].Metadata = []byte(payloads[i]), []byte(`{"actor": "person:ada"}`)
	}
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, events)
	require.NoError(t, err)
	rows, err := pgtest.Connect(t, url).Query(t.Context(), "SELECT coalesce(payload::text, ''), metadata->>'actor' FROM kintsugi.event_json WHERE stream = 'a' ORDER BY revision")
	require.NoError(t, err)
	var payload, actor string
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&payload, &actor}, func() error {
		require.Equal(t, want[n], payload)
		require.Equal(t, "person:ada", actor)
		n++
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, len(want), n)
}

// TestPlans: no read and no append looks at more of the log than it gives back, whether the server
// has gathered statistics or not. A plan that sorts or scans would do so.
func TestPlans(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	for i := range 20 {
		mustAppend(t, log, fmt.Sprintf("s%d", i), -1, 500)
	}
	conn, err := log.Reader(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	for _, statistics := range []string{"without", "with"} {
		if statistics == "with" {
			pgtest.Exec(t, url, "ANALYZE")
		}
		for name, query := range log.Queries() {
			_, err := conn.Exec(t.Context(), "PREPARE q AS "+query.SQL)
			require.NoError(t, err, name)
			for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
				_, err = conn.Exec(t.Context(), "SET plan_cache_mode = "+mode)
				require.NoError(t, err)
				rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE q "+query.Arguments, pgx.QueryExecModeSimpleProtocol)
				require.NoError(t, err, name)
				lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
				require.NoError(t, err)
				plan := strings.Join(lines, "\n")
				bad := []string{"Seq Scan on event", "Seq Scan on stream", "Bitmap"}
				if !strings.Contains(name, "filtered") { // a filtered read sorts what it looked at, which is bounded
					bad = append(bad, "Sort  ")
				}
				for _, bad := range bad {
					require.NotContainsf(t, plan, bad, "%s, %s statistics, %s:\n%s", name, statistics, mode, plan)
				}
			}
			_, err = conn.Exec(t.Context(), "DEALLOCATE q")
			require.NoError(t, err)
		}
	}
}
