package sqlitelog

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

const (
	// applicationID marks the file as ours ("Kint"), for us and for file(1).
	applicationID = 0x4b696e74
	// format is raised when schema.sql changes.
	format = 1
)

var (
	//go:embed schema.sql
	schema string
	//go:embed guards.sql
	guards string
	//go:embed index.sql
	index string
)

// durable are the settings of a connection that writes.
var durable = []string{
	"PRAGMA synchronous = full", // sync at each commit: acknowledged is durable
	"PRAGMA fullfsync = on",     // where fsync stops at the drive's cache (macOS)
	"PRAGMA secure_delete = on", // what is erased is overwritten
}

// prepareFile makes sure that the file is a log of this format, making one of an empty file. It says what of its schema was
// put back, and what is otherwise than this program makes it and stays so.
func prepareFile(ctx context.Context, conn *sqlite.Conn) (restored, differs []string, err error) {
	// A file of somebody else is looked at before anything is changed in it.
	if err := checkFormat(conn); err != nil {
		return nil, nil, err
	}
	if err := sqlitedb.EnableWAL(ctx, conn); err != nil {
		return nil, nil, err
	}
	for _, pragma := range slices.Concat(durable, []string{
		"PRAGMA cache_size = -16384",
		"PRAGMA wal_autocheckpoint = 0", // the checkpointer does it
		// a long reader lets the write-ahead log grow; this gives the space back
		fmt.Sprintf("PRAGMA journal_size_limit = %d", checkpointPages*pageBytes),
	}) {
		if err := sqlitedb.Exec(conn, pragma); err != nil {
			return nil, nil, err
		}
	}
	err = sqlitedb.Immediate(conn, func() error {
		empty, err := isEmpty(conn)
		if err != nil {
			return err
		}
		script := guards + index
		if empty { // or another process was first, or it is an old friend
			script = fmt.Sprintf("%s\n%s\nPRAGMA application_id = %d; PRAGMA user_version = %d", schema, script, applicationID, format)
		} else {
			have, err := partsOf(conn)
			if err != nil {
				return err
			}
			found, err := deviationsOf(have)
			if err != nil {
				return err
			}
			if restored, err = found.takeOut(conn, have); err != nil {
				return err
			}
			differs = found.tables
		}
		return sqlitex.ExecuteScript(conn, script, nil)
	})
	return restored, differs, err
}

func checkFormat(conn *sqlite.Conn) error {
	return sqlitedb.Snapshot(conn, func() error {
		empty, err := isEmpty(conn)
		if err != nil || empty {
			return err
		}
		id, err := sqlitedb.Int(conn, "PRAGMA application_id")
		if err != nil {
			return err
		}
		if id != applicationID {
			return fmt.Errorf("it is an SQLite database of another program (application id %#x), not an event log", id)
		}
		version, err := sqlitedb.Int(conn, "PRAGMA user_version")
		if err != nil {
			return err
		}
		if version > format {
			return fmt.Errorf("it has format %d, written by a newer version of this program, which knows formats up to %d; upgrade", version, format)
		}
		return nil
	})
}

func isEmpty(conn *sqlite.Conn) (bool, error) {
	tables, err := sqlitedb.Int(conn, "SELECT count(*) FROM sqlite_schema")
	return tables == 0, err
}
