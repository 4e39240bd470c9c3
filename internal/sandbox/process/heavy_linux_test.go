package process_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rule: a script that burns the processor goes behind the others.
func TestWhoBurnsGoesBehindTheOthers(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := pool.Run(ctx, sandbox.Execution{Code: "function main() { for (;;); }", Affinity: "burns", Limits: sandbox.Limits{Wall: time.Hour, CPU: time.Hour}}, nil)
		ended <- err
	}()
	require.Eventually(t, pool.Behind, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool { return pool.Known("burns") }, time.Minute, 5*time.Millisecond, "its next run is among those that burn")
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// Rule: a worker that waits for its next execution gives back what the one before took.
func TestAnIdleWorkerGivesItsMemoryBack(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	for range 3 {
		_, err := pool.Run(t.Context(), sandbox.Execution{Code: "function main() { const all = []; for (let i = 0; i < 20000; i++) all.push({ i, text: 'x' + i }); return all.length }", Affinity: "large"}, nil)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return pool.KeptBytes(t, "large") < 9<<20 }, time.Minute, 50*time.Millisecond)
}
