package readmodel

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kintsugi-run/kintsugi/internal/database/pgschema"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// pgEngine keeps a generation in a schema of its own in a PostgreSQL database, which all nodes share. One of them
// applies: the one whose session holds the claim. It keeps it until it ends, so that the rows that it has in memory
// stay right; the others see what it applied, and one of them takes over when its session is gone.
type pgEngine struct {
	config *pgxpool.Config
	schema string
	of     generation
	texts  map[*table]*pgTexts
	logger *slog.Logger
	pool   *pgxpool.Pool // that queries read by
	closed atomic.Bool

	mu       sync.Mutex           // of what follows; held for as long as the session is used
	session  *pgx.Conn            // that writes and holds the locks; nil if there is none
	claimed  bool                 // by the session
	serving  bool                 // this process answers people
	prepared map[string]*pgx.Conn // statements, by where they are prepared
}

// Purposes of the advisory locks of a generation.
const (
	lockMaking = "making" // while its tables are made or dropped
	lockUse    = "use"    // shared by everybody who has it open
	lockClaim  = "claim"  // by who applies
	lockServe  = "serve"  // shared by who answers people
)

// pgLock is the number of an advisory lock. Numbers of one database do not meet those of another.
func pgLock(schema, what string) int64 {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte("kintsugi " + schema + " " + what)) // it never fails
	return int64(digest.Sum64())
}

const (
	pgConnectTimeout = 3 * time.Second
	pgOldest         = 13_00_00
)

// pgDialer notices soon that a server does not answer any more.
var pgDialer = &net.Dialer{
	Timeout:         pgConnectTimeout,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
}

// pgConfig reads the address of a database. Its error does not repeat the address, which may hold a password.
func pgConfig(url, schema string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("readmodel: the address of the database is not understood, it is to be like postgres://user@host/database: %w", errors.Unwrap(err))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = pgConnectTimeout
	}
	params := config.ConnConfig.RuntimeParams
	params["client_encoding"] = "UTF8"
	if params["application_name"] == "" {
		params["application_name"] = "kintsugi views"
	}
	if schema != "" {
		config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "SET search_path = "+schema, pgx.QueryExecModeSimpleProtocol) // a pooler takes none at the beginning
			return err
		}
	}
	config.ConnConfig.DialFunc = pgDialer.DialContext
	config.MaxConns, config.MinConns = readers, 0
	return config, nil
}

// openPostgres opens a generation, making its schema if there is none.
func openPostgres(ctx context.Context, url string, of generation, logger *slog.Logger) (*pgEngine, error) {
	e := &pgEngine{schema: of.name(), of: of, texts: make(map[*table]*pgTexts), prepared: make(map[string]*pgx.Conn), logger: logger}
	for _, t := range of.tables {
		e.texts[t] = pgTextsOf(t)
	}
	var err error
	if e.config, err = pgConfig(url, e.schema); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.connect(ctx); err != nil {
		return nil, fmt.Errorf("readmodel: open the views in database %q on %s: %w", e.config.ConnConfig.Database, e.config.ConnConfig.Host, explainPostgres(err))
	}
	if e.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), e.config); err != nil {
		return nil, errors.Join(fmt.Errorf("readmodel: %w", err), e.session.Close(ctx))
	}
	return e, nil
}

func (e *pgEngine) place() string { return "schema " + e.schema }

