package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// InvokeTool records a tool call of the agent.
func (c *Commands) InvokeTool(ctx context.Context, id string, command thread.InvokeTool, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
