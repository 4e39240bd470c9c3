package sqlitedb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
)

func newFile(t *testing.T) (path string, conn *sqlite.Conn) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	conn, err := sqlitedb.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	require.NoError(t, sqlitedb.EnableWAL(t.Context(), conn))
	require.NoError(t, sqlitedb.Exec(conn, "CREATE TABLE t (a)"))
	return path, conn
}

// A path is a file name, whatever characters it has; the file is its owner's.
func TestOpenTakesThePathLiterally(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"file:a?mode=memory", ":memory:", "a b%20c#d"} {
		path := filepath.Join(t.TempDir(), name)
		conn, err := sqlitedb.Open(path)
		require.NoError(t, err)
		require.NoError(t, sqlitedb.Exec(conn, "CREATE TABLE t (a)"))
		require.NoError(t, conn.Close())
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Positive(t, info.Size())
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

// A transaction whose function fails or panics leaves nothing, and the connection can be used.
func TestImmediate(t *testing.T) {
	t.Parallel()
	_, conn := newFile(t)
	insert := func() error { return sqlitedb.Exec(conn, "INSERT INTO t VALUES (1)") }
	failure := errors.New("failure")
	require.ErrorIs(t, sqlitedb.Immediate(conn, func() error { return errors.Join(insert(), failure) }), failure)
	require.Panics(t, func() {
		_ = sqlitedb.Immediate(conn, func() error {
			require.NoError(t, insert())
			panic("in fn")
		})
	})
	require.NoError(t, sqlitedb.Immediate(conn, insert))
	n, err := sqlitedb.Int(conn, "SELECT count(*) FROM t")
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
}

// A pool lends at most its size, read-only, and its Close waits for what is lent.
func TestPool(t *testing.T) {
	t.Parallel()
	path, _ := newFile(t)
	pool := sqlitedb.NewPool(path, 2, nil)
	one, err := pool.Get(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, sqlitedb.Exec(one, "INSERT INTO t VALUES (1)"), "readonly")
	two, err := pool.Get(t.Context())
	require.NoError(t, err)

	waiting, cancel := context.WithCancel(t.Context())
	none := make(chan error, 1)
	go func() {
		_, err := pool.Get(waiting)
		none <- err
	}()
	cancel()
	require.ErrorIs(t, <-none, context.Canceled)

	pool.Put(two)
	again, err := pool.Get(t.Context())
	require.NoError(t, err)
	require.Same(t, two, again, "an open connection is used again")

	closed := make(chan error, 1)
	go func() { closed <- pool.Close() }()
	pool.Put(again)
	select {
	case <-closed:
		require.Fail(t, "closed while a connection is lent")
	default:
	}
	pool.Put(one)
	require.NoError(t, <-closed)
	_, err = pool.Get(t.Context())
	require.ErrorIs(t, err, sqlitedb.ErrPoolClosed)
}

// A connection that cannot be prepared is closed, and its place is free again.
func TestPoolPrepare(t *testing.T) {
	t.Parallel()
	path, _ := newFile(t)
	fail := true
	pool := sqlitedb.NewPool(path, 1, func(*sqlite.Conn) error {
		if fail {
			return errors.New("not now")
		}
		return nil
	})
	_, err := pool.Get(t.Context())
	require.ErrorContains(t, err, "not now")
	fail = false
	conn, err := pool.Get(t.Context())
	require.NoError(t, err)
	pool.Put(conn)
	require.NoError(t, pool.Close())
}

// Errors are told apart by what they mean to the caller.
func TestErrorKinds(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(error) bool{"full": sqlitedb.IsFull, "busy": sqlitedb.IsBusy, "damaged": sqlitedb.IsDamaged, "I/O": sqlitedb.IsIO, "unwritable": sqlitedb.IsUnwritable}
	for kind, errs := range map[string][]error{
		"full":       {sqlite.ResultFull.ToError(), sqlite.ResultIOErrSHMSize.ToError(), syscall.ENOSPC, syscall.EDQUOT},
		"busy":       {sqlite.ResultBusy.ToError(), sqlite.ResultBusySnapshot.ToError(), sqlite.ResultLocked.ToError()},
		"damaged":    {sqlite.ResultCorrupt.ToError(), sqlite.ResultNotADB.ToError()},
		"I/O":        {sqlite.ResultIOErrFsync.ToError(), sqlite.ResultIOErrWrite.ToError()},
		"unwritable": {sqlite.ResultReadOnly.ToError(), sqlite.ResultReadOnlyDirectory.ToError(), sqlite.ResultCantOpen.ToError()},
		"none":       {nil, errors.New("other"), sqlite.ResultConstraint.ToError()},
	} {
		for _, err := range errs {
			if err != nil {
				err = fmt.Errorf("wrapped: %w", err)
			}
			for name, is := range kinds {
				require.Equalf(t, name == kind, is(err), "is %v %s?", err, name)
			}
		}
	}
}
