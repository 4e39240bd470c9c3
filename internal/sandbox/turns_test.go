package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting returns when so many wait for a turn.
func (t *turns) waiting(tb testing.TB, n int) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return len(t.goOn)+len(t.toBegin) == n
	}, 30*time.Second, time.Millisecond)
}

// Rule: a script whose host answered goes on before one begins that has no worker yet; among each of them it is first
// come, first served.
func TestWhoGoesOnComesBeforeWhoBegins(t *testing.T) {
	t.Parallel()
	all := turns{free: 1}
	first := turn{of: &all}
	require.NoError(t, first.begin(t.Context()))
	served := make(chan string)
	wait := func(name string, take func(*turn, context.Context) error) {
		go func() {
			mine := turn{of: &all}
			if take(&mine, context.Background()) == nil {
				served <- name
				mine.give()
			}
		}()
	}
	for i, name := range []string{"begins 1", "begins 2", "goes on 1", "goes on 2"} {
		take := (*turn).begin
		if i > 1 {
			take = (*turn).goOn
		}
		wait(name, take)
		all.waiting(t, i+1)
	}
	first.give()
	for _, want := range []string{"goes on 1", "goes on 2", "begins 1", "begins 2"} {
		require.Equal(t, want, <-served)
	}
}

// Rule: who gave up waiting for a turn, before it or just when it came, costs nobody else theirs.
func TestTurnOfWhoGaveUpIsAnothers(t *testing.T) {
	t.Parallel()
	all := turns{free: 1}
	first := turn{of: &all}
	require.NoError(t, first.begin(t.Context()))
	require.NoError(t, first.begin(t.Context()), "a turn that is held is not waited for")
	impatient, giveUp := context.WithCancel(t.Context())
	gone, served := make(chan error), make(chan error)
	for i := range 2 { // one of them finds both its turn and its end
		go func() { gone <- (&turn{of: &all}).begin(impatient) }()
		all.waiting(t, i+1)
	}
	last := turn{of: &all}
	go func() { served <- last.begin(t.Context()) }()
	all.waiting(t, 3)
	all.mu.Lock()
	giveUp()
	all.giveLocked()
	all.mu.Unlock()
	first.held = false
	for range 2 {
		if err := <-gone; err == nil { // it was served before it saw that it gave up
			all.mu.Lock()
			all.giveLocked()
			all.mu.Unlock()
		}
	}
	require.NoError(t, <-served)
	last.give()
	require.Equal(t, 1, all.free)
}
