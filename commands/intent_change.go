package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ChangeIntent records what the person wants now.
func (c *Commands) ChangeIntent(ctx context.Context, id string, command workflow.ChangeIntent, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
