package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/run"
)

// ResolveEffect records what became of a write in doubt, so that its run can go on.
func (c *Commands) ResolveEffect(ctx context.Context, id string, resolve run.ResolveEffect, meta Meta) error {
	journal, err := c.ReopenRun(ctx, id, meta)
	if err != nil {
		return err
	}
	if err := journal.Record(ctx, resolve); err != nil {
		return err
	}
	return journal.Flush(ctx)
}
