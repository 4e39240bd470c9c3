package readmodel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// inherit begins this generation, which has no file yet, with a copy of the same generation
// from one of the directories: of those whose log this one is a copy of, the one that is
// furthest. It is only a saving of work: where nothing can be had, the views are built anew.
func (e *sqliteEngine) inherit(ctx context.Context, log eventlog.Log, dirs []string) {
	if _, err := os.Stat(e.path); !errors.Is(err, os.ErrNotExist) {
		return
	}
	var best string
	var furthest eventlog.Checkpoint
	for _, dir := range dirs {
		candidate := filepath.Join(dir, filepath.Base(e.path))
		at, err := checkpointOf(ctx, log, candidate)
		if err != nil {
			e.logger.Debug("views of another log cannot be taken over", "file", candidate, "error", err)
			continue
		}
		if at.Position > furthest.Position {
			best, furthest = candidate, at
		}
	}
	if best == "" {
		return
	}
	// Alone, so that nobody has opened the file meanwhile, or takes over at the same time.
	if _, err := e.lock.exclusively(func() error { return e.copyViews(ctx, best) }); err != nil {
		e.logger.Warn("views of another log could not be taken over: they are built anew", "file", best, "error", err)
	}
}

// checkpointOf says how far the views in a file are, as a place in a log.
func checkpointOf(ctx context.Context, log eventlog.Log, path string) (at eventlog.Checkpoint, err error) {
	err = reading(ctx, path, func(conn *sqlite.Conn) error {
		at, err = loadCheckpoint(conn)
		return err
	})
	if err != nil {
		return eventlog.Checkpoint{}, err
	}
	here, there, err := resolve(ctx, log, at)
	if err == nil && !there {
		err = errors.New("they are of another log")
	}
	return here, err
}

// copyViews copies one consistent state of the file at path, which may be in use.
func (e *sqliteEngine) copyViews(ctx context.Context, path string) error {
	if _, err := os.Stat(e.path); !errors.Is(err, os.ErrNotExist) {
		return err // another process was faster
	}
	part := e.path + ".part"
	// SQLite takes an empty file, and would make one that everybody can read.
	created, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := created.Close(); err != nil {
		return err
	}
	err = reading(ctx, path, func(conn *sqlite.Conn) error {
		return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{part}})
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return os.Rename(part, e.path)
}

// reading opens the file of a generation, which must be there, as one who shares it.
func reading(ctx context.Context, path string, fn func(*sqlite.Conn) error) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	lock, err := lockShared(ctx, path+".lock")
	if err != nil {
		return err
	}
	conn, err := sqlitedb.Open(path)
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	conn.SetInterrupt(ctx.Done())
	if err := errors.Join(fn(conn), conn.Close(), lock.Close()); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
