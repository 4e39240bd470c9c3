package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// BusyTimeout is how long a connection waits for a lock that another connection
// or process holds. Our transactions take milliseconds, but nobody stands in line, and on a busy
// machine one who waits may be unlucky for long; a holder that keeps a lock this long is stuck.
const BusyTimeout = 30 * time.Second

// Open opens a connection to the database file at path, which is created (for this
// user only) if there is none. The connection may be used by one goroutine at a time.
// The path is taken literally: no URI, no memory database.
func Open(path string) (*sqlite.Conn, error) {
	// SQLite would create it readable for everybody; its -wal and -shm files copy the mode.
	// The descriptor is closed before SQLite opens the file: closing it later would drop
	// the POSIX locks of this process on that file.
	created, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case err == nil:
		if err := created.Close(); err != nil {
			return nil, err
		}
	case !errors.Is(err, os.ErrExist):
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(BusyTimeout)
	return conn, nil
}

// EnableWAL switches the database to write-ahead logging, which is remembered in the file.
func EnableWAL(ctx context.Context, conn *sqlite.Conn) error {
	// The switch takes an exclusive lock and SQLite does not wait for it in every case,
	// so two processes that create a file at the same moment meet here.
	deadline := time.Now().Add(BusyTimeout)
	for {
		mode, err := Text(conn, "PRAGMA journal_mode = wal")
		if err == nil && mode != "wal" {
			return fmt.Errorf("sqlitedb: this file system does not support write-ahead logging (journal mode stays %q); use a local disk", mode)
		}
		if err == nil || !IsBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Exec runs one statement that returns nothing of interest. The statement is not kept.
func Exec(conn *sqlite.Conn, query string) error {
	return sqlitex.ExecuteTransient(conn, query, nil)
}

// Int runs a query of one row and one integer column; no row is 0.
func Int(conn *sqlite.Conn, query string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// Text runs a query of one row and one text column; no row is "".
func Text(conn *sqlite.Conn, query string) (s string, err error) {
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		s = stmt.ColumnText(0)
		return nil
	}})
	return s, err
}

// Prepare gives a statement that the connection keeps prepared, with its parameters bound: an int, int64,
// string or []byte each. It is to be reset after use, so that it holds no lock.
func Prepare(conn *sqlite.Conn, query string, parameters ...any) (*sqlite.Stmt, error) {
	stmt, err := conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	for i, parameter := range parameters {
		switch value := parameter.(type) {
		case int:
			stmt.BindInt64(i+1, int64(value))
		case int64:
			stmt.BindInt64(i+1, value)
		case string:
			stmt.BindText(i+1, value)
		case []byte:
			stmt.BindBytes(i+1, value)
		default:
			panic(fmt.Sprintf("sqlitedb: a parameter of %q is a %T", query, value))
		}
	}
	return stmt, nil
}

// Do runs a statement that returns nothing of interest, as [Prepare] gives it.
func Do(conn *sqlite.Conn, query string, parameters ...any) error {
	stmt, err := Prepare(conn, query, parameters...)
	if err != nil {
		return err
	}
	if _, err = stmt.Step(); err != nil {
		return err
	}
	return stmt.Reset()
}

// Immediate runs fn in a transaction that holds the write lock from its start, so that what
// fn reads cannot change before it commits. An error or a panic of fn rolls back.
// If the commit itself fails the transaction is rolled back; after a failed
// fsync it is nevertheless possible that a crash brings it back.
func Immediate(conn *sqlite.Conn, fn func() error) error {
	return transaction(conn, "BEGIN IMMEDIATE", fn)
}

// Snapshot runs fn in a read transaction: every query of fn sees the same state.
func Snapshot(conn *sqlite.Conn, fn func() error) error {
	return transaction(conn, "BEGIN", fn)
}

func transaction(conn *sqlite.Conn, begin string, fn func() error) error {
	if err := Do(conn, begin); err != nil {
		return err
	}
	committed := false
	defer func() {
		// Some errors (disk full, I/O) make SQLite roll back on its own.
		if !committed && !conn.AutocommitEnabled() {
			conn.SetInterrupt(nil) // an interrupted connection could not roll back
			_ = Do(conn, "ROLLBACK")
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if err := Do(conn, "COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}
