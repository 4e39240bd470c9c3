package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// MissModel records on a thread that a provider gave no answer.
func (c *Commands) MissModel(ctx context.Context, id string, command thread.MissModel, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
