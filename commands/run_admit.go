package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AdmitRun asks whether a run may start. A refusal says why not.
func (c *Commands) AdmitRun(ctx context.Context, id string, command workflow.AdmitRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
