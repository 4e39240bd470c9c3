package statestore_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
)

// One at a time delivers for a group; who lost it saves nothing any more; what was saved is there for the next one.
func TestGroups(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ctx, one, other := t.Context(), open(), open()
		first, claimed, err := one.Claim(ctx, "chat", time.Hour)
		require.NoError(t, err)
		require.True(t, claimed)
		require.Empty(t, first.State)
		_, claimed, err = other.Claim(ctx, "chat", time.Hour)
		require.NoError(t, err)
		require.False(t, claimed)
		_, claimed, err = other.Claim(ctx, "tickets", time.Hour)
		require.NoError(t, err)
		require.True(t, claimed, "each group is claimed by itself")

		require.NoError(t, one.Save(ctx, "chat", first.Token, []byte("1"), -time.Hour)) // as if its lease had ended
		second, claimed, err := other.Claim(ctx, "chat", time.Hour)
		require.NoError(t, err)
		require.True(t, claimed)
		require.Equal(t, []byte("1"), second.State)
		require.ErrorIs(t, one.Save(ctx, "chat", first.Token, []byte("2"), time.Hour), watermillsub.ErrLost)
		require.ErrorIs(t, one.Release(ctx, "chat", first.Token, []byte("2")), watermillsub.ErrLost)

		require.NoError(t, other.Release(ctx, "chat", second.Token, []byte("3")))
		third, claimed, err := one.Claim(ctx, "chat", time.Hour)
		require.NoError(t, err)
		require.True(t, claimed, "at once, as it was released")
		require.Equal(t, []byte("3"), third.State)
	})
}

// Nothing is kept of a group that is over; a process that delivers for it has lost it, and one that has not heard of its end does not begin it anew.
func TestAGroupThatIsOver(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ctx, one, other := t.Context(), open(), open()
		require.NoError(t, other.Retire(ctx, "nobody"))
		claim, claimed, err := one.Claim(ctx, "chat", time.Hour)
		require.NoError(t, err)
		require.True(t, claimed)
		require.NoError(t, one.Save(ctx, "chat", claim.Token, []byte("1"), time.Hour))
		for range 2 {
			require.NoError(t, other.Retire(ctx, "chat"))
			require.ErrorIs(t, one.Save(ctx, "chat", claim.Token, []byte("2"), time.Hour), watermillsub.ErrLost)
			require.ErrorIs(t, one.Release(ctx, "chat", claim.Token, []byte("2")), watermillsub.ErrLost)
			kept, err := one.Look(ctx, "chat")
			require.NoError(t, err)
			require.Empty(t, kept)
			_, claimed, err = one.Claim(ctx, "chat", time.Hour)
			require.NoError(t, err)
			require.False(t, claimed)
		}
	})
}

func TestOneOfManyClaims(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ctx, shared := t.Context(), open()
		var all sync.WaitGroup
		claims := make(chan bool, 20)
		for range cap(claims) {
			all.Go(func() {
				_, claimed, err := shared.Claim(ctx, "chat", time.Hour)
				claims <- claimed && err == nil
			})
		}
		all.Wait()
		close(claims)
		count := 0
		for claimed := range claims {
			if claimed {
				count++
			}
		}
		require.Equal(t, 1, count)
	})
}

// A file of an earlier program gets what is new, and keeps what it has.
func TestAnOlderFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	secrets, err := os.ReadFile("secret.sql")
	require.NoError(t, err)
	conn, err := sqlitedb.Open(path)
	require.NoError(t, err)
	require.NoError(t, sqlitex.ExecuteScript(conn, string(secrets)+"PRAGMA user_version = 1;", nil))
	require.NoError(t, conn.Close())
	old, err := statestore.OpenSQLite(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, old.PutSecret(t.Context(), entry("key", "", "sealed")))
	_, claimed, err := old.Claim(t.Context(), "chat", time.Hour)
	require.NoError(t, err)
	require.True(t, claimed)
	require.NoError(t, old.Close())
}
