package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ClosePlannerTask ends a planner task.
func (c *Commands) ClosePlannerTask(ctx context.Context, id string, command workflow.ClosePlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
