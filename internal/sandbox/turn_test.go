package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// queued returns when so many executions wait for their turn.
func (p *Pool) queued(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.waiting) == n
	}, time.Minute, time.Millisecond)
}

func (p *Pool) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.overLocked()
}

// Rule: first come, first served: nobody who comes later is served before one who waits.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 2})
	require.NoError(t, pool.begin(t.Context()))
	require.NoError(t, pool.begin(t.Context()))
	const many = 5
	served := make(chan int)
	for i := range many {
		go func() {
			if pool.begin(t.Context()) == nil {
				served <- i
			}
		}()
		pool.queued(t, i+1)
	}
	for i := range many {
		pool.over()
		require.Equal(t, i, <-served)
	}
	require.Equal(t, 2, pool.running)
}

// Rule: a run that gave up waiting, before its turn or just when it came, costs nobody else theirs.
func TestTurnIsPassedOn(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 1})
	require.NoError(t, pool.begin(t.Context()))
	impatient, giveUp := context.WithCancel(t.Context())
	gone, served := make(chan error), make(chan error)
	for i := range 2 { // one of them finds both its turn and its end
		go func() { gone <- pool.begin(impatient) }()
		pool.queued(t, i+1)
	}
	go func() { served <- pool.begin(t.Context()) }()
	pool.queued(t, 3)
	pool.mu.Lock()
	giveUp()
	pool.overLocked()
	pool.mu.Unlock()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.ErrorIs(t, <-gone, context.Canceled)
	require.NoError(t, <-served)
	require.Equal(t, 1, pool.running)
	require.Empty(t, pool.waiting)
}
