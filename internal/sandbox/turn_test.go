package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: a run that gave up waiting just when its turn came passes the turn on.
func TestTurnIsPassedOn(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{})
	first, second := make(chan struct{}), make(chan struct{})
	pool.waiting = []chan struct{}{first, second}
	pool.wakeLocked()
	<-first
	pool.forget(first)
	select {
	case <-second:
	default:
		require.Fail(t, "nobody was told")
	}
	require.Empty(t, pool.waiting)
}
