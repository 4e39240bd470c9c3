package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// OpenPlannerTask records that the planner is at work; the maintainer waits.
func (c *Commands) OpenPlannerTask(ctx context.Context, id string, command workflow.OpenPlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
