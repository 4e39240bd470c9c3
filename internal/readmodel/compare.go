package readmodel

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// incidental is the column of a table, if it has one, that says where something is and not what the log says. All others
// have to be as they are in views that are built anew: a [Projection] depends on nothing but the log.
var incidental = map[string]string{
	"readmodel_checkpoint": "position", // another one after the log was moved; the event it names is compared
	"readmodel_generation": "state",
}

// contents lists the tables and indexes of a file. The place in the file (rootpage) is incidental.
var contents = shape{table: "sqlite_schema", key: []string{"name"}, rest: []string{"type", "tbl_name", "sql"}}

// Comparison is what views are beside views that were built anew from the same events.
type Comparison struct {
	Same     bool              `json:"same"`
	File     string            `json:"file"`
	Position eventlog.Position `json:"position"` // everything up to it is in them
	Tables   int               `json:"tables"`
	Rows     int64             `json:"rows"` // that are as they should be
	// Problem says why there was nothing to compare row by row; empty if there was.
	Problem string       `json:"problem,omitempty"`
	Differ  []Difference `json:"differ,omitempty"`
}

// Difference is a table that is not what the log says.
type Difference struct {
	Table   string `json:"table"`
	Changed int64  `json:"changed"` // rows with other values
	Missing int64  `json:"missing"` // rows that the log says and the views do not
	Extra   int64  `json:"extra"`   // rows that the log does not say
	// First is the key of the first such row, and How it differs: changed, in those columns, missing or extra.
	First   map[string]any `json:"first"`
	How     string         `json:"how"`
	Columns []string       `json:"columns,omitempty"`
}

// Rows is how many rows differ.
func (d Difference) Rows() int64 { return d.Changed + d.Missing + d.Extra }

// NoViewsError says that there is nothing to compare.
type NoViewsError struct {
	Where  string
	Others int // views of other versions of the program
}

// Error implements error.
func (e *NoViewsError) Error() string {
	if e.Others > 0 {
		return fmt.Sprintf("there are no views of this version of the program in %s, only %d of others, which other versions of the program can compare; "+
			"any list makes them", e.Where, e.Others)
	}
	return fmt.Sprintf("there are no views in %s yet; any list makes them", e.Where)
}

// Compare builds the views of a configuration anew, up to where they are, and compares them row by row. They may be
// in use, and go on. The copy is built in a file of SQLite's that has no name, so that nothing is left of it, however
// the process ends. Applied, if there is one, is told how many events were applied.
func Compare(ctx context.Context, config Config, applied func(int)) (found Comparison, err error) {
	schema, err := config.validate()
	if err != nil {
		return found, err
	}
	place, err := config.generations(schema)
	if err != nil {
		return found, err
	}
	found.File = place.where(schema.name())
	if others, there, err := place.there(ctx, schema.name()); err != nil {
		return found, err
	} else if !there {
		return found, &NoViewsError{Where: place.where(""), Others: others}
	}
	built, err := newScratch(ctx, config, schema, applied)
	if err != nil {
		return found, fmt.Errorf("readmodel: begin views to compare with: %w", err)
	}
	defer func() { err = errors.Join(err, built.engine.conn.Close()) }()

	// Most of it before the views are held still: a log beside them grows as long as somebody reads.
	var at eventlog.Checkpoint
	err = place.snapshot(ctx, schema.name(), func(live source) (err error) {
		at, err = readCheckpoint(live)
		return err
	})
	if err == nil {
		err = built.follow(ctx, at)
	}
	if err == nil {
		err = place.snapshot(ctx, schema.name(), func(live source) error {
			if at, err = readCheckpoint(live); err != nil {
				return err
			}
			if err := built.follow(ctx, at); err != nil {
				return err
			}
			found.Position = built.store.Position()
			return found.compare(live, built.engine.conn)
		})
	}
	beyond, isBeyond := errors.AsType[*eventlog.NotOfLogError](err)
	switch {
	case ctx.Err() != nil:
		return found, fmt.Errorf("readmodel: compare: %w", ctx.Err())
	case at.Validate() != nil:
		found.Problem = "the place up to which they say they are is in no log: " + at.Validate().Error()
	case errors.Is(err, errNoCheckpoint):
		found.Problem = "they do not say up to which place they are"
	case isBeyond:
		found.Problem = fmt.Sprintf("they have event %s, revision %d of stream %s, and the log has not: it was cut off or restored from an older copy, or it is another one",
			beyond.Checkpoint.EventID, beyond.Checkpoint.Revision, beyond.Checkpoint.Stream)
	case place.trouble(err) == troubleDamaged && !errors.Is(err, eventlog.ErrDamaged):
		what := "file"
		if config.Database != "" {
			what = "schema"
		}
		found.Problem = "the " + what + " is damaged: " + err.Error()
	case sqlitedb.IsFull(err):
		return found, fmt.Errorf("no space to build views to compare with; TMPDIR says where: %w", err)
	case err != nil:
		return found, err
	}
	found.Same = found.Problem == "" && len(found.Differ) == 0
	return found, nil
}

