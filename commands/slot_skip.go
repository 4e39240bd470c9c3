package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// SkipSlot records that a schedule slot or an input did not become a run.
func (c *Commands) SkipSlot(ctx context.Context, id string, command workflow.SkipSlot, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
