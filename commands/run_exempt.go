package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ExemptRun declares a recorded success wrong: the gate leaves it out.
func (c *Commands) ExemptRun(ctx context.Context, id string, command workflow.ExemptRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
