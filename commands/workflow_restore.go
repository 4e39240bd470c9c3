package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RestoreWorkflow takes a workflow out of the archive, paused. What came meanwhile of the workflows
// that it starts on does not count.
func (c *Commands) RestoreWorkflow(ctx context.Context, id string, command workflow.Restore, meta Meta) (Result, error) {
	state, err := c.LoadWorkflow(ctx, id)
	if err != nil {
		return Result{}, err
	}
	command.Ends = map[string]int64{}
	for source := range state.Triggers {
		if command.Ends[source], err = c.workflowEnd(ctx, source); err != nil {
			return Result{}, err
		}
	}
	return c.onWorkflow(ctx, id, command, meta)
}
