package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ActivateWorkflow lets runs be admitted: also after a pause, a wait and an escalation.
func (c *Commands) ActivateWorkflow(ctx context.Context, id string, command workflow.Activate, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
