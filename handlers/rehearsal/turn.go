package rehearsal

import (
	"cmp"
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Turn has one at a time, on whichever node, do what a workflow has neither a run nor a thread for.
type Turn struct {
	Commands *commands.Commands
	Now      func() time.Time
	// Lease is how long there may be no sign of life before another one does it. Default [loop.DefaultLease].
	Lease time.Duration
	Actor string
}

// Do returns a [*loop.Wait] while another one is at it. By its turn there may be something else to do, so do looks again.
func (t Turn) Do(ctx context.Context, id, work string, do func(context.Context) error) error {
	state, err := t.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if held, is := state.ClaimedBy(work, t.Now()); is {
		return &loop.Wait{Until: held.Until}
	}
	lease := cmp.Or(t.Lease, loop.DefaultLease)
	claim := workflow.ClaimWork{Work: work}
	sign := func(ctx context.Context) error {
		claim.Until = t.Now().Add(lease)
		claimed, err := t.Commands.ClaimWork(ctx, id, claim, commands.Meta{Actor: t.Actor})
		if fault.KindOf(err) == fault.Conflict { // somebody was faster
			return &loop.Wait{Until: claim.Until}
		}
		for _, one := range claimed.Events {
			if is, ok := one.Event.(workflow.WorkClaimed); ok {
				claim.By = is.By
			}
		}
		return err
	}
	if err := sign(ctx); err != nil {
		return err
	}
	kept, stop := loop.Keep(ctx, lease, sign)
	defer func() {
		stop()
		giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), loop.HandOver)
		defer cancel()
		claim.Until = time.Time{}
		// If this fails, another one goes on when the lease lapses.
		_, _ = t.Commands.ClaimWork(giving, id, claim, commands.Meta{Actor: t.Actor})
	}()
	if err := do(kept); err != nil {
		return cmp.Or(context.Cause(kept), err)
	}
	return nil
}
