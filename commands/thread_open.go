package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// OpenThread starts the thread of a workflow's task.
func (c *Commands) OpenThread(ctx context.Context, command thread.Open, meta Meta) (Result, error) {
	return c.onThread(ctx, command.Thread, command, meta)
}
