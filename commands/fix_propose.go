package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ProposeFix submits a fix of the open maintainer task. Nothing is applied by it.
func (c *Commands) ProposeFix(ctx context.Context, id string, command workflow.ProposeFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
