package readmodel

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// pgGenerations is the schemas of a database.
type pgGenerations struct {
	config  *pgxpool.Config
	current string
}

func (g pgGenerations) with(ctx context.Context, fn func(*pgx.Conn) error) (err error) {
	conn, err := pgx.ConnectConfig(ctx, g.config.ConnConfig)
	if err != nil {
		return explainPostgres(away(err))
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return away(fn(conn))
}

func (g pgGenerations) list(ctx context.Context) (all []Generation, err error) {
	all = []Generation{}
	err = g.with(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'views\\_%' ORDER BY 1")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			if !generationName.MatchString(name) {
				continue
			}
			one, err := g.look(ctx, conn, name)
			if ctx.Err() != nil || conn.IsClosed() {
				return err
			}
			if err != nil {
				one.State, one.Error = StateDamaged, err.Error()
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

func (g pgGenerations) there(ctx context.Context, name string) (others int, there bool, err error) {
	err = g.with(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT count(*) FILTER (WHERE nspname <> $1), count(*) FILTER (WHERE nspname = $1) > 0 FROM pg_namespace WHERE nspname LIKE 'views\\_%'", name).
			Scan(&others, &there)
	})
	return others, there, err
}

func (g pgGenerations) where(name string) string {
	if name == "" {
		return fmt.Sprintf("database %q", g.config.ConnConfig.Database)
	}
	return "schema " + name
}

func (g pgGenerations) snapshot(ctx context.Context, name string, fn func(source) error) error {
	return g.with(ctx, func(conn *pgx.Conn) error {
		// Nobody drops it meanwhile.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", pgLock(name, lockUse)); err != nil {
			return err
		}
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL search_path = "+name); err != nil {
				return err
			}
			return fn(&pgSource{ctx: ctx, conn: conn, stream: true})
		})
	})
}

func (pgGenerations) trouble(err error) trouble { return pgTrouble(err) }

func (g pgGenerations) look(ctx context.Context, conn *pgx.Conn, name string) (Generation, error) {
	one := Generation{Name: name}
	// Tried and given back at once: who wants to open it meanwhile is not to wait until all rows are counted.
	err := conn.QueryRow(ctx, "SELECT NOT pg_try_advisory_lock($1)", pgLock(name, lockUse)).Scan(&one.InUse)
	if err != nil {
		return one, err
	}
	if !one.InUse {
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", pgLock(name, lockUse)); err != nil {
			return one, err
		}
	}
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(ctx, "SET LOCAL search_path = "+name); err != nil {
			return err
		}
		if one.Bytes, err = pgBytes(ctx, conn, name); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT used FROM readmodel_generation").Scan(&one.Used); err != nil {
			return err
		}
		one.Used = one.Used.UTC()
		if one.at, err = pgCheckpoint(ctx, tx); err != nil {
			return err
		}
		q := &Query{source: &pgSource{ctx: ctx, conn: conn}}
		names, err := Collect(q.Rows("SELECT tablename::text AS name FROM pg_tables WHERE schemaname = ? AND tablename NOT LIKE 'readmodel%' ORDER BY 1", name),
			func(row Row) (string, error) { return row.Text("name"), nil })
		if err != nil {
			return err
		}
		return one.read(q, names)
	})
	return one, err
}

func (g pgGenerations) drop(ctx context.Context, name string) (done bool, err error) {
	err = g.with(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", pgLock(name, lockMaking)); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", pgLock(name, lockUse)).Scan(&done); err != nil || !done {
				return err
			}
			_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+name+" CASCADE")
			return err
		})
	})
	return done && err == nil, err
}

func (g pgGenerations) prune(ctx context.Context, keep int) ([]string, error) {
	return prune(ctx, g, g.current, keep)
}
