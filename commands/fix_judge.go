package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// JudgeFix hands in the gate's verdict and decides what becomes of a fix: applied, held,
// different or stale.
// The script gets an id of its own if the command has none.
func (c *Commands) JudgeFix(ctx context.Context, id string, command workflow.JudgeFix, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}
