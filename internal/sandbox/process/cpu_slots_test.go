package process

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// waiting returns when so many wait for a turn.
func (t *cpuSlots) waiting(tb testing.TB, n int) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return len(t.toResume)+len(t.toBegin) == n
	}, time.Minute, time.Millisecond)
}

// Rule: a script whose host answered goes on before one begins that has no worker yet; among each of them it is first
// come, first served.
func TestWhoGoesOnComesBeforeWhoBegins(t *testing.T) {
	t.Parallel()
	all := cpuSlots{free: 1}
	first := cpuSlot{of: &all}
	require.NoError(t, first.begin(t.Context()))
	served := make(chan string)
	wait := func(name string, take func(*cpuSlot, context.Context) error) {
		go func() {
			mine := cpuSlot{of: &all}
			if take(&mine, context.Background()) == nil {
				served <- name
				mine.release()
			}
		}()
	}
	for i, name := range []string{"begins 1", "begins 2", "goes on 1", "goes on 2"} {
		take := (*cpuSlot).begin
		if i > 1 {
			take = (*cpuSlot).resume
		}
		wait(name, take)
		all.waiting(t, i+1)
	}
	first.release()
	for _, want := range []string{"goes on 1", "goes on 2", "begins 1", "begins 2"} {
		require.Equal(t, want, <-served)
	}
}

// Rule: who gave up waiting for a turn, before it or just when it came, costs nobody else theirs.
func TestTurnOfWhoGaveUpIsAnothers(t *testing.T) {
	t.Parallel()
	all := cpuSlots{free: 1}
	first := cpuSlot{of: &all}
	require.NoError(t, first.begin(t.Context()))
	require.NoError(t, first.begin(t.Context()), "a turn that is held is not waited for")
	impatient, giveUp := context.WithCancel(t.Context())
	gone, served := make(chan error), make(chan error)
	for i := range 2 { // one of them finds both its turn and its end
		go func() { gone <- (&cpuSlot{of: &all}).begin(impatient) }()
		all.waiting(t, i+1)
	}
	last := cpuSlot{of: &all}
	go func() { served <- last.begin(t.Context()) }()
	all.waiting(t, 3)
	all.mu.Lock()
	giveUp()
	all.releaseLocked("")
	all.mu.Unlock()
	first.held = false
	for range 2 {
		if err := <-gone; err == nil { // it was served before it saw that it gave up
			all.mu.Lock()
			all.releaseLocked("")
			all.mu.Unlock()
		}
	}
	require.NoError(t, <-served)
	last.release()
	require.Equal(t, 1, all.free)
}

// wanting is a pool with a busy worker of a script, and an execution of the same that waits for it.
func wanting(ctx context.Context, t *testing.T) (pool *Pool, worker *process, found chan *process, failed chan error) {
	t.Helper()
	pool = NewPool(PoolConfig{Command: []string{"no such program"}})
	worker, found, failed = &process{}, make(chan *process, 1), make(chan error, 1)
	pool.busy[worker], pool.startTook = "a", time.Hour
	go func() {
		process, err := pool.acquire(ctx, "a", &cpuSlot{of: &pool.turns}, true)
		found <- process
		failed <- err
	}()
	require.Eventually(t, func() bool {
		pool.mu.Lock()
		defer pool.mu.Unlock()
		return len(pool.wanted["a"]) == 1
	}, time.Minute, time.Millisecond)
	return pool, worker, found, failed
}

// Rule: as long as starting a worker would take, an execution waits for the one that is busy with its script.
func TestBusyWorkerIsWaitedFor(t *testing.T) {
	t.Parallel()
	pool, worker, found, failed := wanting(t.Context(), t)
	pool.mu.Lock()
	pool.putLocked(worker, "a", true)
	pool.mu.Unlock()
	require.Same(t, worker, <-found)
	require.NoError(t, <-failed)
	require.Equal(t, map[*process]string{worker: "a"}, pool.busy)
	require.Empty(t, pool.wanted)

	// Its own is not waited for by another script, nor longer than a start takes.
	for affinity, took := range map[string]time.Duration{"b": time.Hour, "a": 0} {
		pool.mu.Lock()
		pool.startTook = took
		pool.mu.Unlock()
		_, err := pool.acquire(t.Context(), affinity, &cpuSlot{of: &pool.turns}, true)
		require.ErrorContains(t, err, "this machine could not start the script")
		require.Empty(t, pool.wanted)
	}
	require.Equal(t, 1, pool.running)
}

// Rule: closing a pool is not delayed by those that wait for a worker.
func TestCloseEndsWaitingForAWorker(t *testing.T) {
	t.Parallel()
	pool, worker, found, failed := wanting(t.Context(), t)
	pool.mu.Lock()
	delete(pool.busy, worker) // it is no process that could be killed
	pool.mu.Unlock()
	require.NoError(t, pool.Close())
	require.Nil(t, <-found)
	require.ErrorIs(t, <-failed, sandbox.ErrClosed)
}

// Rule: a worker that comes as somebody gives up waiting for it is not lost.
func TestWorkerOfWhoGaveUpIsKept(t *testing.T) {
	t.Parallel()
	for range 20 {
		ctx, giveUp := context.WithCancel(t.Context())
		pool, worker, found, failed := wanting(ctx, t)
		pool.mu.Lock()
		giveUp()
		pool.putLocked(worker, "a", true)
		pool.mu.Unlock()
		got, err := <-found, <-failed
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.Same(t, worker, pool.idle.take("a"))
			require.Zero(t, pool.running)
			continue
		}
		require.Same(t, worker, got)
		require.Contains(t, pool.busy, worker)
	}
}

// Rule: where many workers are busy with a script one more is waited for longer, and no more are started at once than the
// processor has room for.
func TestManyBusyWorkersAreWaitedForLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool, _, found, _ := wanting(t.Context(), t)
		room := runtime.GOMAXPROCS(0)
		waits := func(long time.Duration) bool {
			<-time.After(long) // of the bubble
			synctest.Wait()
			pool.mu.Lock()
			defer pool.mu.Unlock()
			return len(pool.wanted["a"]) == 1
		}
		growing := func() int {
			pool.mu.Lock()
			defer pool.mu.Unlock()
			return len(pool.growing)
		}
		pool.mu.Lock()
		for range 3 * busyPerCore * room {
			pool.busy[&process{}] = "a"
		}
		pool.mu.Unlock()
		require.True(t, waits(3*time.Hour-time.Minute))
		pool.mu.Lock()
		pool.growing["a"] = room
		pool.mu.Unlock()
		require.True(t, waits(24*time.Hour))
		for range room {
			pool.grown("a")
		}
		require.Zero(t, growing())
		require.False(t, waits(time.Hour))
		require.Nil(t, <-found)
		require.Zero(t, growing())
	})
}
