package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// PauseWorkflow stops new runs; a repair that is under way may finish.
func (c *Commands) PauseWorkflow(ctx context.Context, id string, command workflow.Pause, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
