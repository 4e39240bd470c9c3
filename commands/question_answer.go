package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AnswerQuestion records the person's answer.
func (c *Commands) AnswerQuestion(ctx context.Context, id string, command workflow.AnswerQuestion, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
