package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AskQuestion asks the person something on behalf of an open task.
func (c *Commands) AskQuestion(ctx context.Context, id string, command workflow.AskQuestion, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
