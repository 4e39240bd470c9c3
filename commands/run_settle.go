package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// SettleRun closes an admitted run and decides what follows: a retry, a wait, maintenance, an
// escalation or nothing. Whether it has to be rehearsed first says [workflow.NeedsRehearsal].
func (c *Commands) SettleRun(ctx context.Context, id string, command workflow.SettleRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
