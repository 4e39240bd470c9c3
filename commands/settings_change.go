package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ChangeSettings replaces all settings of the workflow.
func (c *Commands) ChangeSettings(ctx context.Context, id string, command workflow.ChangeSettings, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
