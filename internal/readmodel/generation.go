package readmodel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// format is raised when the tables of this package or the encoding of values change.
const format = 3

const ownSchema = `
CREATE TABLE readmodel_generation (fingerprint TEXT NOT NULL);
CREATE TABLE readmodel_checkpoint (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position TEXT NOT NULL,
  stream   TEXT NOT NULL,
  revision INTEGER NOT NULL,
  event_id TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO readmodel_checkpoint VALUES (1, '', '', 0, '');
` + asideSchema

const readers = 8

// fingerprint names a generation: any change of a schema or a version gives another one.
func fingerprint(projections []Projection) string {
	sorted := slices.SortedFunc(slices.Values(projections), func(a, b Projection) int {
		return cmp.Compare(a.Name(), b.Name())
	})
	digest := sha256.New()
	fmt.Fprintf(digest, "format %d\n", format)
	for _, p := range sorted {
		fmt.Fprintf(digest, "%q %d %q\n", p.Name(), p.Version(), p.Schema())
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// openFiles opens the database and makes its tables if it is empty. The caller holds the
// files lock, or is alone.
func (s *Store) openFiles(ctx context.Context) (err error) {
	conn, err := sqlitedb.Open(s.path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}()
	if err := sqlitedb.EnableWAL(ctx, conn); err != nil {
		return err
	}
	// The views can be rebuilt, so nothing needs to be durable; NORMAL keeps the file consistent.
	for _, pragma := range []string{"PRAGMA synchronous = normal", "PRAGMA cache_size = -16384"} {
		if err := sqlitedb.Exec(conn, pragma); err != nil {
			return err
		}
	}
	err = sqlitedb.Immediate(conn, func() error {
		if tables, err := sqlitedb.Int(conn, "SELECT count(*) FROM sqlite_schema"); err != nil || tables > 0 {
			return err
		}
		return s.createTables(conn)
	})
	if err != nil {
		return err
	}
	checkpoint, err := loadCheckpoint(conn)
	if err != nil {
		return err
	}
	s.writer = conn
	s.reader = sqlitedb.NewPool(s.path, readers, nil)
	if s.verified { // else it may be a place in another log
		s.position.Store(&checkpoint.Position)
	}
	return nil
}

func (s *Store) createTables(conn *sqlite.Conn) error {
	if err := sqlitex.ExecuteScript(conn, ownSchema, nil); err != nil {
		return err
	}
	err := sqlitex.Execute(conn, "INSERT INTO readmodel_generation VALUES (?)", &sqlitex.ExecOptions{Args: []any{s.fingerprint}})
	if err != nil {
		return err
	}
	for _, projection := range s.projections {
		if err := sqlitex.ExecuteScript(conn, projection.Schema(), nil); err != nil {
			return fmt.Errorf("schema of projection %s: %w", projection.Name(), err)
		}
	}
	return nil
}

// dropTables empties the database inside a transaction, so that others who have it open see either all or nothing.
func dropTables(conn *sqlite.Conn) error {
	var drops []string
	err := sqlitex.ExecuteTransient(conn, `SELECT type, name FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`,
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			drops = append(drops, fmt.Sprintf("DROP %s IF EXISTS %q", stmt.ColumnText(0), stmt.ColumnText(1)))
			return nil
		}})
	if err != nil {
		return err
	}
	for _, drop := range drops {
		if err := sqlitedb.Exec(conn, drop); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) closeFiles() error {
	err := errors.Join(s.reader.Close(), s.writer.Close())
	s.reader, s.writer = nil, nil
	return err
}

// replaceFiles deletes the damaged database and begins a new one. The caller holds the files lock, or is alone.
func (s *Store) replaceFiles(ctx context.Context, damage error) error {
	if s.writer != nil {
		_ = s.closeFiles() // it is damaged: closing may well fail
	}
	alone, err := s.lock.exclusively(func() error {
		s.logger.Warn("views are damaged: dropped, and rebuilt from the event log", "file", s.path, "error", damage)
		for _, file := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return s.openFiles(ctx)
	})
	if err == nil && !alone {
		return errors.Join(fmt.Errorf("%w; another process has it open: stop that one, start again, and it is rebuilt", damage), s.openFiles(ctx))
	}
	return err
}
