package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// WaitPlannerTask records that the planner waits for a person.
func (c *Commands) WaitPlannerTask(ctx context.Context, id string, command workflow.WaitPlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
