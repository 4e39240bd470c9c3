package statestore

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

//go:embed secret.sql
var secretSchema string

//go:embed subscriber.sql
var subscriberSchema string

//go:embed delivery.sql
var deliverySchema string

// steps are the parts of the schema; how many of them a file has is its user_version. A change is another step.
var steps = []string{secretSchema, subscriberSchema, deliverySchema}

// SQLite is a state store in a file. Any number of processes may use it.
type SQLite struct {
	path string
	turn chan *sqlite.Conn // holds the connection while nobody is at work
}

var (
	_ vault.Store         = (*SQLite)(nil)
	_ watermillsub.Groups = (*SQLite)(nil)
	_ watermillsub.Ledger = (*SQLite)(nil)
)

// OpenSQLite opens the state store in a file, which is made, for its owner only, if it is not there.
func OpenSQLite(ctx context.Context, path string) (*SQLite, error) {
	conn, err := sqlitedb.Open(path)
	if err != nil {
		return nil, fmt.Errorf("statestore: open %s: %w", path, err)
	}
	if err := evolve(ctx, conn); err != nil {
		return nil, errors.Join(fmt.Errorf("statestore: open %s: %w", path, err), conn.Close())
	}
	s := &SQLite{path: path, turn: make(chan *sqlite.Conn, 1)}
	s.turn <- conn
	return s, nil
}

func evolve(ctx context.Context, conn *sqlite.Conn) error {
	if err := sqlitedb.EnableWAL(ctx, conn); err != nil {
		return err
	}
	for _, pragma := range []string{"PRAGMA synchronous = full", "PRAGMA secure_delete = on"} { // what was removed is not left in the file
		if err := sqlitedb.Exec(conn, pragma); err != nil {
			return err
		}
	}
	return sqlitedb.Immediate(conn, func() error {
		version, err := sqlitedb.Int(conn, "PRAGMA user_version")
		if err != nil || int(version) == len(steps) {
			return err
		}
		if int(version) > len(steps) {
			return fmt.Errorf("it has version %d, made by a newer version of this program, which knows versions up to %d; upgrade it", version, len(steps))
		}
		return sqlitex.ExecuteScript(conn, strings.Join(steps[version:], "")+fmt.Sprintf("PRAGMA user_version = %d;", len(steps)), nil)
	})
}

// Close closes the file.
func (s *SQLite) Close() error { return (<-s.turn).Close() }

// do gives the connection to fn, one at a time.
func (s *SQLite) do(ctx context.Context, what string, fn func(*sqlite.Conn) error) error {
	select {
	case conn := <-s.turn:
		defer func() { s.turn <- conn }()
		conn.SetInterrupt(ctx.Done())
		defer conn.SetInterrupt(nil)
		// A write waits for the disk, unless it says otherwise.
		err := sqlitedb.Exec(conn, "PRAGMA synchronous = full")
		if err == nil {
			err = fn(conn)
		}
		if err != nil {
			return fmt.Errorf("statestore: %s in %s: %w", what, s.path, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("statestore: %s in %s: %w", what, s.path, context.Cause(ctx))
	}
}

// Secrets implements [vault.Store].
func (s *SQLite) Secrets(ctx context.Context) (entries []vault.Entry, err error) {
	err = s.do(ctx, "read secrets", func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT name, workflow, hosts, set_at, wrapped_key, sealed FROM secret ORDER BY name, workflow`, &sqlitex.ExecOptions{
			ResultFunc: func(row *sqlite.Stmt) error {
				e := vault.Entry{WrappedKey: blob(row, 4), Sealed: blob(row, 5)}
				e.Name, e.Workflow, e.SetAt = row.ColumnText(0), row.ColumnText(1), time.UnixMicro(row.ColumnInt64(3)).UTC()
				if err := json.Unmarshal([]byte(row.ColumnText(2)), &e.Hosts); err != nil {
					return fmt.Errorf("the hosts of %s: %w", e.Name, err)
				}
				entries = append(entries, e)
				return nil
			},
		})
	})
	return entries, err
}

func blob(row *sqlite.Stmt, column int) []byte {
	bytes := make([]byte, row.ColumnLen(column))
	row.ColumnBytes(column, bytes)
	return bytes
}

// PutSecret implements [vault.Store].
func (s *SQLite) PutSecret(ctx context.Context, e vault.Entry) error {
	hosts, err := json.Marshal(e.Hosts)
	if err != nil {
		return err
	}
	return s.do(ctx, "keep the secret "+e.Name, func(conn *sqlite.Conn) error {
		return sqlitedb.Do(conn, `INSERT OR REPLACE INTO secret (name, workflow, hosts, set_at, wrapped_key, sealed) VALUES (?, ?, ?, ?, ?, ?)`,
			e.Name, e.Workflow, string(hosts), e.SetAt.UnixMicro(), e.WrappedKey, e.Sealed)
	})
}

// SwapSecret implements [vault.Store].
func (s *SQLite) SwapSecret(ctx context.Context, e vault.Entry, sealed []byte) (swapped bool, err error) {
	hosts, err := json.Marshal(e.Hosts)
	if err != nil {
		return false, err
	}
	err = s.do(ctx, "keep the secret "+e.Name, func(conn *sqlite.Conn) error {
		if sealed == nil {
			err = sqlitedb.Do(conn, `INSERT INTO secret (name, workflow, hosts, set_at, wrapped_key, sealed) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				e.Name, e.Workflow, string(hosts), e.SetAt.UnixMicro(), e.WrappedKey, e.Sealed)
		} else {
			err = sqlitedb.Do(conn, `UPDATE secret SET hosts = ?, set_at = ?, wrapped_key = ?, sealed = ? WHERE name = ? AND workflow = ? AND sealed = ?`,
				string(hosts), e.SetAt.UnixMicro(), e.WrappedKey, e.Sealed, e.Name, e.Workflow, sealed)
		}
		swapped = err == nil && conn.Changes() > 0
		return err
	})
	return swapped, err
}

