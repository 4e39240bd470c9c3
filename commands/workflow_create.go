package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// CreateWorkflow opens a workflow, as a draft.
func (c *Commands) CreateWorkflow(ctx context.Context, command workflow.Create, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, command.ID, command, meta)
}
