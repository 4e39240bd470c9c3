package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ArchiveWorkflow retires the workflow; everything is kept.
func (c *Commands) ArchiveWorkflow(ctx context.Context, id string, command workflow.Archive, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
