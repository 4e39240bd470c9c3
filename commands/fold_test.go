package commands

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: the folds used last are kept, up to a number of them and a number of events in all, but for one that alone
// has more; a caller that takes one has it for itself.
func TestFoldCacheKeepsWhatWasUsedLast(t *testing.T) {
	t.Parallel()
	c := newFoldCache(3, 100)
	for i := range 5 {
		c.put(fmt.Sprint(i), i, 10)
	}
	require.Nil(t, c.take("0"))
	require.Nil(t, c.take("1"))
	require.Equal(t, 2, c.take("2"))
	require.Nil(t, c.take("2"))
	c.put("2", 22, 90) // with 3 and 4 these are 110 events
	require.Nil(t, c.take("3"))
	require.Equal(t, 4, c.take("4"))
	c.put("2", 23, 95)
	require.Equal(t, int64(95), c.events)
	c.put("large", 6, 1000)
	require.Nil(t, c.take("2"))
	require.Equal(t, 6, c.take("large"))
	require.Zero(t, c.events)
	require.Zero(t, c.recent.Len())
}
