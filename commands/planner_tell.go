package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// TellPlanner is what a person says to the planner while it waits, and asks nothing.
func (c *Commands) TellPlanner(ctx context.Context, id string, command workflow.TellPlanner, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
