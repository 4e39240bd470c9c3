package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// An interrupted copy says that it can be gone on with.
func TestStoreCopyInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := copyError(ctx, fmt.Errorf("read: %w", ctx.Err()), app.Address{}, app.Address{})
	require.Equal(t, terminal.ExitInterrupted, terminal.New(nil, nil, nil).ExitCode(t.Context(), err))
	require.ErrorContains(t, err, "the same command goes on from there")
}
