package readmodel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const readers = 8

// sqliteEngine keeps a generation in a file of its own. Everybody who has the file open holds its lock shared, so that
// nobody deletes it under another; whoever applies has the claim as well.
type sqliteEngine struct {
	path   string
	schema generation
	logger *slog.Logger
	lock   *fileLock

	serving *fileLock    // nil if this process answers nobody
	files   sync.RWMutex // held for reading while they are used, for writing while they are replaced
	closed  bool
	conn    *sqlite.Conn // that writes; nil if there is no usable file; used only by the holder of the claim
	pool    *sqlitedb.Pool
}

// openSQLite opens the file, making it if there is none: by a copy of one of the others if that is of use.
func openSQLite(ctx context.Context, path string, schema generation, logger *slog.Logger, inherit func(*sqliteEngine)) (*sqliteEngine, error) {
	e := &sqliteEngine{path: path, schema: schema, logger: logger}
	var err error
	if e.lock, err = lockShared(ctx, path+".lock"); err != nil {
		return nil, fmt.Errorf("readmodel: %w", err)
	}
	if err := os.Chtimes(path+".lock", time.Time{}, time.Now()); err != nil { // says when it was used last
		return nil, errors.Join(fmt.Errorf("readmodel: %w", err), e.lock.Close())
	}
	inherit(e)
	err = e.open(ctx)
	if sqlitedb.IsDamaged(err) {
		err = e.replaceFiles(ctx, err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("readmodel: open %s: %w", path, err), e.lock.Close())
	}
	return e, nil
}

func (e *sqliteEngine) place() string { return e.path }

// open opens the database and makes its tables if it is empty. The caller holds the files lock, or is alone.
func (e *sqliteEngine) open(ctx context.Context) (err error) {
	conn, err := sqlitedb.Open(e.path)
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
	// A reader does not wait for the writer: while views are built one transaction may take longer than any lock is
	// waited for.
	empty, err := isEmpty(conn)
	if err == nil && empty {
		err = sqlitedb.Immediate(conn, func() error {
			if empty, err := isEmpty(conn); err != nil || !empty { // somebody else was first
				return err
			}
			return createTables(conn, e.schema)
		})
	}
	if err == nil {
		_, err = loadCheckpoint(conn)
	}
	if err == nil {
		err = keepMuch(conn)
	}
	if err != nil {
		return err
	}
	e.conn, e.pool = conn, sqlitedb.NewPool(e.path, readers, nil)
	return nil
}

func isEmpty(conn *sqlite.Conn) (bool, error) {
	tables, err := sqlitedb.Int(conn, "SELECT count(*) FROM sqlite_schema")
	return tables == 0, err
}

// Pages are moved from the write-ahead log to the file when there are so many, and a writer
// waits until the disk has them: of views that are built, less often.
const (
	pagesKept         = 1000
	pagesKeptBuilding = 16 * pagesKept
)

