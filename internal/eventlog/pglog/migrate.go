package pglog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/kintsugi-run/kintsugi/migrations"
)

const (
	versionTable = "kintsugi.goose_db_version"
	// migrationLock is the advisory lock of whoever migrates ("kintsugi" in ASCII).
	migrationLock int64 = 0x6b696e7473756769
	lockPause           = 50 * time.Millisecond
)

// migrate brings the tables to the version of this program. It refuses tables that are newer.
func migrate(ctx context.Context, t *target, logger *slog.Logger) error {
	if err := migrateTables(ctx, t, logger); err != nil {
		return fmt.Errorf("prepare the tables of the event log in database %q: %w", t.config.ConnConfig.Database, err)
	}
	return nil
}

func migrateTables(ctx context.Context, t *target, logger *slog.Logger) (err error) {
	config := t.config.ConnConfig.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	steps, err := fs.Sub(migrations.Log, "log")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, steps,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	known := sources[len(sources)-1].Version

	version, err := tablesVersion(ctx, t.conn)
	if err != nil || version == known {
		return err
	}
	if version > known {
		return fmt.Errorf("they have version %d, made by a newer version of this program, which knows versions up to %d; upgrade it", version, known)
	}
	// The lock is held by an open transaction, which keeps its server process behind a pooler too. Who
	// does not get it goes back to the end of the queue, and keeps no connection from the one who has it.
	for {
		done, err := underLock(ctx, t.conn, func() error {
			if err := makeSchema(ctx, db); err != nil {
				return err
			}
			results, err := provider.Up(ctx)
			for _, result := range results {
				logger.Info("migrated the event log", "step", result.Source.Path, "took", result.Duration)
			}
			return err
		})
		if done || err != nil {
			return err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// underLock calls fn while no other process is in such a call. It reports false if another is.
func underLock(ctx context.Context, conn *pgx.Conn, fn func() error) (done bool, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", migrationLock).Scan(&done); err != nil || !done {
		return false, err
	}
	return true, fn()
}

func makeSchema(ctx context.Context, db *sql.DB) error {
	// CREATE SCHEMA IF NOT EXISTS would want the right to make one even where there is one.
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT to_regnamespace('kintsugi') IS NOT NULL").Scan(&there); err != nil || there {
		return err
	}
	_, err := db.ExecContext(ctx, "CREATE SCHEMA kintsugi")
	if hasState(err, insufficientPrivilege) {
		return fmt.Errorf("%w; let the role make it (GRANT CREATE ON DATABASE … TO …), or make it for the role (CREATE SCHEMA kintsugi AUTHORIZATION …)", err)
	}
	return err
}

// tablesVersion is 0 if there are no tables yet.
func tablesVersion(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", versionTable).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable+" WHERE is_applied").Scan(&version)
	return version, err
}
