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
func (e *Executor) keepLease(ctx context.Context, journal *commands.RunJournal) (kept context.Context, stop func()) {
	if e.config.Alone {
		return context.WithCancel(ctx)
	}
	return loop.Keep(ctx, e.config.Lease, func(ctx context.Context) error {
		err := journal.Record(ctx, run.ExtendLease{Until: e.config.Now().Add(e.config.Lease)})
		if err == nil {
			err = journal.Flush(ctx)
		}
		if err != nil {
			return fmt.Errorf("extend the lease: %w", err)
		}
		return nil
	})
}

// giveAway leaves a run that was cut short as it is: what it did is recorded, so that nothing is in doubt
// that was answered, and another node may go on with it at once, instead of when its lease lapses.
func (e *Executor) giveAway(ctx context.Context, journal *commands.RunJournal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loop.HandOver)
	defer cancel()
	var err error
	if !e.config.Alone {
		err = journal.Record(ctx, run.ExtendLease{Until: e.config.Now()})
	}
	if err == nil {
		err = journal.Flush(ctx)
	}
	if err != nil {
		e.config.Logger.Warn("a run that was cut short could not be left in order: another node goes on with it when its lease lapses",
			"run", journal.State().Run, "lease_until", journal.State().LeaseUntil, "error", err)
	}
}

// leaseHeld says that the run is still this node's, and that everything recorded of it is durable, right
// before something is sent that cannot be called back. It returns [commands.ErrRunLost] if the lease
// has lapsed: another node may be at the run by now.
func (h *runHost) leaseHeld(ctx context.Context) error {
	until := h.journal.State().LeaseUntil // which may be recorded only, until it is flushed
	if err := h.journal.Flush(ctx); err != nil {
		return err
	}
	if h.alone || h.now().Before(until) {
		return nil
	}
	return fmt.Errorf("the lease lapsed before a write was sent: %w", commands.ErrRunLost)
}

// extendLease records, with what is appended next, a lease that lasts for the call.
func (h *runHost) extendLease(ctx context.Context) error {
	if h.alone || h.journal.State().LeaseUntil.Sub(h.now()) > h.lease/2 {
		return nil
	}
	return h.journal.Record(ctx, run.ExtendLease{Until: h.now().Add(h.lease)})
}
