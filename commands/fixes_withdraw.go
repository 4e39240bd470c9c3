package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// WithdrawFixes takes all unconfirmed fixes back, at a person's word.
func (c *Commands) WithdrawFixes(ctx context.Context, id string, command workflow.WithdrawFixes, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