// scratch are views that are built to be compared, and thrown away.
type scratch struct {
	store  *Store
	engine *sqliteEngine
	log    eventlog.Log
}

func newScratch(ctx context.Context, config Config, schema generation, applied func(int)) (*scratch, error) {
	conn, err := sqlite.OpenConn("", sqlite.OpenReadWrite|sqlite.OpenCreate) // no path: a file without a name
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx.Done())
	err = sqlitedb.Exec(conn, "PRAGMA cache_size = -16384")
	if err == nil {
		err = sqlitedb.Immediate(conn, func() error { return createTables(conn, schema) })
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	config.Logger = slog.New(slog.DiscardHandler)
	engine := &sqliteEngine{schema: schema, logger: config.Logger, conn: conn}
	store, err := newStore(config, engine, schema)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	store.verified, store.progress = true, applied
	return &scratch{store: store, engine: engine, log: config.Log}, nil
}

// follow applies what comes up to a checkpoint, which may have been made on a copy of the log.
func (s *scratch) follow(ctx context.Context, at eventlog.Checkpoint) error {
	last, err := eventlog.Resolve(ctx, s.log, at)
	if err != nil {
		return err
	}
	s.store.log = upTo{s.log, last}
	for {
		applied, err := s.store.pass(ctx)
		if err != nil {
			return err
		}
		if applied == 0 {
			break
		}
	}
	switch reached := s.store.Position(); {
	case reached > last:
		return errors.New("the views were begun anew while they were compared; compare them again")
	case reached < last:
		return fmt.Errorf("the log from its beginning ends at position %q, and has an event at %q: %w", reached, last, eventlog.ErrDamaged)
	}
	return nil
}

// upTo is a log that ends at a position.
type upTo struct {
	eventlog.Log
	last eventlog.Position
}

// All implements [eventlog.Log].
func (l upTo) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if err == nil && record.Position > l.last || !yield(record, err) {
				return
			}
		}
	}
}

// compare compares views, whose state does not change meanwhile, with those that were built, which are a file.
func (c *Comparison) compare(live source, built *sqlite.Conn) error {
	file, isFile := live.(*sqliteSource)
	if isFile {
		sound, err := sqlitedb.Text(file.conn, "PRAGMA integrity_check(1)")
		if err != nil {
			return err
		}
		if sound != "ok" {
			c.Problem = "the file is damaged: " + sound
			return nil
		}
		if err := c.compareTable(contents, live, newSource(built)); err != nil {
			return err
		}
	}
	shapes, err := shapes(built)
	if err != nil {
		return err
	}
	for _, shape := range shapes {
		if isFile {
			const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"
			made := [2]string{}
			for i, from := range []source{live, newSource(built)} {
				made[i], _, err = First((&Query{source: from}).Rows(sql, shape.table), func(row Row) (string, error) { return row.Text("sql"), nil })
				if err != nil {
					return err
				}
			}
			if made[0] != made[1] {
				continue // which the table of tables says
			}
		}
		if err := c.compareTable(shape, live, newSource(built)); err != nil {
			return err
		}
		c.Tables++
	}
	return nil
}

// shape are the columns of a table that are compared: those of its key and the others.
type shape struct {
	table     string
	key, rest []string
}

// shapes are the tables of a file. Without a primary key all columns are the key, and equal rows are counted.
func shapes(conn *sqlite.Conn) ([]shape, error) {
	q := &Query{source: newSource(conn)}
	names, err := Collect(q.Rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"), func(row Row) (string, error) {
		return row.Text("name"), nil
	})
	if err != nil {
		return nil, err
	}
	var all []shape
	for _, name := range names {
		one := shape{table: name}
		// Generated columns, which are made of the others, are not among these.
		for row, err := range q.Rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk, cid", name) {
			if err != nil {
				return nil, err
			}
			switch column := row.Text("name"); {
			case column == incidental[name]:
			case row.Int("pk") > 0:
				one.key = append(one.key, column)
			default:
				one.rest = append(one.rest, column)
			}
		}
		if one.key == nil {
			one.key, one.rest = one.rest, nil
		}
		all = append(all, one)
	}
	return all, nil
}

