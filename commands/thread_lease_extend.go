package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// ExtendThreadLease keeps a claimed thread, or gives it away.
func (c *Commands) ExtendThreadLease(ctx context.Context, id string, command thread.ExtendLease, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