// keepMuch has much in the write-ahead log before it is moved, unless the generation is live.
func keepMuch(conn *sqlite.Conn) error {
	live, err := sqliteLive(conn)
	if err != nil || live {
		return err
	}
	return sqlitedb.Exec(conn, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", pagesKeptBuilding))
}

const sqliteSchema = `
CREATE TABLE readmodel_generation (fingerprint TEXT NOT NULL, state TEXT NOT NULL);
CREATE TABLE readmodel_checkpoint (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position TEXT NOT NULL,
  stream   TEXT NOT NULL,
  revision INTEGER NOT NULL,
  event_id TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO readmodel_checkpoint VALUES (1, '', '', 0, '');
`

var sqliteTypes = types{
	kindText: "TEXT", kindInt: "INTEGER", kindFloat: "REAL", kindBool: "BOOLEAN", kindTime: "INTEGER", kindBytes: "BLOB", kindRaw: "TEXT", kindJSON: "TEXT",
}

func createTables(conn *sqlite.Conn, schema generation) error {
	if err := sqlitex.ExecuteScript(conn, sqliteSchema, nil); err != nil {
		return err
	}
	err := sqlitex.Execute(conn, "INSERT INTO readmodel_generation VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{schema.fingerprint, StateBuilding}})
	if err != nil {
		return err
	}
	for _, table := range schema.tables {
		for _, statement := range table.ddl(sqliteTypes, " WITHOUT ROWID") {
			if err := sqlitedb.Exec(conn, statement); err != nil {
				return fmt.Errorf("table %s: %w", table.name, err)
			}
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

// usable says why the files cannot be used, if so. The caller holds the files lock.
func (e *sqliteEngine) usable() error {
	switch {
	case e.closed:
		return ErrClosed
	case e.conn == nil:
		return fmt.Errorf("readmodel: %s is damaged and could not be replaced; start again", e.path)
	}
	return nil
}

// The pauses of who waits for a claim.
const (
	firstLook = time.Millisecond
	lastLook  = 20 * time.Millisecond
)

func (e *sqliteEngine) claim(ctx context.Context, _ bool) (release func(), err error) {
	if e.path == "" {
		return func() {}, nil // a file without a name is nobody else's
	}
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		lock, err := tryLock(e.path + ".claim")
		if err != nil {
			return nil, fmt.Errorf("readmodel: %w", err)
		}
		if lock != nil {
			return func() { _ = lock.Close() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (*sqliteEngine) origin(_ context.Context, first string) (string, error) { return first, nil }

func (e *sqliteEngine) checkpoint(context.Context) (at eventlog.Checkpoint, err error) {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return at, err
	}
	return loadCheckpoint(e.conn)
}

func sqliteLive(conn *sqlite.Conn) (bool, error) {
	state, _, err := First((&Query{source: newSource(conn)}).Rows("SELECT state FROM readmodel_generation"), func(row Row) (string, error) { return row.Text("state"), nil })
	return state == StateLive, err
}

func (e *sqliteEngine) live(context.Context) (bool, error) {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return false, err
	}
	return sqliteLive(e.conn)
}

func (e *sqliteEngine) goLive(context.Context) error {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return err
	}
	err := sqlitedb.Immediate(e.conn, func() error {
		for _, t := range e.schema.tables {
			for _, statement := range t.indexed() {
				if err := sqlitedb.Exec(e.conn, statement); err != nil {
					return fmt.Errorf("table %s: %w", t.name, err)
				}
			}
		}
		return sqlitex.Execute(e.conn, "UPDATE readmodel_generation SET state = ?", &sqlitex.ExecOptions{Args: []any{StateLive}})
	})
	if err != nil {
		return err
	}
	return sqlitedb.Exec(e.conn, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", pagesKept))
}

func (e *sqliteEngine) serve(ctx context.Context) (err error) {
	e.files.Lock()
	defer e.files.Unlock()
	if e.closed || e.serving != nil {
		return nil
	}
	e.serving, err = lockShared(ctx, e.path+".serve")
	return err
}

func (e *sqliteEngine) served(context.Context) (bool, error) {
	lock, err := tryLock(e.path + ".serve")
	if err != nil || lock == nil {
		return err == nil, err
	}
	return false, lock.Close()
}

func (e *sqliteEngine) write(_ context.Context, fn func(writer) error) error {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return err
	}
	return sqlitedb.Immediate(e.conn, func() error { return fn(&sqliteWriter{newSource(e.conn), e.schema}) })
}

func (e *sqliteEngine) read(ctx context.Context, fn func(source) error) error {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return err
	}
	conn, err := e.pool.Get(ctx)
	if err != nil {
		return err
	}
	defer e.pool.Put(conn)
	return sqlitedb.Snapshot(conn, func() error {
		if live, err := sqliteLive(conn); err != nil || !live {
			return cmp.Or(err, errBuilding)
		}
		return fn(newSource(conn))
	})
}

func (*sqliteEngine) trouble(err error) trouble { return sqliteTrouble(err) }

func sqliteTrouble(err error) trouble {
	switch {
	case err == nil:
		return troubleOther
	case sqlitedb.IsFull(err) || sqlitedb.IsBusy(err):
		return troublePassing
	case sqlitedb.IsDamaged(err):
		return troubleDamaged
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultError, sqlite.ResultConstraint, sqlite.ResultMismatch, sqlite.ResultTooBig, sqlite.ResultRange:
		return troubleValue
	}
	return troubleOther
}

func (e *sqliteEngine) replace(ctx context.Context, damage error) error {
	e.files.Lock()
	defer e.files.Unlock()
	if e.closed {
		return ErrClosed
	}
	return e.replaceFiles(ctx, damage)
}

// replaceFiles deletes the damaged database and begins a new one. The caller holds the files lock, or is alone.
func (e *sqliteEngine) replaceFiles(ctx context.Context, damage error) error {
	if e.conn != nil {
		_ = e.closeFiles() // it is damaged: closing may well fail
	}
	alone, err := e.lock.exclusively(func() error {
		e.logger.Warn("views are damaged: dropped, and rebuilt from the event log", "file", e.path, "error", damage)
		for _, file := range []string{e.path, e.path + "-wal", e.path + "-shm"} {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return e.open(ctx)
	})
	if err == nil && !alone {
		return errors.Join(fmt.Errorf("%w; another process has it open: stop that one, start again, and it is rebuilt", damage), e.open(ctx))
	}
	return err
}

// scrub empties the write-ahead log, unless somebody reads what was there before: it is written over sooner or later.
func (e *sqliteEngine) scrub() error {
	e.files.RLock()
	defer e.files.RUnlock()
	if err := e.usable(); err != nil {
		return err
	}
	e.conn.SetBusyTimeout(scrubPatience)
	defer e.conn.SetBusyTimeout(sqlitedb.BusyTimeout)
	return sqlitedb.Exec(e.conn, "PRAGMA wal_checkpoint(TRUNCATE)")
}

const scrubPatience = time.Second

func (e *sqliteEngine) bytes(context.Context) (total int64, err error) {
	for _, file := range []string{e.path, e.path + "-wal"} {
		info, err := os.Stat(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}

func (e *sqliteEngine) closeFiles() error {
	err := errors.Join(e.pool.Close(), e.conn.Close())
	e.pool, e.conn = nil, nil
	return err
}

func (e *sqliteEngine) close() error {
	e.files.Lock()
	defer e.files.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	err := e.lock.Close()
	if e.serving != nil {
		err = errors.Join(err, e.serving.Close())
	}
	if e.conn != nil {
		err = errors.Join(e.closeFiles(), err)
	}
	return err
}

// sqliteSource is a connection in a transaction.
type sqliteSource struct {
	conn *sqlite.Conn
	open map[string]bool // queries whose rows are being read
}

func newSource(conn *sqlite.Conn) *sqliteSource {
	return &sqliteSource{conn: conn, open: make(map[string]bool)}
}

func (s *sqliteSource) rows(query string, args []any) iter.Seq2[values, error] {
	return func(yield func(values, error) bool) {
		stmt, release, err := s.prepare(query)
		if err != nil {
			yield(nil, err)
			return
		}
		defer release()
		if err := bind(stmt, args); err != nil {
			yield(nil, err)
			return
		}
		for {
			more, err := stmt.Step()
			if err != nil {
				yield(nil, err)
				return
			}
			if !more || !yield(sqliteRow{stmt}, nil) {
				return
			}
		}
	}
}

// exec runs a statement and says how many rows it changed.
func (s *sqliteSource) exec(query string, args []any) (int, error) {
	for _, err := range s.rows(query, args) {
		if err != nil {
			return 0, err
		}
	}
	return s.conn.Changes(), nil
}

// prepare gives the kept statement of a query, or a second one while the rows of the first are being read.
func (s *sqliteSource) prepare(query string) (stmt *sqlite.Stmt, release func(), err error) {
	if s.open[query] {
		stmt, trailing, err := s.conn.PrepareTransient(query)
		if err != nil {
			return nil, nil, err
		}
		if trailing != 0 {
			_ = stmt.Finalize()
			return nil, nil, errors.New("it is more than one statement")
		}
		return stmt, func() { _ = stmt.Finalize() }, nil
	}
	stmt, err = s.conn.Prepare(query)
	if err != nil {
		return nil, nil, err
	}
	s.open[query] = true
	return stmt, func() {
		delete(s.open, query)
		_ = stmt.Reset() // reports the error of the last step again
	}, nil
}

// bind fills the placeholders of a statement with plain values.
func bind(stmt *sqlite.Stmt, args []any) error {
	if want := stmt.BindParamCount(); want != len(args) {
		return fmt.Errorf("%d arguments for %d placeholders", len(args), want)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case nil:
			stmt.BindNull(i + 1)
		case string:
			stmt.BindText(i+1, v)
		case int64:
			stmt.BindInt64(i+1, v)
		case float64:
			stmt.BindFloat(i+1, v)
		case bool:
			stmt.BindBool(i+1, v)
		case []byte:
			stmt.BindBytes(i+1, v)
		default:
			panic(fmt.Sprintf("readmodel: a %T is no plain value", arg))
		}
	}
	return nil
}

// sqliteRow is where a statement is.
type sqliteRow struct{ stmt *sqlite.Stmt }

func (r sqliteRow) column(name string) int { return r.stmt.ColumnIndex(name) }
func (r sqliteRow) null(i int) bool        { return r.stmt.ColumnIsNull(i) }
func (r sqliteRow) text(i int) string      { return r.stmt.ColumnText(i) }
func (r sqliteRow) number(i int) int64     { return r.stmt.ColumnInt64(i) }
func (r sqliteRow) float(i int) float64    { return r.stmt.ColumnFloat(i) }
func (r sqliteRow) boolean(i int) bool     { return r.stmt.ColumnBool(i) }

func (r sqliteRow) blob(i int) []byte {
	n := r.stmt.ColumnLen(i)
	if n == 0 {
		return nil
	}
	b := make([]byte, n)
	r.stmt.ColumnBytes(i, b)
	return b
}

// sqliteWriter is a transaction that writes.
type sqliteWriter struct {
	*sqliteSource
	schema generation
}

func (w *sqliteWriter) checkpoint() (eventlog.Checkpoint, error) { return loadCheckpoint(w.conn) }

func (w *sqliteWriter) setCheckpoint(at eventlog.Checkpoint) error {
	_, err := w.exec("UPDATE readmodel_checkpoint SET position = ?, stream = ?, revision = ?, event_id = ?",
		[]any{string(at.Position), at.Stream, at.Revision, at.EventID})
	return err
}

func loadCheckpoint(conn *sqlite.Conn) (eventlog.Checkpoint, error) {
	return readCheckpoint(newSource(conn))
}

// sqliteTexts are the statements of a table.
type sqliteTexts struct {
	load, insert, upsert, remove string
	lookups                      map[string]string
}

func textsOf(t *table) *sqliteTexts {
	columns := t.list("")
	made := &sqliteTexts{
		load:   "SELECT " + columns + " FROM " + t.name + " WHERE " + t.some(t.key, "", " = ?", " AND "),
		insert: "INSERT INTO " + t.name + " (" + columns + ") VALUES (?" + strings.Repeat(", ?", len(t.columns)-1) + ")",
		remove: "DELETE FROM " + t.name + " WHERE " + t.some(t.key, "", " = ?", " AND "),
	}
	made.upsert = made.insert + " ON CONFLICT DO NOTHING"
	if rest := t.rest(); len(rest) > 0 {
		sets := make([]string, len(rest))
		for n, i := range rest {
			sets[n] = t.columns[i].name + " = excluded." + t.columns[i].name
		}
		made.upsert = made.insert + " ON CONFLICT DO UPDATE SET " + strings.Join(sets, ", ")
	}
	made.lookups = make(map[string]string, len(t.lookups))
	for _, by := range t.lookups {
		// The query names the rows that the index leaves out, or SQLite would not use it.
		made.lookups[by.name] = "SELECT " + columns + " FROM " + t.name + " WHERE " + t.some(by.columns, "", " = ?", " AND ") + " AND " + t.filled(by)
	}
	return made
}

func (w *sqliteWriter) texts(t *table) *sqliteTexts {
	made := w.schema.texts[t]
	if made == nil {
		made = textsOf(t)
		w.schema.texts[t] = made
	}
	return made
}

func (w *sqliteWriter) load(t *table, key []any) ([]any, error) {
	found, err := w.all(t, w.texts(t).load, key)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func (w *sqliteWriter) lookup(t *table, by index, values []any) ([][]any, error) {
	return w.all(t, w.texts(t).lookups[by.name], values)
}

func (w *sqliteWriter) all(t *table, query string, args []any) ([][]any, error) {
	return t.collect(w.rows(query, args))
}

func (w *sqliteWriter) put(t *table, rows [][]any, fresh bool) error {
	if fresh {
		return w.each(t, w.texts(t).insert, rows)
	}
	return w.each(t, w.texts(t).upsert, rows)
}

func (w *sqliteWriter) remove(t *table, keys [][]any) error {
	return w.each(t, w.texts(t).remove, keys)
}

// each runs a statement for each list of arguments.
func (w *sqliteWriter) each(t *table, query string, all [][]any) error {
	stmt, err := w.conn.Prepare(query)
	for _, args := range all {
		if err == nil {
			err = bind(stmt, args)
		}
		if err == nil {
			_, err = stmt.Step()
		}
		if err == nil {
			err = stmt.Reset()
		}
		if err != nil {
			return fmt.Errorf("write table %s: %w", t.name, err)
		}
	}
	return nil
}

func (w *sqliteWriter) reset() error {
	// Freed pages are overwritten: their rows may have been erased on purpose.
	err := sqlitedb.Exec(w.conn, "PRAGMA secure_delete = on")
	if err == nil {
		err = dropTables(w.conn)
	}
	if err == nil {
		err = sqlitedb.Exec(w.conn, "PRAGMA secure_delete = off")
	}
	if err != nil {
		return err
	}
	return createTables(w.conn, w.schema)
}
