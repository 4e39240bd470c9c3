package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// OfferInput brings an input to a workflow: it becomes a run, waits its turn, or is skipped and that
// is recorded. The result has no events if nothing comes of it: it was offered before, or the workflow
// is archived.
func (c *Commands) OfferInput(ctx context.Context, id string, command workflow.OfferInput, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// InputRun is the run that an input becomes: the same one for the same key, however often it comes.
func InputRun(workflow, key string) string { return DerivedID(workflow, "input", key) }
