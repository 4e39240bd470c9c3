package sqlitelog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

// part is a row of sqlite_schema: a table, an index or a trigger.
type part struct{ kind, table, sql string }

// partsOf are the parts of a database's schema by their names.
func partsOf(conn *sqlite.Conn) (parts map[string]part, err error) {
	parts = map[string]part{}
	err = sqlitex.ExecuteTransient(conn, "SELECT name, type, tbl_name, sql FROM sqlite_schema", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		parts[row.ColumnText(0)] = part{row.ColumnText(1), row.ColumnText(2), row.ColumnText(3)}
		return nil
	}})
	return parts, err
}

// declared is the schema that this program makes.
func declared() (parts map[string]part, err error) {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := sqlitex.ExecuteScript(conn, schema+guards+index, nil); err != nil {
		return nil, err
	}
	return partsOf(conn)
}

// deviations are how the schema of a file is not the one that this program makes. Optional parts are left out: the
// index of ids and the notes follow from the events, and are made when they are needed.
type deviations struct {
	alien   []string // triggers that are not there when this program makes the file, or are others
	missing []string // triggers
	tables  []string // sentences about what cannot be put back
}

func (d deviations) none() bool { return len(d.alien)+len(d.missing)+len(d.tables) == 0 }

// String says all of them.
func (d deviations) String() string {
	var all []string
	for _, name := range d.alien {
		all = append(all, "trigger "+name+" is not as this program makes it")
	}
	for _, name := range d.missing {
		all = append(all, "trigger "+name+" is missing")
	}
	return strings.Join(append(all, d.tables...), "; ")
}

func deviationsOf(have map[string]part) (found deviations, err error) {
	want, err := declared()
	if err != nil {
		return found, err
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		is, should := have[name], want[name]
		switch _, ours := want[is.table]; {
		case !ours || is == should: // others' tables keep no event from its place
		case is.kind == "trigger":
			found.alien = append(found.alien, name)
		case should.kind != "":
			found.tables = append(found.tables, fmt.Sprintf("%s %s is not as this program makes it", is.kind, name))
		case strings.HasPrefix(strings.ToUpper(is.sql), "CREATE UNIQUE"):
			found.tables = append(found.tables, fmt.Sprintf("index %s refuses events that this program appends", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		should := want[name]
		_, there := have[name]
		_, table := have[should.table]
		switch {
		case there:
		case should.kind == "trigger":
			found.missing = append(found.missing, name)
		case table || should.table == "event" || should.table == "stream":
			found.tables = append(found.tables, fmt.Sprintf("%s %s of table %s is missing", should.kind, name, should.table))
		}
	}
	return found, nil
}

// takeOut drops the triggers that are to be others, and says everything that is put back then.
func (d deviations) takeOut(conn *sqlite.Conn, have map[string]part) (restored []string, err error) {
	for _, name := range d.alien {
		if err := sqlitedb.Exec(conn, `DROP TRIGGER "`+strings.ReplaceAll(name, `"`, `""`)+`"`); err != nil {
			return nil, err
		}
		restored = append(restored, fmt.Sprintf("trigger %s, which was %s", name, strings.Join(strings.Fields(have[name].sql), " ")))
	}
	for _, name := range d.missing {
		restored = append(restored, "trigger "+name)
	}
	return restored, nil
}