// rows yields the compared values of all rows in the order of their keys.
func (s shape) rows(from source) iter.Seq2[[]any, error] {
	quoted := func(columns []string, suffix string) string {
		all := make([]string, len(columns))
		for i, column := range columns {
			all[i] = fmt.Sprintf("%q%s", column, suffix)
		}
		return strings.Join(all, ", ")
	}
	query := fmt.Sprintf("SELECT %s FROM %q ORDER BY %s",
		quoted(slices.Concat(s.key, s.rest), ""), s.table, quoted(s.key, ""))
	return func(yield func([]any, error) bool) {
		for row, err := range (&Query{source: from}).Rows(query) {
			var values []any
			if err == nil {
				values = row.values.(interface{ all() []any }).all()
			}
			if !yield(values, err) {
				return
			}
		}
	}
}

// compareTable walks through a table of both files side by side.
func (c *Comparison) compareTable(s shape, live, built source) error {
	nextLive, stopLive := iter.Pull2(s.rows(live))
	defer stopLive()
	nextBuilt, stopBuilt := iter.Pull2(s.rows(built))
	defer stopBuilt()

	differs := Difference{Table: s.table}
	differ := func(count *int64, how string, key []any, columns ...string) {
		*count++
		if differs.First != nil {
			return
		}
		differs.How, differs.Columns, differs.First = how, columns, make(map[string]any)
		for i, column := range s.key {
			if bytes, is := key[i].(blob); is {
				differs.First[column] = hex.EncodeToString([]byte(bytes))
			} else {
				differs.First[column] = key[i]
			}
		}
	}
	is, errLive, moreLive := nextLive()
	should, errBuilt, moreBuilt := nextBuilt()
	for moreLive || moreBuilt {
		if err := errors.Join(errLive, errBuilt); err != nil {
			return err
		}
		var order int
		switch {
		case !moreLive:
			order = 1
		case !moreBuilt:
			order = -1
		default:
			order = slices.CompareFunc(is[:len(s.key)], should[:len(s.key)], compareValues)
		}
		switch {
		case order < 0:
			differ(&differs.Extra, "extra", is)
		case order > 0:
			differ(&differs.Missing, "missing", should)
		case slices.Equal(is, should):
			c.Rows++
		default:
			var columns []string
			for i, column := range slices.Concat(s.key, s.rest) {
				if is[i] != should[i] {
					columns = append(columns, column)
				}
			}
			differ(&differs.Changed, "changed", should, columns...)
		}
		if order <= 0 {
			is, errLive, moreLive = nextLive()
		}
		if order >= 0 {
			should, errBuilt, moreBuilt = nextBuilt()
		}
	}
	if differs.Rows() > 0 {
		c.Differ = append(c.Differ, differs)
	}
	return nil
}

// blob is the value of a blob, which unlike a slice can be compared.
type blob string

// all is all columns of a row: nil, int64, float64, string or [blob].
func (r sqliteRow) all() []any {
	all := make([]any, r.stmt.ColumnCount())
	for i := range all {
		switch r.stmt.ColumnType(i) {
		case sqlite.TypeInteger:
			all[i] = r.stmt.ColumnInt64(i)
		case sqlite.TypeFloat:
			all[i] = r.stmt.ColumnFloat(i)
		case sqlite.TypeText:
			all[i] = r.stmt.ColumnText(i)
		case sqlite.TypeBlob:
			b := make([]byte, r.stmt.ColumnLen(i))
			r.stmt.ColumnBytes(i, b)
			all[i] = blob(b)
		case sqlite.TypeNull:
		}
	}
	return all
}

// compareValues orders values as SQLite does: NULL, numbers, texts, blobs.
func compareValues(a, b any) int {
	class := func(value any) int {
		switch value.(type) {
		case nil:
			return 0
		case int64, float64:
			return 1
		case string:
			return 2
		}
		return 3
	}
	if order := cmp.Compare(class(a), class(b)); order != 0 {
		return order
	}
	switch a := a.(type) {
	case int64:
		if b, is := b.(int64); is {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(float64(a), b.(float64))
	case float64:
		if b, is := b.(int64); is {
			return cmp.Compare(a, float64(b))
		}
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case blob:
		return cmp.Compare(a, b.(blob))
	}
	return 0
}
