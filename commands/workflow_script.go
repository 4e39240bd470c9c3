package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// SaveScript saves the next major version, by the planner or a person. A script that cannot
// be one is an invalid refusal with line and column. It gets an id of its own if the command has none.
func (c Workflows) SaveScript(ctx context.Context, id string, command workflow.SaveScript, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	if err := c.codeOf(command); err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}

// codeOf checks the code that is to be saved.
func (c Workflows) codeOf(command workflow.SaveScript) error {
	if err := c.checkScript(command.Code); err != nil {
		return fault.New(fault.Invalid, "the script cannot be saved: %w", err)
	}
	return nil
}

// RollbackScript saves an earlier version again, as the next major version.
// The script gets an id of its own if the command has none.
func (c Workflows) RollbackScript(ctx context.Context, id string, command workflow.Rollback, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}
