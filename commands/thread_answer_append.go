package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// AppendAnswer adds a model's turn to a thread, with the calls that it makes.
func (c *Commands) AppendAnswer(ctx context.Context, id string, command thread.AppendAnswer, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
