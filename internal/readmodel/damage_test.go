package readmodel_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// A file that is damaged when it is opened is dropped with a warning and rebuilt.
func TestDamagedAtOpen(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(whole []byte) []byte{
		"no database": func([]byte) []byte { return bytes.Repeat([]byte("no database\n"), 1000) },
		"half of it":  func(whole []byte) []byte { return whole[:len(whole)/2] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, dir := newLog(t), t.TempDir()
			grow(t, log, 500)
			store := open(t, dir, log)
			require.NoError(t, store.CatchUp(t.Context()))
			require.NoError(t, store.Close())
			whole, err := os.ReadFile(store.Path())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(store.Path(), damage(whole), 0o600))

			store, said := openLogged(t, dir, log)
			require.Contains(t, said.String(), "views are damaged")
			require.Contains(t, said.String(), filepath.Base(store.Path()))
			require.NoError(t, store.CatchUp(t.Context()))
			require.Equal(t, fold(t, log), rows(t, store))
		})
	}
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		log, dir := newLog(t), t.TempDir()
		grow(t, log, 10)
		store := open(t, dir, log)
		require.NoError(t, store.Close())
		require.NoError(t, os.Truncate(store.Path(), 0))
		store = open(t, dir, log)
		require.NoError(t, store.CatchUp(t.Context()))
		require.Equal(t, fold(t, log), rows(t, store))
	})
}

// breakTable overwrites every page but the first of a closed generation, which opens all the same.
func breakTable(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	info, err := file.Stat()
	require.NoError(t, err)
	// The pages of the package's own tables come first: those of the projections are behind.
	const own = 3 << 12
	require.Greater(t, info.Size(), int64(own))
	_, err = file.WriteAt(bytes.Repeat([]byte{0xaa}, int(info.Size()-own)), own)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func newDamaged(t *testing.T, dir string) (store *readmodel.Store, said *lockedBuffer, want []row) {
	t.Helper()
	log := newLog(t)
	grow(t, log, 500)
	store = open(t, dir, log)
	require.NoError(t, store.CatchUp(t.Context()))
	require.NoError(t, store.Close())
	breakTable(t, store.Path())
	store, said = openLogged(t, dir, log)
	return store, said, fold(t, log)
}

func TestDamageFoundByReader(t *testing.T) {
	t.Parallel()
	store, said, want := newDamaged(t, t.TempDir())
	count := func(q *readmodel.Query) error {
		_, err := readmodel.Collect(q.Rows("SELECT * FROM tally"), func(readmodel.Row) (int, error) { return 0, nil })
		return err
	}
	err := store.Read(t.Context(), count)
	require.ErrorContains(t, err, "damaged and will be rebuilt")
	run(t, store) // not sooner: it may find the damage first
	require.Eventually(t, func() bool { return store.Read(t.Context(), count) == nil }, time.Minute, 5*time.Millisecond)
	require.NoError(t, store.CatchUp(t.Context()))
	require.Equal(t, want, rows(t, store))
	require.Contains(t, said.String(), "views are damaged")
}

func TestDamageFoundByApply(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 500)
	store := open(t, dir, log)
	require.NoError(t, store.CatchUp(t.Context()))
	require.NoError(t, store.Close())
	breakTable(t, store.Path())
	grow(t, log, 5)
	store, said := openLogged(t, dir, log)
	require.NoError(t, store.CatchUp(t.Context()))
	require.Equal(t, fold(t, log), rows(t, store))
	require.Contains(t, said.String(), "views are damaged")
}

// The file is not deleted under somebody who has it open; once alone, it is.
func TestDamagedWhileShared(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 500)
	store := open(t, dir, log)
	require.NoError(t, store.CatchUp(t.Context()))
	require.NoError(t, store.Close())
	breakTable(t, store.Path())
	grow(t, log, 5)
	one, two := open(t, dir, log), open(t, dir, log)
	require.ErrorContains(t, one.CatchUp(t.Context()), "another process has it open")
	require.NoError(t, two.Close())
	require.NoError(t, one.CatchUp(t.Context()))
	require.Equal(t, fold(t, log), rows(t, one))
}
