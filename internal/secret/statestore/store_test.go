package statestore_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := pgtest.StopShared(); err != nil {
		panic(err)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// store is what every backend keeps its promises as.
type store interface {
	vault.Store
	watermillsub.Groups
	watermillsub.Ledger
	io.Closer
}

// backends make a place, and give a function that opens it once more, as another process would.
var backends = map[string]func(t *testing.T) (open func() (store, error)){
	"sqlite": func(t *testing.T) func() (store, error) {
		path := filepath.Join(t.TempDir(), "state.db")
		return func() (store, error) { return statestore.OpenSQLite(t.Context(), path) }
	},
	"postgres": func(t *testing.T) func() (store, error) {
		url := pgtest.Database(t)
		return func() (store, error) {
			return statestore.OpenPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
		}
	},
}

func onEach(t *testing.T, test func(t *testing.T, open func() store)) {
	t.Parallel()
	for name, place := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := place(t)
			test(t, func() store {
				opened, err := open()
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, opened.Close()) })
				return opened
			})
		})
	}
}

func entry(name, workflow, sealed string) vault.Entry {
	at := time.Date(2026, 3, 1, 8, 0, 0, 123_000, time.UTC)
	return vault.Entry{
		Secret:     vault.Secret{Binding: vault.Binding{Name: name, Workflow: workflow, Hosts: []string{"a.example.test", "b.example.test:8443"}}, SetAt: at},
		WrappedKey: []byte("wrapped\x00" + sealed), Sealed: []byte(sealed),
	}
}

// A value that is put is there for everybody, as it was put, until it is replaced or removed.
func TestSecretsAreShared(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		one, other := open(), open()
		all, err := other.Secrets(t.Context())
		require.NoError(t, err)
		require.Empty(t, all)
		for _, e := range []vault.Entry{entry("b", "", "1"), entry("a", "w2", "2"), entry("a", "", "3"), entry("B", "", "4")} {
			require.NoError(t, one.PutSecret(t.Context(), e))
		}
		want := []vault.Entry{entry("B", "", "4"), entry("a", "", "3"), entry("a", "w2", "2"), entry("b", "", "1")}
		all, err = other.Secrets(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, all, "ordered by name and workflow, byte by byte")

		replaced := entry("a", "w2", "another")
		replaced.Hosts = []string{"c.example.test"}
		require.NoError(t, other.PutSecret(t.Context(), replaced))
		removed, err := other.RemoveSecret(t.Context(), "a", "")
		require.NoError(t, err)
		require.True(t, removed)
		removed, err = one.RemoveSecret(t.Context(), "a", "")
		require.NoError(t, err)
		require.False(t, removed)
		all, err = open().Secrets(t.Context())
		require.NoError(t, err)
		require.Equal(t, []vault.Entry{want[0], replaced, want[3]}, all)
	})
}

// Many may open an empty place at the same time, and what each puts is kept.
func TestConcurrentChangesAreAllKept(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		var group sync.WaitGroup
		failed := make([]error, 6)
		stores := make([]store, len(failed))
		for i := range failed {
			group.Go(func() {
				stores[i] = open()
				failed[i] = stores[i].PutSecret(t.Context(), entry(fmt.Sprintf("s%02d", i), "", "x"))
			})
		}
		group.Wait()
		for _, err := range failed {
			require.NoError(t, err)
		}
		all, err := stores[0].Secrets(t.Context())
		require.NoError(t, err)
		require.Len(t, all, len(failed))
	})
}

// A secret is swapped only for the one that was seen, by whomever it was put.
func TestSwapsAreOfWhatWasSeen(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		one, other := open(), open()
		swap := func(s store, e vault.Entry, sealed []byte) bool {
			swapped, err := s.SwapSecret(t.Context(), e, sealed)
			require.NoError(t, err)
			return swapped
		}
		require.False(t, swap(one, entry("a", "w", "2"), []byte("1")), "there is none")
		require.True(t, swap(one, entry("a", "w", "1"), nil))
		require.False(t, swap(other, entry("a", "w", "2"), nil), "there is one")
		require.True(t, swap(one, entry("a", "", "1"), nil), "of another workflow")
		require.False(t, swap(other, entry("a", "w", "2"), []byte("0")))
		replaced := entry("a", "w", "2")
		replaced.Hosts = []string{"c.example.test"}
		require.True(t, swap(other, replaced, []byte("1")))
		require.False(t, swap(one, entry("a", "w", "3"), []byte("1")))
		all, err := one.Secrets(t.Context())
		require.NoError(t, err)
		require.Equal(t, []vault.Entry{entry("a", "", "1"), replaced}, all)
	})
}

// Many may widen the same secret at the same time, and each of the hosts is reached then.
func TestConcurrentBindingsAreAllKept(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		key, err := vault.ParseKey("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
		require.NoError(t, err)
		at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
		first := vault.New(open(), key)
		require.NoError(t, first.Set(t.Context(), vault.Binding{Name: "A", Hosts: []string{"all.test"}}, "sesame", at))
		var group sync.WaitGroup
		failed := make([]error, 6)
		for i := range failed {
			v := vault.New(open(), key)
			group.Go(func() { failed[i] = v.Bind(t.Context(), "A", "w", []string{fmt.Sprintf("h%d.test", i)}, at) })
		}
		group.Wait()
		for i, err := range failed {
			require.NoError(t, err)
			_, ok, err := first.Value(t.Context(), "w", "A", fmt.Sprintf("h%d.test", i))
			require.NoError(t, err)
			require.True(t, ok, i)
		}
	})
}

// A caller that asks in vain, because the time has passed, is told.
func TestTheContextEndsWaiting(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		opened := open()
		_, err := opened.Secrets(ended)
		require.Error(t, err)
		require.NoError(t, opened.PutSecret(t.Context(), entry("a", "", "x")), "and it goes on")
	})
}

// A newer program's store is refused, and the file is its owner's only.
func TestSQLiteFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	opened, err := statestore.OpenSQLite(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)

	conn, err := sqlitedb.Open(path)
	require.NoError(t, err)
	require.NoError(t, sqlitedb.Exec(conn, "PRAGMA user_version = 99"))
	require.NoError(t, conn.Close())
	_, err = statestore.OpenSQLite(t.Context(), path)
	require.ErrorContains(t, err, "made by a newer version of this program")
}

// A newer program's tables are refused, and an address that is wrong is not repeated.
func TestPostgresIsRefused(t *testing.T) {
	t.Parallel()
	url, logger := pgtest.Database(t), slog.New(slog.DiscardHandler)
	opened, err := statestore.OpenPostgres(t.Context(), url, logger)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	pgtest.Exec(t, url, "INSERT INTO kintsugi_state.goose_db_version (version_id, is_applied) VALUES (99, true)")
	_, err = statestore.OpenPostgres(t.Context(), url, logger)
	require.ErrorContains(t, err, "made by a newer version of this program")
	_, err = statestore.OpenPostgres(t.Context(), "postgres://ann:s3cret@%zz/x", logger)
	require.ErrorContains(t, err, "is not understood")
	require.NotContains(t, err.Error(), "s3cret")
}
