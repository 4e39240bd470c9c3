package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
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
	p.overLocked(&cpuSlot{})
}

// Rule: first come, first served: nobody who comes later is served before one who waits.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 2})
	require.NoError(t, pool.begin(t.Context(), &cpuSlot{}))
	require.NoError(t, pool.begin(t.Context(), &cpuSlot{}))
	const many = 5
	served := make(chan int)
	for i := range many {
		go func() {
			if pool.begin(t.Context(), &cpuSlot{}) == nil {
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
	require.NoError(t, pool.begin(t.Context(), &cpuSlot{}))
	impatient, giveUp := context.WithCancel(t.Context())
	gone, served := make(chan error), make(chan error)
	for i := range 2 { // one of them finds both its turn and its end
		go func() { gone <- pool.begin(impatient, &cpuSlot{}) }()
		pool.queued(t, i+1)
	}
	go func() { served <- pool.begin(t.Context(), &cpuSlot{}) }()
	pool.queued(t, 3)
	pool.mu.Lock()
	giveUp()
	pool.overLocked(&cpuSlot{})
	pool.mu.Unlock()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.ErrorIs(t, <-gone, context.Canceled)
	require.NoError(t, <-served)
	require.Equal(t, 1, pool.running)
	require.Empty(t, pool.waiting)
}

// Rule: executions of scripts that burnt much have a part of the room, whoever comes first: the others begin meanwhile.
func TestWhoBurntTakesNotAllRoom(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 2})
	pool.burns("burns", time.Minute)
	pool.showed("other")
	require.Equal(t, []kind{heavy, quick, fresh}, []kind{pool.slotOf("burns", "").kind, pool.slotOf("other", "").kind, pool.slotOf("new", "").kind})
	burning := &cpuSlot{kind: heavy}
	served := make(chan error)
	require.NoError(t, pool.begin(t.Context(), burning))
	go func() { served <- pool.begin(t.Context(), &cpuSlot{kind: heavy}) }()
	pool.queued(t, 1)
	require.NoError(t, pool.begin(t.Context(), &cpuSlot{}))
	pool.mu.Lock()
	pool.overLocked(burning)
	pool.mu.Unlock()
	require.NoError(t, <-served)
	require.Less(t, burnt{time.Minute, time.Now().Add(-10 * heavyHalf)}.left(time.Now()), heavyTime, "it is forgotten")
}

// Rule: of those who wait it is the turn of the owner who has least, in the pool and to compute.
func TestOwnersHaveTurns(t *testing.T) {
	t.Parallel()
	pool, all := NewPool(PoolConfig{Size: 2}), cpuSlots{free: 2}
	served := make(chan string)
	wait := func(owner string, begin func(*cpuSlot) error) {
		go func() {
			if begin(&cpuSlot{of: &all, owner: owner}) == nil {
				served <- owner
			}
		}()
	}
	inPool := func(one *cpuSlot) error { return pool.begin(context.Background(), one) }
	toCompute := func(one *cpuSlot) error { return one.begin(context.Background()) }
	for range 2 {
		first := &cpuSlot{of: &all, owner: "ann"}
		require.NoError(t, errors.Join(inPool(first), toCompute(first)))
	}
	for i, owner := range []string{"ann", "ann", "bob"} {
		wait(owner, inPool)
		pool.queued(t, i+1)
		wait(owner, toCompute)
		all.waiting(t, i+1)
	}
	for i, want := range []string{"bob", "ann", "ann"} {
		over := []string{"ann", "ann", "bob"}[i]
		pool.mu.Lock()
		pool.overLocked(&cpuSlot{owner: over})
		pool.mu.Unlock()
		require.Equal(t, want, <-served)
		all.mu.Lock()
		all.releaseLocked(over)
		all.mu.Unlock()
		require.Equal(t, want, <-served)
	}
}

// Rule: what many new scripts burn at once is in a line of its own from the start, and behind the others as soon as it is seen.
func TestAWaveOfNewScriptsLeavesRoom(t *testing.T) {
	t.Parallel()
	pool := NewPool(PoolConfig{Size: 8})
	wave := make([]*cpuSlot, 6)
	for i := range wave {
		wave[i] = pool.slotOf(strconv.Itoa(i), "")
	}
	for _, one := range wave[:4] {
		require.NoError(t, pool.begin(t.Context(), one))
	}
	served := make(chan error)
	go func() { served <- pool.begin(t.Context(), wave[4]) }()
	pool.queued(t, 1)
	pool.showed("quick")
	require.NoError(t, pool.begin(t.Context(), pool.slotOf("quick", "")), "what is known to be quick passes them")
	pool.behind(&process{command: &exec.Cmd{Process: &os.Process{Pid: 1 << 30}}}, wave[0])
	require.NoError(t, <-served)
	require.Equal(t, heavy, pool.kindOf(wave[0]))
	require.Equal(t, [kinds]int{quick: 1, fresh: 4, heavy: 1}, pool.kinds)
}

// Rule: of those that burn as many compute as there is room for. One that is found to burn is among them at once, and what it held is another's.
func TestWhoBurnsIsMoved(t *testing.T) {
	t.Parallel()
	light, heavy := &cpuSlots{free: 2}, &cpuSlots{free: 1}
	var burning []*cpuSlot
	for range 2 {
		one := &cpuSlot{of: light}
		require.NoError(t, one.begin(t.Context()))
		burning = append(burning, one)
	}
	served := make(chan error)
	other, late := &cpuSlot{of: light}, &cpuSlot{of: heavy}
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
	burning[0].release()
	require.False(t, late.held)
	require.Equal(t, 0, heavy.free)
	burning[1].release()
	require.NoError(t, <-served)
	late.release()
	late.move(light)
	require.Equal(t, 1, heavy.free)
}
