package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/run"
)

// ResolveEffect records what became of a write in doubt, so that its run can go on.
func (c *Commands) ResolveEffect(ctx context.Context, id string, resolve run.ResolveEffect, meta Meta) error {
	return c.tellRun(ctx, id, resolve, meta)
}

// tellRun records what a person says about a run that stands still.
func (c *Commands) tellRun(ctx context.Context, id string, command run.Command, meta Meta) error {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return err
	}
	journal, err := c.ReopenRun(ctx, id, meta)
	if err != nil {
		return err
	}
	if err := journal.Record(ctx, command); err != nil {
		return err
	}
	return journal.Flush(ctx)
}
