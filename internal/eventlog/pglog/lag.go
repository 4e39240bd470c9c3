package pglog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Lag says how far readers of the log are behind what is committed, and which transaction they wait for.
type Lag struct {
	Settled eventlog.Position // where readers end now
	Newest  eventlog.Position // the newest event that is committed
	// Oldest is the transaction that has been writing for longest, anywhere in the cluster; nil if there is none.
	// It holds readers back if Settled is before Newest.
	Oldest *Transaction
}

// Transaction is one that is going on in the cluster. Fields that the role may not see are empty.
type Transaction struct {
	PID         int // of the server process; 0 for a prepared transaction
	Prepared    string
	Database    string
	User        string
	Application string
	State       string
	Age         time.Duration
}

const oldestQuery = `
SELECT pid, prepared, database, usename, application, state, coalesce(extract(epoch FROM clock_timestamp() - since), 0)::float8
FROM (
	SELECT pid, '' AS prepared, coalesce(datname, '') AS database, coalesce(usename, '') AS usename,
		coalesce(application_name, '') AS application, coalesce(state, '') AS state, xact_start AS since, age(backend_xid) AS xids
	FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
	UNION ALL
	SELECT 0, gid, database, owner, '', 'prepared', prepared, age(transaction) FROM pg_prepared_xacts
) AS t
ORDER BY xids DESC LIMIT 1`

// Lag says whether a transaction holds the readers back, and which one. Transactions of other roles are
// only seen by a member of pg_read_all_stats.
func (l *Log) Lag(ctx context.Context) (Lag, error) {
	h, err := l.heads(ctx)
	if err != nil {
		return Lag{}, err
	}
	lag := Lag{Settled: eventlog.PositionOf(h.settled), Newest: eventlog.PositionOf(h.newest)}
	err = l.read(ctx, "look for the oldest transaction", func(ctx context.Context, conn *pgx.Conn) error {
		var t Transaction
		var seconds float64
		err := conn.QueryRow(ctx, oldestQuery).Scan(&t.PID, &t.Prepared, &t.Database, &t.User, &t.Application, &t.State, &seconds)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		t.Age = time.Duration(seconds * float64(time.Second))
		lag.Oldest = &t
		return err
	})
	return lag, err
}

// reportStall says why readers are held back.
func (l *Log) reportStall(ctx context.Context) {
	attributes := []any{slog.Duration("waited", l.options.settleFor)}
	if lag, err := l.Lag(ctx); err == nil && lag.Oldest != nil {
		t := lag.Oldest
		attributes = append(attributes, slog.Int("pid", t.PID), slog.String("prepared", t.Prepared), slog.String("database", t.Database),
			slog.String("user", t.User), slog.String("application", t.Application), slog.String("state", t.State), slog.Duration("age", t.Age))
	}
	l.options.Logger.Warn("pglog: readers of the event log wait for a transaction that stays open; end it, or set idle_in_transaction_session_timeout", attributes...)
}
