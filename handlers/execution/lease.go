package execution

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// keepLease extends the lease of a run as long as it goes on. A run whose lease could not be
// extended is lost: another node may be at it. The returned function ends that.
func (a *attempt) keepLease(ctx context.Context) (kept context.Context, stop func()) {
	if a.config.Alone {
		return context.WithCancel(ctx)
	}
	return loop.Keep(ctx, a.config.Lease, func(ctx context.Context) error {
		if err := a.record(ctx, run.ExtendLease{Until: a.config.Now().Add(a.config.Lease)}); err != nil {
			return fmt.Errorf("extend the lease: %w", err)
		}
		return nil
	})
}

// giveAway leaves a run that was cut short as it is: its calls are recorded, so that nothing is in doubt
// that was answered, and another node may go on with it at once, instead of when its lease lapses.
func (a *attempt) giveAway(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loop.HandOver)
	defer cancel()
	var err error
	if !a.config.Alone {
		err = a.journal.Record(ctx, run.ExtendLease{Until: a.config.Now()})
	}
	if err == nil {
		err = a.journal.Flush(ctx)
	}
	if err != nil {
		a.config.Logger.Warn("a run that was cut short could not be left in order: another node goes on with it when its lease lapses",
			"run", a.info.Run, "lease_until", a.journal.State().LeaseUntil, "error", err)
	}
}

// leaseHeld says that the run is still this node's, and that everything recorded of it is durable, right
// before something is sent that cannot be called back. It returns [commands.ErrRunLost] if the lease
// has lapsed: another node may be at the run by now.
func (h *runHost) leaseHeld(ctx context.Context) error {
	a := h.attempt
	until := a.journal.State().LeaseUntil // which may be recorded only, until it is flushed
	if err := a.journal.Flush(ctx); err != nil {
		return err
	}
	if a.config.Alone || a.config.Now().Before(until) {
		return nil
	}
	return fmt.Errorf("the lease lapsed before a write was sent: %w", commands.ErrRunLost)
}

// extendLease records, with what is appended next, a lease that lasts for the call.
func (h *runHost) extendLease(ctx context.Context) error {
	a := h.attempt
	if now := a.config.Now(); a.config.Alone || a.journal.State().LeaseUntil.Sub(now) > a.config.Lease/2 {
		return nil
	}
	return a.journal.Record(ctx, run.ExtendLease{Until: a.config.Now().Add(a.config.Lease)})
}
