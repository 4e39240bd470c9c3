package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RollbackScript saves an earlier version again, as the next major version.
// The script gets an id of its own if the command has none.
func (c *Commands) RollbackScript(ctx context.Context, id string, command workflow.Rollback, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}
