package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// DeclineFix refuses a held fix, at a person's word.
func (c *Commands) DeclineFix(ctx context.Context, id string, command workflow.DeclineFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
