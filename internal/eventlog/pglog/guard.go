package pglog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// guard is something of the schema without which the log would not notice what it is to refuse.
type guard struct{ name, there, restore string }

var guards = []guard{
	constraint("event", "event_pkey", "PRIMARY KEY (position)"),
	constraint("event", "event_stream_revision_key", "UNIQUE (stream, revision)"),
	constraint("event", "event_stream_id_key", "UNIQUE (stream, id)"),
	constraint("stream", "stream_pkey", "PRIMARY KEY (name)"),
	trigger("event", "UPDATE OR DELETE OR TRUNCATE"),
	trigger("stream", "DELETE OR TRUNCATE"),
	trigger("incarnation", "UPDATE OR DELETE OR TRUNCATE"),
}

func constraint(table, name, what string) guard {
	return guard{
		name: "index " + name,
		there: fmt.Sprintf(`EXISTS (SELECT * FROM pg_constraint c JOIN pg_index i ON i.indexrelid = c.conindid
			WHERE c.conrelid = 'kintsugi.%s'::regclass AND c.conname = '%s' AND i.indisvalid)`, table, name),
		restore: fmt.Sprintf("ALTER TABLE kintsugi.%s ADD CONSTRAINT %s %s", table, name, what),
	}
}

func trigger(table, on string) guard {
	return guard{
		name: "trigger refuse_change of table " + table,
		there: fmt.Sprintf(`EXISTS (SELECT * FROM pg_trigger
			WHERE tgrelid = 'kintsugi.%s'::regclass AND tgname = 'refuse_change' AND tgenabled = 'A')`, table),
		restore: fmt.Sprintf(`DROP TRIGGER IF EXISTS refuse_change ON kintsugi.%[1]s;
			CREATE TRIGGER refuse_change BEFORE %[2]s ON kintsugi.%[1]s FOR EACH STATEMENT EXECUTE FUNCTION kintsugi.refuse_change();
			ALTER TABLE kintsugi.%[1]s ENABLE ALWAYS TRIGGER refuse_change`, table, on),
	}
}

// missingGuards are those that somebody dropped or switched off.
func missingGuards(ctx context.Context, conn *pgx.Conn) (missing []guard, err error) {
	looks := make([]string, len(guards))
	for i, one := range guards {
		looks[i] = one.there
	}
	var there []bool
	if err := conn.QueryRow(ctx, "SELECT ARRAY["+strings.Join(looks, ", ")+"]").Scan(&there); err != nil {
		return nil, err
	}
	for i, one := range guards {
		if !there[i] {
			missing = append(missing, one)
		}
	}
	return missing, nil
}

// restoreGuards puts back what is missing, and says what it was.
func restoreGuards(ctx context.Context, conn *pgx.Conn) (restored []string, err error) {
	missing, err := missingGuards(ctx, conn)
	for _, one := range missing {
		_, err := conn.Exec(ctx, one.restore, pgx.QueryExecModeSimpleProtocol)
		if isUniqueViolation(err) {
			err = fmt.Errorf("there are doubles by now: %w: %w", errDamaged, err)
		}
		if err != nil {
			return restored, fmt.Errorf("put the %s back, which somebody removed: %w", one.name, err)
		}
		restored = append(restored, one.name)
	}
	return restored, err
}

var _ eventlog.Examiner = (*Log)(nil)

// What must give no row: the row of a stream, in one snapshot with its events, and events without one.
var examinations = []struct{ query, says string }{
	{`SELECT s.name FROM kintsugi.stream s LEFT JOIN LATERAL (
			SELECT revision, position FROM kintsugi.event WHERE stream = s.name ORDER BY revision DESC LIMIT 1
		) e ON true WHERE (e.revision, e.position) IS DISTINCT FROM (s.revision, s.position) LIMIT 1`, "stream %s does not end where its row says: its newest events are missing"},
	{`SELECT stream FROM kintsugi.event e WHERE NOT EXISTS (SELECT * FROM kintsugi.stream WHERE name = e.stream) LIMIT 1`, "stream %s has events and no row"},
	{`SELECT stream FROM kintsugi.event GROUP BY stream, id HAVING count(*) > 1 LIMIT 1`, "stream %s has an event id twice"},
}

// Examine implements [eventlog.Examiner].
func (l *Log) Examine(ctx context.Context) (restored []string, err error) {
	for _, one := range examinations {
		// Without the bound on one answer: it reads everything.
		conn, err := l.readers.Acquire(ctx)
		if err != nil {
			return l.restored, l.explain(ctx, "examine", err)
		}
		var stream string
		err = conn.QueryRow(ctx, one.query).Scan(&stream)
		conn.Release()
		switch {
		case err == nil:
			return l.restored, l.explain(ctx, "examine", fmt.Errorf(one.says+": %w", stream, errDamaged))
		case !errors.Is(err, pgx.ErrNoRows):
			return l.restored, l.explain(ctx, "examine", err)
		}
	}
	return l.restored, nil
}
