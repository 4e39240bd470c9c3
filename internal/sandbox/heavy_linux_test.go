package sandbox_test

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
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}
