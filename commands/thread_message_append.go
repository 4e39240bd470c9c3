package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// AppendMessage adds a message to the thread.
func (c *Commands) AppendMessage(ctx context.Context, id string, command thread.AppendMessage, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
