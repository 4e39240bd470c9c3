package commands

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// OfferInput brings an input to a workflow: it becomes a run, waits its turn, or is skipped and that
// is recorded. The result has no events if nothing comes of it: it was offered before, or the workflow
// is archived.
func (c Inputs) OfferInput(ctx context.Context, id string, command workflow.OfferInput, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// RetryInputs has all inputs of a workflow whose runs failed be tried again, in order.
func (c Inputs) RetryInputs(ctx context.Context, id string, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, workflow.RetryInputs{}, meta)
}

// InputRun is the run that an input becomes: the same one for the same key, however often it comes.
func InputRun(workflow, key string) string { return DerivedID(workflow, "input", key) }

// SetTrigger starts a workflow on outcomes of another one, from now on: earlier outcomes do not count.
func (c Inputs) SetTrigger(ctx context.Context, id string, command workflow.SetTrigger, meta Meta) (Result, error) {
	end, _, err := c.WorkflowEnd(ctx, command.Source)
	if err != nil {
		return Result{}, err
	}
	if end < 0 {
		return Result{}, noWorkflow(command.Source)
	}
	command.After = end
	return c.onWorkflow(ctx, id, command, meta)
}

// WorkflowEnd is the newest revision of a workflow's stream, -1 if there is none, and its position.
func (c *core) WorkflowEnd(ctx context.Context, id string) (int64, eventlog.Position, error) {
	return endOf(ctx, c, c.workflowKind(id), workflow.Stream(id))
}

// endOf is the newest revision of a stream, -1 if there is none, and its position.
func endOf[S, C any](ctx context.Context, c *core, kind kind[S, C], stream string) (int64, eventlog.Position, error) {
	leave, err := c.queues.enter(ctx, stream)
	if err != nil {
		return -1, "", fmt.Errorf("commands: load %s: %w", stream, err)
	}
	defer leave()
	loaded, err := load(ctx, c, kind, stream)
	if err != nil {
		return -1, "", err
	}
	keep(c, kind, stream, loaded)
	return loaded.tail.revision, loaded.tail.position, nil
}

// RemoveTrigger has outcomes of another workflow start this one no more.
func (c Inputs) RemoveTrigger(ctx context.Context, id string, command workflow.RemoveTrigger, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
