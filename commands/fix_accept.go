package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AcceptFix makes a held fix the next minor version, at a person's word.
// The script gets an id of its own if the command has none.
func (c *Commands) AcceptFix(ctx context.Context, id string, command workflow.AcceptFix, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}
