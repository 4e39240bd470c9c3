package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/thread"
)

// ClaimThread lets a node work on a thread; a conflict refusal if another node holds it.
func (c *Commands) ClaimThread(ctx context.Context, id string, command thread.Claim, meta Meta) (Result, error) {
	return c.onThread(ctx, id, command, meta)
}
