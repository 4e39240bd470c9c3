package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// ReturnTool records the answer to a tool call.
func (c *Commands) ReturnTool(ctx context.Context, id string, command thread.ReturnTool, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
