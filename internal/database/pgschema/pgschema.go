// Package pgschema brings a schema of a PostgreSQL database to the version of this program, and knows when a server is away.
package pgschema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// migrationLock is the advisory lock that a migration holds ("kintsugi" in ASCII).
const migrationLock int64 = 0x6b696e7473756769

const (
	lockPause             = 50 * time.Millisecond
	insufficientPrivilege = "42501"
)

// Plan is what a schema is made of.
type Plan struct {
	What   string // it is for: "the event log"
	Schema string // its name; a plain word
	Steps  fs.FS  // files of goose
	Logger *slog.Logger
}

// Up makes or evolves a schema; conn and config are of the same database. It refuses tables that
// are newer than the plan.
func (p Plan) Up(ctx context.Context, config *pgx.ConnConfig, conn *pgx.Conn) (err error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, p.Steps,
		goose.WithTableName(p.versionTable()), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	known := sources[len(sources)-1].Version

	version, err := p.version(ctx, conn)
	if err != nil || version == known {
		return err
	}
	if version > known {
		return fmt.Errorf("they have version %d, made by a newer version of this program, which knows versions up to %d; upgrade it", version, known)
	}
	// The lock is held by an open transaction, which keeps its server process behind a pooler too. A process that does
	// not get it goes back to the end of the queue, and keeps no connection from the one that has it.
	for {
		done, err := underLock(ctx, conn, func() error {
			if err := p.makeSchema(ctx, db); err != nil {
				return err
			}
			results, err := provider.Up(ctx)
			for _, result := range results {
				p.Logger.Info("migrated "+p.What, "step", result.Source.Path, "took", result.Duration)
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

func (p Plan) versionTable() string { return p.Schema + ".goose_db_version" }

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

func (p Plan) makeSchema(ctx context.Context, db *sql.DB) error {
	// CREATE SCHEMA IF NOT EXISTS would want the right to make one even where there is one.
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT to_regnamespace($1) IS NOT NULL", p.Schema).Scan(&there); err != nil || there {
		return err
	}
	_, err := db.ExecContext(ctx, "CREATE SCHEMA "+p.Schema)
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok && fault.Code == insufficientPrivilege {
		return fmt.Errorf("%w; let the role make it (GRANT CREATE ON DATABASE … TO …), or make it for the role (CREATE SCHEMA %s AUTHORIZATION …)", err, p.Schema)
	}
	return err
}

// version is 0 if there are no tables yet.
func (p Plan) version(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", p.versionTable()).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM "+p.versionTable()+" WHERE is_applied").Scan(&version)
	return version, err
}
