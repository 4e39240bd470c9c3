package statestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kintsugi-run/kintsugi/internal/database/pgschema"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/migrations"
)

// Postgres is a state store in the schema kintsugi_state of a PostgreSQL database.
type Postgres struct{ pool *pgxpool.Pool }

var (
	_ vault.Store         = (*Postgres)(nil)
	_ watermillsub.Groups = (*Postgres)(nil)
	_ watermillsub.Ledger = (*Postgres)(nil)
)

const (
	connectTimeout = 5 * time.Second
	// connections is enough for what is asked seldom.
	connections = 2
)

// OpenPostgres opens the state store in the database that url names, making or evolving its tables. The
// role has to be allowed to make the schema. The error does not repeat the url, which may hold a password.
func OpenPostgres(ctx context.Context, url string, logger *slog.Logger) (_ *Postgres, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("statestore: the address of the database is not understood, it is to be like postgres://user@host/database: %w", errors.Unwrap(err))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.MaxConns, config.MinConns = connections, 0
	// Behind a pooler no statement stays prepared.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	if err := migrate(ctx, config.ConnConfig, logger); err != nil {
		return nil, fail(err, "prepare the tables of the state store in database %q", config.ConnConfig.Database)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("statestore: %w", err)
	}
	return &Postgres{pool: pool}, nil
}

func migrate(ctx context.Context, config *pgx.ConnConfig, logger *slog.Logger) (err error) {
	steps, err := fs.Sub(migrations.State, "state")
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return pgschema.Plan{What: "the state store", Schema: "kintsugi_state", Steps: steps, Logger: logger}.Up(ctx, config, conn)
}

// fail says what could not be done, and whether that is only for as long as the server is away.
func fail(err error, doing string, args ...any) error {
	err = fmt.Errorf("statestore: "+doing+": %w", append(args, err)...)
	if pgschema.IsAway(err) {
		err = fmt.Errorf("%w (%w)", eventlog.ErrUnavailable, err)
	}
	return err
}

// Close closes the connections.
func (p *Postgres) Close() error {
	p.pool.Close()
	return nil
}

// Secrets implements [vault.Store].
func (p *Postgres) Secrets(ctx context.Context) ([]vault.Entry, error) {
	rows, err := p.pool.Query(ctx, `SELECT name, workflow, hosts, set_at, wrapped_key, sealed FROM kintsugi_state.secret ORDER BY name COLLATE "C", workflow COLLATE "C"`)
	if err != nil {
		return nil, fail(err, "read secrets")
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e vault.Entry, err error) {
		err = row.Scan(&e.Name, &e.Workflow, &e.Hosts, &e.SetAt, &e.WrappedKey, &e.Sealed)
		e.SetAt = e.SetAt.UTC()
		return e, err
	})
	if err != nil {
		return nil, fail(err, "read secrets")
	}
	return entries, nil
}

// PutSecret implements [vault.Store].
func (p *Postgres) PutSecret(ctx context.Context, e vault.Entry) error {
	_, err := p.pool.Exec(ctx, `INSERT INTO kintsugi_state.secret (name, workflow, hosts, set_at, wrapped_key, sealed) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (name, workflow) DO UPDATE SET
		hosts = excluded.hosts, set_at = excluded.set_at, wrapped_key = excluded.wrapped_key, sealed = excluded.sealed`,
		e.Name, e.Workflow, e.Hosts, e.SetAt, e.WrappedKey, e.Sealed)
	if err != nil {
		return fail(err, "keep the secret %s", e.Name)
	}
	return nil
}

// SwapSecret implements [vault.Store].
func (p *Postgres) SwapSecret(ctx context.Context, e vault.Entry, sealed []byte) (bool, error) {
	statement, args := `INSERT INTO kintsugi_state.secret (name, workflow, hosts, set_at, wrapped_key, sealed) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, []any{e.Name, e.Workflow, e.Hosts, e.SetAt, e.WrappedKey, e.Sealed}
	if sealed != nil {
		statement = `UPDATE kintsugi_state.secret SET hosts = $3, set_at = $4, wrapped_key = $5, sealed = $6
		WHERE name = $1 AND workflow = $2 AND sealed = $7`
		args = append(args, sealed)
	}
	tag, err := p.pool.Exec(ctx, statement, args...)
	if err != nil {
		return false, fail(err, "keep the secret %s", e.Name)
	}
	return tag.RowsAffected() > 0, nil
}

// RemoveSecret implements [vault.Store].
func (p *Postgres) RemoveSecret(ctx context.Context, name, workflow string) (bool, error) {
	tag, err := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.secret WHERE name = $1 AND workflow = $2`, name, workflow)
	if err != nil {
		return false, fail(err, "remove the secret %s", name)
	}
	return tag.RowsAffected() > 0, nil
}

