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
