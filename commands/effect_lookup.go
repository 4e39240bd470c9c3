package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/run"
)

// LookUpEffect records what the other side answered about a write in doubt.
func (c *Commands) LookUpEffect(ctx context.Context, id string, found run.LookUpEffect, meta Meta) error {
	return c.tellRun(ctx, id, found, meta)
}
