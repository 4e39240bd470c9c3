package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// EndMaintenance ends a maintainer task that found no fix: the workflow is escalated.
func (c *Commands) EndMaintenance(ctx context.Context, id string, command workflow.EndMaintenance, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
