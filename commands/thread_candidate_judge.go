package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// JudgeCandidate records a fixer's candidate and the gate's verdict on it.
func (c *Commands) JudgeCandidate(ctx context.Context, id string, command thread.JudgeCandidate, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