// connect begins a session: it makes the generation if it is not there, and says that it is in use.
func (e *pgEngine) connect(ctx context.Context) (err error) {
	conn, err := pgx.ConnectConfig(ctx, e.config.ConnConfig)
	if err != nil {
		return away(err)
	}
	defer func() {
		if err != nil {
			_ = conn.Close(context.WithoutCancel(ctx)) // it is given up
		}
	}()
	if err := examinePostgres(ctx, conn); err != nil {
		return err
	}
	// Events that are lost with the server's memory are applied again: rows and checkpoint are lost together.
	settings := `SET search_path = ` + e.schema + `; SET synchronous_commit = off; SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'`
	if _, err := conn.Exec(ctx, settings, pgx.QueryExecModeSimpleProtocol); err != nil {
		return away(err)
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", pgLock(e.schema, lockMaking)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", pgLock(e.schema, lockUse)); err != nil {
			return err
		}
		if e.serving {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", pgLock(e.schema, lockServe)); err != nil {
				return err
			}
		}
		var there bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", e.schema+".readmodel_checkpoint").Scan(&there); err != nil {
			return err
		}
		if there {
			_, err := tx.Exec(ctx, "UPDATE readmodel_generation SET used = now()")
			return err
		}
		return e.create(ctx, tx)
	})
	if err != nil {
		return away(err)
	}
	e.session, e.claimed = conn, false
	return nil
}

// examinePostgres refuses a server that the views cannot be kept on, and says what to do.
func examinePostgres(ctx context.Context, conn *pgx.Conn) error {
	var pid uint32
	var version int
	var standby bool
	var readOnly, encoding string
	err := conn.QueryRow(ctx, `SELECT pg_backend_pid(), current_setting('server_version_num')::int, pg_is_in_recovery(), current_setting('default_transaction_read_only'),
		(SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database())`, pgx.QueryExecModeExec).
		Scan(&pid, &version, &standby, &readOnly, &encoding)
	if err != nil {
		return away(err)
	}
	var faults []error
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if version < pgOldest {
		refuse("the server is PostgreSQL %d; views need 13 or newer", version/10000)
	}
	if standby {
		refuse("the server is a standby, which cannot be written to; name the primary in --views")
	}
	if readOnly == "on" {
		refuse("default_transaction_read_only is on; set it off where it was set: postgresql.conf, ALTER ROLE, ALTER DATABASE or the address")
	}
	if encoding != "UTF8" {
		refuse("the encoding of the database is %s; make one with ENCODING 'UTF8'", encoding)
	}
	if pid != conn.PgConn().PID() { // a pooler makes up the number that a client is told when it connects
		refuse("a pooler (PgBouncer) is between this program and the server, and who applies views needs a session of its own: name the server itself in --views, or a directory to keep views in files")
	}
	return errors.Join(faults...)
}

var pgTypes = types{
	kindText: `TEXT COLLATE "C"`, kindInt: "BIGINT", kindFloat: "DOUBLE PRECISION", kindBool: "BOOLEAN", kindTime: "BIGINT", kindBytes: "BYTEA",
	kindRaw: `TEXT COLLATE "C"`, kindJSON: `TEXT COLLATE "C"`,
}

const pgOwn = `
CREATE TABLE readmodel_generation (fingerprint TEXT NOT NULL, state TEXT NOT NULL, used TIMESTAMPTZ NOT NULL);
CREATE TABLE readmodel_checkpoint (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  position TEXT NOT NULL,
  stream   TEXT NOT NULL,
  revision BIGINT NOT NULL,
  event_id TEXT NOT NULL
);
INSERT INTO readmodel_checkpoint VALUES (1, '', '', 0, '');
`

// create makes the schema and its tables.
func (e *pgEngine) create(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+e.schema+" CASCADE"); err != nil { // what somebody left of it by hand
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE SCHEMA "+e.schema); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, pgOwn, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "INSERT INTO readmodel_generation VALUES ($1, $2, now())", e.of.fingerprint, StateBuilding); err != nil {
		return err
	}
	for _, t := range e.of.tables {
		for _, statement := range t.ddl(pgTypes, "") {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
	}
	return nil
}

// with runs fn on the session, which it begins if there is none. A session that broke is given up, and its claim with it.
// Fn is not cut short: to cancel a statement is to break the session.
func (e *pgEngine) with(ctx context.Context, fn func(context.Context, *pgx.Conn) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		return ErrClosed
	}
	if e.session != nil && e.session.IsClosed() {
		e.session, e.claimed = nil, false
	}
	if e.session == nil {
		if err := e.connect(ctx); err != nil {
			return err
		}
	}
	return fn(context.WithoutCancel(ctx), e.session)
}

