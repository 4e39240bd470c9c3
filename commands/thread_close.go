package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// CloseThread ends the thread.
func (c *Commands) CloseThread(ctx context.Context, id string, command thread.Close, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