// Look implements [watermillsub.Groups].
func (p *Postgres) Look(ctx context.Context, group string) (state []byte, err error) {
	err = p.pool.QueryRow(ctx, `SELECT state FROM kintsugi_state.subscriber WHERE name = $1`, group).Scan(&state)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fail(err, "look at the subscriber %s", group)
	}
	return state, nil
}

// Claim implements [watermillsub.Groups], by the clock of the database.
func (p *Postgres) Claim(ctx context.Context, group string, lease time.Duration) (claim watermillsub.Claim, claimed bool, err error) {
	err = p.pool.QueryRow(ctx, `INSERT INTO kintsugi_state.subscriber AS s (name, token, until) VALUES ($1, 1, now() + $2)
		ON CONFLICT (name) DO UPDATE SET token = s.token + 1, until = excluded.until WHERE s.until <= now() RETURNING token, state`,
		group, lease).Scan(&claim.Token, &claim.State)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return claim, false, nil
	case err != nil:
		return claim, false, fail(err, "claim the subscriber %s", group)
	}
	return claim, true, nil
}

// unwaited has a statement not wait for the disk of the server. A saved state is lost only if the server itself dies in the moments after,
// and what it was about is delivered again.
const unwaited = ` AND set_config('synchronous_commit', 'off', true) = 'off'`

// Save implements [watermillsub.Groups].
func (p *Postgres) Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error {
	return p.saveSubscriber(ctx, `UPDATE kintsugi_state.subscriber SET state = $1, until = now() + $4 WHERE name = $2 AND token = $3`+unwaited, group, state, group, token, lease)
}

// Release implements [watermillsub.Groups].
func (p *Postgres) Release(ctx context.Context, group string, token int64, state []byte) error {
	return p.saveSubscriber(ctx, `UPDATE kintsugi_state.subscriber SET state = $1, until = '-infinity' WHERE name = $2 AND token = $3`+unwaited, group, state, group, token)
}

// Retire implements [watermillsub.Groups]. A row of token -1 is of a group that is over.
func (p *Postgres) Retire(ctx context.Context, group string) error {
	for _, one := range []struct {
		statement string
		args      []any
	}{
		{`DELETE FROM kintsugi_state.subscriber WHERE token = -1 AND until <= now()`, nil},
		{`UPDATE kintsugi_state.subscriber SET token = -1, state = NULL, until = now() + $2 WHERE name = $1 AND token <> -1`, []any{group, watermillsub.Retired}},
	} {
		if _, err := p.pool.Exec(ctx, one.statement, one.args...); err != nil {
			return fail(err, "forget the subscriber %s", group)
		}
	}
	return nil
}

// Revive implements [watermillsub.Groups].
func (p *Postgres) Revive(ctx context.Context, group string, current func() (bool, error)) error {
	retired := false
	err := p.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM kintsugi_state.subscriber WHERE name = $1 AND token = -1)`, group).Scan(&retired)
	if err != nil {
		return fail(err, "look at the subscriber %s", group)
	}
	if !retired {
		return nil
	}
	if is, err := current(); err != nil || !is {
		return err
	}
	if _, err := p.pool.Exec(ctx, `DELETE FROM kintsugi_state.subscriber WHERE name = $1 AND token = -1`, group); err != nil {
		return fail(err, "revive the subscriber %s", group)
	}
	return nil
}

func (p *Postgres) saveSubscriber(ctx context.Context, statement, group string, args ...any) error {
	tag, err := p.pool.Exec(ctx, statement, args...)
	if err == nil && tag.RowsAffected() == 0 {
		err = watermillsub.ErrLost
	}
	if err != nil {
		return fail(err, "save the subscriber %s", group)
	}
	return nil
}