// claim takes the claim, or says at once that somebody else has it.
func (e *pgEngine) claim(ctx context.Context, keep bool) (release func(), err error) {
	err = e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if e.claimed {
			return nil
		}
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", pgLock(e.schema, lockClaim)).Scan(&e.claimed); err != nil {
			return away(err)
		}
		if !e.claimed {
			return errClaimed
		}
		return nil
	})
	if keep {
		return func() {}, err
	}
	return func() { e.unclaim(ctx) }, err
}

// unclaim lets others apply: who only waited for an event may be idle for long.
func (e *pgEngine) unclaim(ctx context.Context) {
	_ = e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error { // a session that broke has no claim any more
		if !e.claimed {
			return nil
		}
		e.claimed = false
		_, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", pgLock(e.schema, lockClaim))
		return err
	})
}

func (e *pgEngine) origin(ctx context.Context, first string) (of string, err error) {
	err = e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, "SELECT coalesce(obj_description(to_regnamespace($1)::oid, 'pg_namespace'), '')", e.schema).Scan(&of)
		if err != nil || of != "" || first == "" {
			return away(err)
		}
		of = first
		_, err = conn.Exec(ctx, "COMMENT ON SCHEMA "+e.schema+" IS '"+strings.ReplaceAll(first, "'", "''")+"'")
		return away(err)
	})
	return of, err
}

func (e *pgEngine) checkpoint(ctx context.Context) (at eventlog.Checkpoint, err error) {
	err = e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		at, err = pgCheckpoint(ctx, conn)
		return err
	})
	return at, err
}

// pgQuerier is a connection, or a transaction.
type pgQuerier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

func pgCheckpoint(ctx context.Context, conn pgQuerier) (at eventlog.Checkpoint, err error) {
	err = conn.QueryRow(ctx, "SELECT position, stream, revision, event_id FROM readmodel_checkpoint").Scan(&at.Position, &at.Stream, &at.Revision, &at.EventID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errors.New("readmodel: the checkpoint is missing")
	}
	return at, away(err)
}

func (e *pgEngine) write(ctx context.Context, fn func(writer) error) error {
	return e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if !e.claimed { // the session broke, and the claim with it
			return errMoved
		}
		tx, err := conn.Begin(ctx)
		if err != nil {
			return away(err)
		}
		if err := fn(&pgWriter{pgSource: pgSource{ctx: ctx, conn: conn}, engine: e}); err != nil {
			if failed := tx.Rollback(ctx); failed != nil {
				_ = conn.Close(ctx) // no state to go on from
			}
			return err
		}
		return away(tx.Commit(ctx))
	})
}

func (e *pgEngine) read(ctx context.Context, fn func(source) error) error {
	conn, tx, err := e.snapshot(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it has written nothing
	if live, err := pgLive(ctx, tx); err != nil || !live {
		return cmp.Or(err, errBuilding)
	}
	return fn(&pgSource{ctx: ctx, conn: conn.Conn()})
}

func pgLive(ctx context.Context, conn pgQuerier) (live bool, err error) {
	err = conn.QueryRow(ctx, "SELECT state = $1 FROM readmodel_generation", StateLive).Scan(&live)
	return live, away(err)
}

func (e *pgEngine) live(ctx context.Context) (live bool, err error) {
	err = e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		live, err = pgLive(ctx, conn)
		return err
	})
	return live, err
}

func (e *pgEngine) serve(ctx context.Context) error {
	return e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if e.serving {
			return nil
		}
		e.serving = true
		_, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", pgLock(e.schema, lockServe))
		return away(err)
	})
}

func (e *pgEngine) served(ctx context.Context) (bool, error) {
	free := false
	err := e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return away(conn.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", pgLock(e.schema, lockServe)).Scan(&free))
	})
	return !free, err
}

