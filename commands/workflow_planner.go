package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// OpenPlannerTask records that the planner is at work; the maintainer waits.
func (c Planning) OpenPlannerTask(ctx context.Context, id string, command workflow.OpenPlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// WaitPlannerTask records that the planner waits for a person.
func (c Planning) WaitPlannerTask(ctx context.Context, id string, command workflow.WaitPlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// TellPlanner is what a person says to the planner while it waits, and asks nothing.
func (c Planning) TellPlanner(ctx context.Context, id string, command workflow.TellPlanner, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ClosePlannerTask ends a planner task.
func (c Planning) ClosePlannerTask(ctx context.Context, id string, command workflow.ClosePlannerTask, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// AskQuestion asks the person something on behalf of an open task.
func (c Planning) AskQuestion(ctx context.Context, id string, command workflow.AskQuestion, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// AnswerQuestion records the person's answer.
func (c Planning) AnswerQuestion(ctx context.Context, id string, command workflow.AnswerQuestion, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
