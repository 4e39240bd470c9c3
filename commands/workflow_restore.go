package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RestoreWorkflow takes the workflow out of the archive, paused.
func (c *Commands) RestoreWorkflow(ctx context.Context, id string, command workflow.Restore, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
