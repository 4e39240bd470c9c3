package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AdmitRun asks whether a run may start. A refusal says why not.
func (c *Commands) AdmitRun(ctx context.Context, id string, command workflow.AdmitRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// SettleRun closes an admitted run and decides what follows: a retry, a wait, maintenance, an
// escalation or nothing. Whether it has to be rehearsed first says [workflow.NeedsRehearsal].
func (c *Commands) SettleRun(ctx context.Context, id string, command workflow.SettleRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ContinueRun has an unfinished run go on with the active version, or one that waits for its retry try now.
func (c *Commands) ContinueRun(ctx context.Context, id string, command workflow.ContinueRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// LeaveRun leaves an unfinished run as it is, or one that waits for its retry.
func (c *Commands) LeaveRun(ctx context.Context, id string, command workflow.LeaveRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// TrustRun says of a suspected run that it is right.
func (c *Commands) TrustRun(ctx context.Context, id string, command workflow.TrustRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ReviewMarkedRuns says what the active version makes of marked successes that came before it.
func (c *Commands) ReviewMarkedRuns(ctx context.Context, id string, command workflow.ReviewMarkedRuns, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ExemptRun declares a recorded success wrong: the gate leaves it out.
func (c *Commands) ExemptRun(ctx context.Context, id string, command workflow.ExemptRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