// RemoveSecret implements [vault.Store].
func (s *SQLite) RemoveSecret(ctx context.Context, name, workflow string) (removed bool, err error) {
	err = s.do(ctx, "remove the secret "+name, func(conn *sqlite.Conn) error {
		if err := sqlitedb.Do(conn, `DELETE FROM secret WHERE name = ? AND workflow = ?`, name, workflow); err != nil {
			return err
		}
		removed = conn.Changes() > 0
		return nil
	})
	return removed, err
}

// Look implements [watermillsub.Groups].
func (s *SQLite) Look(ctx context.Context, group string) (state []byte, err error) {
	err = s.do(ctx, "look at the subscriber "+group, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT state FROM subscriber WHERE name = ? AND state IS NOT NULL`, &sqlitex.ExecOptions{
			Args: []any{group}, ResultFunc: func(row *sqlite.Stmt) error { state = blob(row, 0); return nil },
		})
	})
	return state, err
}

// Claim implements [watermillsub.Groups].
func (s *SQLite) Claim(ctx context.Context, group string, lease time.Duration) (claim watermillsub.Claim, claimed bool, err error) {
	now := time.Now()
	err = s.do(ctx, "claim the subscriber "+group, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `INSERT INTO subscriber (name, token, until) VALUES (?1, 1, ?2)
			ON CONFLICT DO UPDATE SET token = token + 1, until = ?2 WHERE until <= ?3 RETURNING token, state`, &sqlitex.ExecOptions{
			Args: []any{group, now.Add(lease).UnixMicro(), now.UnixMicro()},
			ResultFunc: func(row *sqlite.Stmt) error {
				claim, claimed = watermillsub.Claim{Token: row.ColumnInt64(0)}, true
				if !row.ColumnIsNull(1) {
					claim.State = blob(row, 1)
				}
				return nil
			},
		})
	})
	return claim, claimed && err == nil, err
}

// Save implements [watermillsub.Groups].
func (s *SQLite) Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error {
	return s.saveSubscriber(ctx, group, token, state, time.Now().Add(lease))
}

// Release implements [watermillsub.Groups].
func (s *SQLite) Release(ctx context.Context, group string, token int64, state []byte) error {
	return s.saveSubscriber(ctx, group, token, state, time.UnixMicro(0))
}

// Retire implements [watermillsub.Groups]. A row of token -1 is of a group that is over.
func (s *SQLite) Retire(ctx context.Context, group string) error {
	return s.do(ctx, "forget the subscriber "+group, func(conn *sqlite.Conn) error {
		now := time.Now()
		if err := sqlitedb.Do(conn, `DELETE FROM subscriber WHERE token = -1 AND until <= ?`, now.UnixMicro()); err != nil {
			return err
		}
		return sqlitedb.Do(conn, `UPDATE subscriber SET token = -1, state = NULL, until = ? WHERE name = ? AND token <> -1`, now.Add(watermillsub.Retired).UnixMicro(), group)
	})
}

// Revive implements [watermillsub.Groups].
func (s *SQLite) Revive(ctx context.Context, group string, current func() (bool, error)) error {
	retired := false
	err := s.do(ctx, "look at the subscriber "+group, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT 1 FROM subscriber WHERE name = ? AND token = -1`, &sqlitex.ExecOptions{
			Args: []any{group}, ResultFunc: func(*sqlite.Stmt) error { retired = true; return nil },
		})
	})
	if err != nil || !retired {
		return err
	}
	if is, err := current(); err != nil || !is {
		return err
	}
	return s.do(ctx, "revive the subscriber "+group, func(conn *sqlite.Conn) error {
		return sqlitedb.Do(conn, `DELETE FROM subscriber WHERE name = ? AND token = -1`, group)
	})
}

func (s *SQLite) saveSubscriber(ctx context.Context, group string, token int64, state []byte, until time.Time) error {
	return s.do(ctx, "save the subscriber "+group, func(conn *sqlite.Conn) error {
		// It is saved for each few deliveries, so it does not wait for the disk: a kill loses nothing of it, and a loss of power the
		// last moments, which are delivered again.
		err := sqlitedb.Exec(conn, "PRAGMA synchronous = normal")
		if err != nil {
			return err
		}
		err = sqlitedb.Do(conn, `UPDATE subscriber SET state = ?, until = ? WHERE name = ? AND token = ?`, state, until.UnixMicro(), group, token)
		if err == nil && conn.Changes() == 0 {
			err = watermillsub.ErrLost
		}
		return err
	})
}
