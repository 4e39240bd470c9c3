package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RecheckFix hands in a new verdict on a held fix, which stays held.
func (c *Commands) RecheckFix(ctx context.Context, id string, command workflow.RecheckFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
