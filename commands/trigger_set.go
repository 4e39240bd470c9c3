package commands

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// SetTrigger starts a workflow on outcomes of another one, from now on: what came of that one
// before does not count.
func (c *Commands) SetTrigger(ctx context.Context, id string, command workflow.SetTrigger, meta Meta) (Result, error) {
	end, err := c.workflowEnd(ctx, command.Source)
	if err != nil {
		return Result{}, err
	}
	if end < 0 {
		return Result{}, noWorkflow(command.Source)
	}
	command.After = end
	return c.onWorkflow(ctx, id, command, meta)
}

// workflowEnd is the newest revision of a workflow's stream, -1 if there is none.
func (c *Commands) workflowEnd(ctx context.Context, id string) (int64, error) {
	leave, err := c.queues.enter(ctx, WorkflowStream(id))
	if err != nil {
		return -1, fmt.Errorf("commands: load workflow %s: %w", id, err)
	}
	defer leave()
	kind := workflowKind(id)
	loaded, err := load(ctx, c, kind, WorkflowStream(id))
	if err != nil {
		return -1, err
	}
	keep(c, kind, WorkflowStream(id), loaded)
	return loaded.tail.revision, nil
}
