package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ChangeSchedule says when the workflow runs.
func (c *Commands) ChangeSchedule(ctx context.Context, id string, command workflow.ChangeSchedule, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