func (e *pgEngine) goLive(ctx context.Context) error {
	return e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		for _, t := range e.of.tables {
			// Each by itself: a transaction that writes for long keeps the readers of a log in the same server waiting. Without
			// ANALYZE the first plans would be made without knowing what is there.
			for _, statement := range append(t.indexed(), "ANALYZE "+t.name) {
				if _, err := conn.Exec(ctx, statement); err != nil {
					return away(err)
				}
			}
		}
		_, err := conn.Exec(ctx, "UPDATE readmodel_generation SET state = $1", StateLive)
		return away(err)
	})
}

// snapshot begins a transaction that sees one state. A connection of the pool may have broken since it was used last:
// then the next one is taken.
func (e *pgEngine) snapshot(ctx context.Context) (*pgxpool.Conn, pgx.Tx, error) {
	for tries := 0; ; tries++ {
		if e.closed.Load() {
			return nil, nil, ErrClosed
		}
		conn, err := e.pool.Acquire(ctx)
		if err != nil {
			return nil, nil, away(err)
		}
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err == nil {
			return conn, tx, nil
		}
		conn.Release()
		if tries == readers || ctx.Err() != nil {
			return nil, nil, away(err)
		}
	}
}

// replace makes the generation anew. A process that has it open sees the new one with its next transaction.
func (e *pgEngine) replace(ctx context.Context, damage error) error {
	return e.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		e.logger.Warn("views are damaged: dropped, and rebuilt from the event log", "schema", e.schema, "error", damage)
		return away(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", pgLock(e.schema, lockMaking)); err != nil {
				return err
			}
			return e.create(ctx, tx)
		}))
	})
}

// scrub has nothing to do: a table that is emptied gets new files.
func (*pgEngine) scrub() error { return nil }

