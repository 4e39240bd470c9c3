package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ContinueRun has an unfinished run go on with the active version, or one that waits for its retry try now.
func (c *Commands) ContinueRun(ctx context.Context, id string, command workflow.ContinueRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
