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
	p.overLocked(false)
}

// Rule: first come, first served: nobody who comes later is served before one who waits.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 2})
	require.NoError(t, pool.begin(t.Context(), false))
	require.NoError(t, pool.begin(t.Context(), false))
	const many = 5
	served := make(chan int)
	for i := range many {
		go func() {
			if pool.begin(t.Context(), false) == nil {
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
	require.NoError(t, pool.begin(t.Context(), false))
	impatient, giveUp := context.WithCancel(t.Context())
	gone, served := make(chan error), make(chan error)
	for i := range 2 { // one of them finds both its turn and its end
		go func() { gone <- pool.begin(impatient, false) }()
		pool.queued(t, i+1)
	}
	go func() { served <- pool.begin(t.Context(), false) }()
	pool.queued(t, 3)
	pool.mu.Lock()
	giveUp()
	pool.overLocked(false)
	pool.mu.Unlock()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.ErrorIs(t, <-gone, context.Canceled)
	require.NoError(t, <-served)
	require.Equal(t, 1, pool.running)
	require.Empty(t, pool.waiting)
}

// Rule: executions of scripts that burnt much have half of the room, whoever comes first: the others begin meanwhile.
func TestWhoBurntTakesNotAllRoom(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 2})
	pool.burns("burns", time.Minute)
	require.True(t, pool.turnOf("burns").slow)
	require.False(t, pool.turnOf("other").slow)
	served := make(chan error)
	require.NoError(t, pool.begin(t.Context(), true))
	go func() { served <- pool.begin(t.Context(), true) }()
	pool.queued(t, 1)
	require.NoError(t, pool.begin(t.Context(), false))
	pool.mu.Lock()
	pool.overLocked(true)
	pool.mu.Unlock()
	require.NoError(t, <-served)
	require.Less(t, burnt{time.Minute, time.Now().Add(-10 * heavyHalf)}.left(time.Now()), heavyTime, "it is forgotten")
}

// Rule: of those that burn as many compute as there is room for. One that is found to burn is among them at once, and what it held is another's.
func TestWhoBurnsIsMoved(t *testing.T) {
	t.Parallel()
	light, heavy := &turns{free: 2}, &turns{free: 1}
	var burning []*turn
	for range 2 {
		one := &turn{of: light}
		require.NoError(t, one.begin(t.Context()))
		burning = append(burning, one)
	}
	served := make(chan error)
	other, late := &turn{of: light}, &turn{of: heavy}
	go func() { served <- other.begin(t.Context()) }()
	for _, one := range burning {
		one.move(heavy)
		one.move(heavy)
	}
	require.NoError(t, <-served)
	require.Equal(t, 1, light.free)
	require.Equal(t, -1, heavy.free)
	go func() { served <- late.begin(t.Context()) }()
	require.Eventually(t, func() bool {
		heavy.mu.Lock()
		defer heavy.mu.Unlock()
		return len(heavy.toBegin) == 1
	}, time.Minute, time.Millisecond)
	burning[0].give()
	require.False(t, late.held)
	require.Equal(t, 0, heavy.free)
	burning[1].give()
	require.NoError(t, <-served)
	late.give()
	late.move(light)
	require.Equal(t, 1, heavy.free)
}