func pgBytes(ctx context.Context, conn *pgx.Conn, schema string) (total int64, err error) {
	err = conn.QueryRow(ctx, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind = 'r'`, schema).Scan(&total)
	return total, away(err)
}

func (e *pgEngine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		return nil
	}
	e.closed.Store(true)
	e.pool.Close()
	if e.session != nil {
		_ = e.session.Close(context.Background()) // the server may be gone
	}
	return nil
}

// pgSource answers queries on a connection in a transaction.
type pgSource struct {
	ctx  context.Context
	conn *pgx.Conn
	// stream says that no other query comes while the rows of one are read.
	stream bool
}

// rows reads all rows before it yields the first, unless it may stream: a connection answers one query at a time.
func (s *pgSource) rows(query string, args []any) iter.Seq2[values, error] {
	return func(yield func(values, error) bool) {
		for i, arg := range args {
			if text, is := arg.(string); is {
				args[i] = storable(text)
			}
		}
		found, err := s.conn.Query(s.ctx, pgPlaceholders(query), args...)
		if err != nil {
			yield(nil, away(err))
			return
		}
		var all [][]any
		fields := found.FieldDescriptions()
		columns := make([]string, len(fields))
		for i, field := range fields {
			columns[i] = field.Name
		}
		defer found.Close()
		for found.Next() {
			row, err := found.Values()
			if err != nil {
				yield(nil, away(err))
				return
			}
			if !s.stream {
				all = append(all, row)
			} else if !yield(pgRow{columns, row}, nil) {
				return
			}
		}
		if err := found.Err(); err != nil {
			yield(nil, away(err))
			return
		}
		for _, row := range all {
			if !yield(pgRow{columns, row}, nil) {
				return
			}
		}
	}
}

// pgPlaceholders numbers the placeholders of a query. Question marks in texts are left alone.
func pgPlaceholders(query string) string {
	if made, known := pgNumbered.Load(query); known {
		return made.(string)
	}
	var b strings.Builder
	n, quoted := 0, false
	for _, c := range []byte(query) {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == '?' && !quoted:
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteByte(c)
	}
	pgNumbered.Store(query, b.String())
	return b.String()
}

// pgNumbered are queries with numbers; a program has so many of them and no more.
var pgNumbered sync.Map

// pgRow is a row of an answer.
type pgRow struct {
	columns []string
	row     []any
}

func (r pgRow) column(name string) int {
	for i, column := range r.columns {
		if column == name {
			return i
		}
	}
	return -1
}

func (r pgRow) null(i int) bool { return r.row[i] == nil }

func (r pgRow) text(i int) string {
	switch v := r.row[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	}
	return fmt.Sprint(r.row[i])
}

func (r pgRow) number(i int) int64 {
	switch v := r.row[i].(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	case int16:
		return int64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return int64(r.float(i))
}

func (r pgRow) float(i int) float64 {
	switch v := r.row[i].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case int32:
		return float64(v)
	case driver.Valuer: // a sum of whole numbers has no bound
		text, _ := v.Value()
		number, _ := strconv.ParseFloat(fmt.Sprint(text), 64)
		return number
	}
	return 0
}

func (r pgRow) boolean(i int) bool {
	if v, is := r.row[i].(bool); is {
		return v
	}
	return r.number(i) != 0
}

// all is all columns as SQLite would have them: nil, int64, float64, string or [blob].
func (r pgRow) all() []any {
	all := make([]any, len(r.row))
	for i, value := range r.row {
		switch v := value.(type) {
		case bool, int16, int32:
			all[i] = r.number(i)
		case []byte:
			all[i] = blob(v)
		default:
			all[i] = v
		}
	}
	return all
}

func (r pgRow) blob(i int) []byte {
	switch v := r.row[i].(type) {
	case []byte:
		return v
	case string:
		if v != "" {
			return []byte(v)
		}
	}
	return nil
}

// awayError is of a connection: it broke, or could not be made.
type awayError struct{ error }

func (e *awayError) Unwrap() error { return e.error }

// Is implements the interface of [errors.Is]: who asks is told to come back.
func (e *awayError) Is(target error) bool {
	return target == eventlog.ErrUnavailable && pgschema.IsAway(e.error)
}

// away marks what is not the server's own word about what it was asked: it was not reached, or serves nobody.
func away(err error) error {
	if err == nil {
		return nil
	}
	_, said := errors.AsType[*pgconn.PgError](err)
	_, marked := errors.AsType[*awayError](err)
	if said && !pgschema.IsAway(err) || marked || errors.Is(err, errMoved) {
		return err
	}
	return &awayError{err}
}

func (e *pgEngine) trouble(err error) trouble { return pgTrouble(err) }

// pgTrouble judges by the classes of https://www.postgresql.org/docs/current/errcodes-appendix.html.
func pgTrouble(err error) trouble {
	fault, said := errors.AsType[*pgconn.PgError](err)
	if !said {
		if _, is := errors.AsType[*awayError](err); is {
			return troubleBroken
		}
		if errors.Is(err, syscall.ENOSPC) {
			return troublePassing
		}
		if _, is := errors.AsType[*projectionError](err); is {
			return troubleValue
		}
		return troubleOther
	}
	switch fault.Code {
	case "XX001", "XX002", "3F000", "42P01": // damaged data or index; no such schema or table
		return troubleDamaged
	}
	if pgschema.IsAway(err) {
		return troubleBroken
	}
	switch fault.Code[:2] {
	case "08", "40", "57": // connection, conflict, ended by an operator
		return troubleBroken
	case "53", "55", "58": // resources, not now, disk
		return troublePassing
	case "22", "23", "54": // value, constraint, too large
		return troubleValue
	}
	return troubleOther
}

// explainPostgres says what to do about what a person can mend.
func explainPostgres(err error) error {
	fault, said := errors.AsType[*pgconn.PgError](err)
	if !said {
		return err
	}
	switch fault.Code {
	case "42501":
		return fmt.Errorf("%w; let the role make schemas (GRANT CREATE ON DATABASE … TO …), or name another database, or a directory, in --views", err)
	case "53100":
		return fmt.Errorf("%w; make room on the server's disk, or drop old generations (kintsugi projection list, drop)", err)
	case "53300":
		return fmt.Errorf("%w; raise max_connections: each node needs up to %d", err, readers+1)
	case "3D000":
		return fmt.Errorf("%w; make it (CREATE DATABASE … ENCODING 'UTF8')", err)
	}
	return err
}
