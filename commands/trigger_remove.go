package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RemoveTrigger has outcomes of another workflow start this one no more.
func (c *Commands) RemoveTrigger(ctx context.Context, id string, command workflow.RemoveTrigger, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
