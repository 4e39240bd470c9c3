package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// EachTime looks now, and again after each hint that the log has gone on, in the background, until the
// returned function is called or a look fails: that error is met by whoever waits for the outcome.
func EachTime(ctx context.Context, log eventlog.Log, look func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hint, release := log.Wake()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for look(ctx) == nil {
			select {
			case <-ctx.Done():
				return
			case <-hint:
			}
		}
	}()
	return func() {
		cancel()
		<-done
		release()
	}
}

// Settle runs the reactions for one workflow until nothing is left to do now. If something
// is left because it failed, the error says why.
func (n *Node) Settle(ctx context.Context, id string) (err error) {
	trouble := &Troubles{Handler: n.Logger.Handler()}
	logger := slog.New(trouble)
	pool := NewPool(logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	served := n.With(func(n *Node) { n.Logger = logger })
	if err := served.Loop(pool, served.NewFixers(pool), id).Settle(ctx); err != nil {
		return err
	}
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if cause := trouble.Last.Load(); cause != nil && (len(state.Admitted) > 0 || state.MaintainerWanted()) {
		return fmt.Errorf("what is under way could not be finished, and goes on with the next 'kintsugi dev' or 'kintsugi workflow run': %w", *cause)
	}
	return nil
}

// SettleAmongOthers is [Node.Settle] until a run is settled: other nodes have the same log, if it
// is not in this directory, and one of them may have taken the run.
func (n *Node) SettleAmongOthers(ctx context.Context, id, run string) error {
	hint, release := n.Log.Wake()
	defer release()
	for {
		if err := n.Settle(ctx, id); err != nil || n.Address.Backend == SQLite {
			return err
		}
		look := time.NewTimer(OthersLooked)
		for waiting := true; waiting; {
			elsewhere, err := n.underWayElsewhere(ctx, id, run)
			if err != nil || !elsewhere {
				look.Stop()
				return err
			}
			select {
			case <-ctx.Done():
				look.Stop()
				return context.Cause(ctx)
			case <-hint:
			case <-look.C:
				waiting = false // the other node may be gone
			}
		}
	}
}

// OthersLooked is how often it is seen whether another node is still at a run.
const OthersLooked = time.Second

// underWayElsewhere says that a run, or one that goes on from it, is what another node is at.
func (n *Node) underWayElsewhere(ctx context.Context, id, run string) (bool, error) {
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return false, err
	}
	for _, info := range state.Admitted {
		if info.Run != run && info.Continues == "" {
			continue
		}
		journal, err := n.Commands.LoadRun(ctx, info.Run)
		if err != nil && fault.KindOf(err) != fault.NotFound { // it may be admitted and not started
			return false, err
		}
		if len(journal.InDoubt()) == 0 { // else it waits for a person
			return true, nil
		}
	}
	return false, nil
}

// Troubles keeps the last error instead of logging it: a loop logs what goes wrong and
// tries again, which a command that ends cannot do.
type Troubles struct {
	slog.Handler
	Last atomic.Pointer[error]
}

// Handle implements [slog.Handler].
func (t *Troubles) Handle(ctx context.Context, record slog.Record) error {
	if record.Level < slog.LevelError {
		return t.Handler.Handle(ctx, record)
	}
	record.Attrs(func(attr slog.Attr) bool {
		if err, ok := attr.Value.Any().(error); ok {
			t.Last.Store(&err)
		}
		return true
	})
	return nil
}

// Follow waits until a run of another process's server came to its end: settled, and, if it
// failed, repaired or given up. If that server ends before, this process takes its place, and signs the
// lock so. It tells whether that server's disk is full, each time that changes.
func (n *Node) Follow(ctx context.Context, signed, id, run string, tellFull func(full bool)) error {
	full := false
	hint, release := n.Log.Wake()
	defer release()
	look := time.NewTicker(ServerLooked)
	defer look.Stop()
	for {
		state, err := n.Commands.LoadWorkflow(ctx, id)
		if err != nil {
			return err
		}
		if SettledFor(state, run, n.Now()) {
			return nil
		}
		if still, err := n.Runs.StandsStill(ctx, state, run); err != nil || still != "" {
			return err
		}
		if why, err := n.Fixes.RepairWaits(ctx, state.Owner, repairThread(state)); err != nil || why != "" {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-hint:
		case <-look.C:
			lock, err := LockServer(n.Dir, signed)
			if held, is := errors.AsType[*HeldError](err); is {
				if held.Holder.PID != 0 && held.Holder.Full != full {
					full = held.Holder.Full
					tellFull(full)
				}
				continue
			}
			if err != nil {
				return err
			}
			return errors.Join(n.Settle(ctx, id), lock.Release())
		}
	}
}

// ServerLooked is how often it is seen whether the server that was relied on is still there.
const ServerLooked = 250 * time.Millisecond

// SettledFor says that nothing more will come of a run by itself, now.
func SettledFor(s workflow.State, run string, now time.Time) bool {
	if _, settled := s.Run(run); !settled || s.MaintainerWanted() {
		return false
	}
	for _, info := range s.Admitted {
		if info.Continues != "" {
			return false
		}
	}
	switch s.Status {
	case workflow.StatusPaused, workflow.StatusArchived, workflow.StatusWaiting, workflow.StatusEscalated:
		return true // a continuation waits for a person
	}
	retry, retried := s.Retries[run]
	return s.Continuation == nil && (!retried || retry.At.After(now))
}
