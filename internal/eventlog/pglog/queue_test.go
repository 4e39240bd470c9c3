package pglog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
)

// TestFewWaitForTheNextTransaction: while one is under way, few events wait for the next and have it together; many do
// not, and nobody waits for one that takes long.
func TestFewWaitForTheNextTransaction(t *testing.T) {
	t.Parallel()
	q := pglog.NewQueue()
	require.True(t, q.Add(1), "nothing is under way")
	appends, over := q.Take()
	require.Equal(t, 1, appends)
	require.False(t, q.Add(1))
	require.False(t, q.Add(100))
	require.True(t, q.Add(27), "they are many")
	over()
	appends, over = q.Take()
	require.Equal(t, 3, appends)
	require.False(t, q.Add(1))
	appends, late := q.Take() // once the group before has taken too long
	require.Equal(t, 1, appends)
	over()
	late()
	require.True(t, q.Add(1), "what was late is over once")
}
