package commands

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Queues are forgotten when nobody is in them: there are as many streams as there ever were runs.
func TestQueuesAreForgotten(t *testing.T) {
	t.Parallel()
	queues := newQueues()
	leave, err := queues.enter(t.Context(), "run-1")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = queues.enter(ctx, "run-1")
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, queues.streams, 1)
	leave()
	require.Empty(t, queues.streams)
}

// The cache holds the streams that were used last, and no more than its limit.
func TestFoldCacheKeepsTheNewest(t *testing.T) {
	t.Parallel()
	cache := newFoldCache(2)
	cache.put("a", 1)
	cache.put("b", 2)
	cache.put("a", 3)
	cache.put("c", 4)
	require.Nil(t, cache.take("b"))
	require.Equal(t, 3, cache.take("a"))
	require.Nil(t, cache.take("a"), "who takes a fold owns it")
	require.Equal(t, 4, cache.take("c"))
	require.Zero(t, cache.recent.Len())
	require.Empty(t, cache.folds)
}
