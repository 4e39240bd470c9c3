package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// LeaveRun leaves an unfinished run as it is, or one that waits for its retry.
func (c *Commands) LeaveRun(ctx context.Context, id string, command workflow.LeaveRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
