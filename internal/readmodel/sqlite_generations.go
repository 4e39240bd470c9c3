package readmodel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

// sqliteGenerations is the files of a directory.
type sqliteGenerations struct{ dir, current string }

var generationName = lazyregexp.New(`^views_[0-9a-f]{16}$`)

func (g sqliteGenerations) path(name string) string { return filepath.Join(g.dir, name+".db") }

func (g sqliteGenerations) list(ctx context.Context) ([]Generation, error) {
	all := []Generation{}
	files, _ := filepath.Glob(g.path("views_*")) // the pattern is sound
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".db")
		if !generationName.MatchString(name) {
			continue
		}
		one, err := g.look(ctx, name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			one.State, one.Error = StateDamaged, err.Error()
		}
		all = append(all, one)
	}
	return all, nil
}

func (g sqliteGenerations) there(_ context.Context, name string) (others int, there bool, err error) {
	files, _ := filepath.Glob(g.path("views_*")) // the pattern is sound
	there = slices.Contains(files, g.path(name))
	if there {
		return len(files) - 1, true, nil
	}
	return len(files), false, nil
}

func (g sqliteGenerations) where(name string) string {
	if name == "" {
		return g.dir
	}
	return g.path(name)
}

func (g sqliteGenerations) snapshot(ctx context.Context, name string, fn func(source) error) error {
	return reading(ctx, g.path(name), func(conn *sqlite.Conn) error {
		return sqlitedb.Snapshot(conn, func() error { return fn(newSource(conn)) })
	})
}

func (sqliteGenerations) trouble(err error) trouble { return sqliteTrouble(err) }

func (g sqliteGenerations) look(ctx context.Context, name string) (one Generation, err error) {
	one = Generation{Name: name}
	path := g.path(name)
	if used, err := os.Stat(path + ".lock"); err == nil {
		one.Used = used.ModTime().UTC()
	}
	if one.Bytes, err = (&sqliteEngine{path: path}).bytes(ctx); err != nil {
		return one, err
	}
	mine, err := tryLock(path + ".lock")
	if err != nil {
		return one, err
	}
	if one.InUse = mine == nil; mine != nil {
		if err := mine.Close(); err != nil {
			return one, err
		}
	}
	return one, g.snapshot(ctx, name, func(from source) (err error) {
		if one.at, err = readCheckpoint(from); err != nil {
			return err
		}
		q := &Query{source: from}
		names, err := Collect(q.Rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'readmodel%'"), func(row Row) (string, error) {
			return row.Text("name"), nil
		})
		return errors.Join(err, one.read(q, names))
	})
}

// read fills what every engine's tables say.
func (g *Generation) read(q *Query, tables []string) error {
	g.Position = g.at.Position
	var err error
	g.State, _, err = First(q.Rows("SELECT state FROM readmodel_generation"), func(row Row) (string, error) { return row.Text("state"), nil })
	if err != nil {
		return err
	}
	for _, table := range tables {
		rows, _, err := First(q.Rows("SELECT count(*) AS n FROM "+table), func(row Row) (int64, error) { return row.Int64("n"), nil })
		if err != nil {
			return err
		}
		g.Rows += rows
	}
	g.Aside, err = loadAside(q)
	return err
}

func (g sqliteGenerations) drop(_ context.Context, name string) (bool, error) {
	path := g.path(name)
	mine, err := tryLock(path + ".lock")
	if err != nil || mine == nil {
		return false, err
	}
	// The lock itself stays: another process may be waiting for it.
	for _, file := range []string{path, path + "-wal", path + "-shm", path + ".claim", path + ".serve", path + ".part"} {
		if failed := os.Remove(file); failed != nil && !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err == nil, errors.Join(err, mine.Close())
}

func (g sqliteGenerations) prune(ctx context.Context, keep int) ([]string, error) {
	return prune(ctx, g, g.current, keep)
}
