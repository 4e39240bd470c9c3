package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// CorrectFix sends the maintainer back to work on a held fix, with a person's note.
func (c *Commands) CorrectFix(ctx context.Context, id string, command workflow.CorrectFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
