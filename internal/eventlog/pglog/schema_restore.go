package pglog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// restoreSchema undoes changes that people made to the schema, all of them or none, and says what they were. Changes
// that cannot be undone are in differs.
func restoreSchema(ctx context.Context, conn *pgx.Conn) (restored, differs []string, err error) {
	found, err := deviationsOf(ctx, conn)
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if rolledBack := tx.Rollback(context.WithoutCancel(ctx)); !errors.Is(rolledBack, pgx.ErrTxClosed) {
			err = errors.Join(err, rolledBack)
		}
	}()
	for _, one := range found {
		statements, err := one.restore()
		if err == nil && statements == "" {
			differs = append(differs, one.String())
			continue
		}
		if err == nil {
			_, err = tx.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol)
		}
		if isUniqueViolation(err) {
			err = fmt.Errorf("there are doubles by now: %w: %w", errDamaged, err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("put back what somebody changed (%s): %w", one, err)
		}
		restored = append(restored, one.String())
	}
	return restored, differs, tx.Commit(ctx)
}

func deviationsOf(ctx context.Context, on querier) ([]deviation, error) {
	have, err := readCatalog(ctx, on)
	if err != nil {
		return nil, err
	}
	return have.deviations(), nil
}

var _ eventlog.Examiner = (*Log)(nil)

// Each of these queries finds contradictions, so it must give no row: between the row of a stream and its events, in
// one snapshot, and events without a row.
var examinations = []struct{ query, says string }{
	{`SELECT s.name FROM kintsugi.stream s LEFT JOIN LATERAL (
			SELECT revision, position FROM kintsugi.event WHERE stream = s.name ORDER BY revision DESC LIMIT 1
		) e ON true WHERE (e.revision, e.position) IS DISTINCT FROM (s.revision, s.position) LIMIT 1`, "stream %s does not end where its row says: its newest events are missing"},
	{`SELECT stream FROM kintsugi.event e WHERE NOT EXISTS (SELECT * FROM kintsugi.stream WHERE name = e.stream) LIMIT 1`, "stream %s has events and no row"},
	{`SELECT stream FROM kintsugi.event GROUP BY stream, id HAVING count(*) > 1 LIMIT 1`, "stream %s has an event id twice"},
}

// Examine implements [eventlog.Examiner].
func (l *Log) Examine(ctx context.Context) error {
	found, err := deviationsOf(ctx, l.readers)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("the schema is not the one that this program makes: %s: %w", say(found), errDamaged)
	}
	if err != nil {
		return l.explain(ctx, "examine", err)
	}
	for _, one := range examinations {
		// Without the bound on one answer: it reads everything.
		conn, err := l.readers.Acquire(ctx)
		if err != nil {
			return l.explain(ctx, "examine", err)
		}
		var stream string
		err = conn.QueryRow(ctx, one.query).Scan(&stream)
		conn.Release()
		switch {
		case err == nil:
			return l.explain(ctx, "examine", fmt.Errorf(one.says+": %w", stream, errDamaged))
		case !errors.Is(err, pgx.ErrNoRows):
			return l.explain(ctx, "examine", err)
		}
	}
	return nil
}

// Restored implements [eventlog.Examiner].
func (l *Log) Restored() []string { return l.restored }
