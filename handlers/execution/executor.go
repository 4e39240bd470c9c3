package execution

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// ExecutorConfig is everything that an Executor needs.
type ExecutorConfig struct {
	Commands *commands.Commands
	Sandbox  sandbox.Runner
	Local    rehearsal.LocalState
	// Mirror shows people a workflow's files: it is told the paths that a run wrote or removed.
	Mirror func(workflow string, state hostcall.State, paths []string) error
	Now    func() time.Time
	// Node names this process in RunStarted.
	Node string
	// Alone says that no other process executes runs of this log. Such a process needs no leases: it goes on at once with
	// everything that an earlier life of it left.
	Alone bool
	// Sole says that no other node is known to be at work now. Then a run is claimed with its first durable event, instead of
	// before its script begins. If another node claims it too, one of them finds out before it writes anything. Nil means never.
	Sole func() bool
	// Lease is how long a run may be without a sign of life before another node goes on with
	// it. Default a minute.
	Lease      time.Duration
	Logger     *slog.Logger
	Recordings egress.Recordings
	// Secrets gives the value of a secret that a workflow may send to a host. Nil means none.
	Secrets egress.Secrets
	Outside egress.Outside
}

// Executor takes admitted runs, executes them, and settles them.
type Executor struct {
	config   ExecutorConfig
	breakers *breakers
	locals   *locals
	restarts turns // of workflows whose runs begin again

	cancelled interrupter

	// baselines are what the recorded successes of active versions teach, by workflow, so that an ordinary run costs no
	// look at its past. They only choose the runs that are inspected: then the past is read again.
	baselines *lru.Cache[string, *baseline]
}

// NewExecutor panics if a dependency is missing: that is a mistake in the wiring.
func NewExecutor(config ExecutorConfig) *Executor {
	if config.Commands == nil || config.Sandbox == nil || config.Local == nil || config.Mirror == nil ||
		config.Now == nil || config.Node == "" || config.Logger == nil || config.Recordings == nil {
		panic("execution: NewExecutor without a dependency")
	}
	if config.Lease == 0 {
		config.Lease = loop.DefaultLease
	}
	return &Executor{config: config, breakers: newBreakers(config.Now), locals: newLocals(), baselines: lru.New[string, *baseline](1000)}
}

// Name implements [loop.Reaction].
func (e *Executor) Name() string { return "executor" }

// Due implements [loop.Reaction]: every run that was admitted and is not settled, and every failure that waits for a person and may work again.
func (e *Executor) Due(id string, s workflow.State) []loop.Work {
	e.cancelled.look(id, s)
	var due []loop.Work
	if of, at, ok := s.RehearsalDue(); ok {
		due = append(due, loop.Work{Key: "rehearse " + of, At: at, Do: func(ctx context.Context) error { return e.inTurn(ctx, id, e.rehearse) }})
	}
	for _, info := range s.Admitted {
		if info.Trigger == workflow.TriggerImport {
			continue // it happened elsewhere, and the import settles it
		}
		due = append(due, loop.Work{Key: info.Run, Do: func(ctx context.Context) error { return e.take(ctx, id, info) }})
	}
	return due
}

// take brings one admitted run to its outcome, from wherever it was left.
func (e *Executor) take(ctx context.Context, id string, info workflow.RunInfo) error {
	a := &attempt{Executor: e, id: id, info: info}
	err := a.carryOut(ctx)
	if _, waits := errors.AsType[*loop.Wait](err); err == nil || waits {
		return err
	}
	if cancelled, failed := a.endCancelled(ctx); cancelled && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, commands.ErrRunLost) {
		e.config.Logger.Info("another node goes on with a run", "workflow", id, "run", info.Run, "error", err)
		return &loop.Wait{Until: e.config.Now().Add(e.config.Lease / 2)} // its lease says more then
	}
	return fmt.Errorf("execution.Executor: run %s: %w", info.Run, err)
}

// carryOut takes the run through its stages, until it is cancelled.
func (a *attempt) carryOut(ctx context.Context) error {
	ctx, interrupt, leave := a.cancelled.enter(ctx, a.id, a.info.Run)
	defer leave()
	a.interrupt = interrupt
	err := a.prepare(ctx)
	if err == nil && a.journal != nil {
		err = a.execute(ctx)
	}
	if err == nil && (!a.run.Ended || a.run.StandsStill()) {
		return a.standStill(ctx)
	}
	if err == nil {
		if err = a.settle(ctx); err != nil {
			err = fmt.Errorf("settle: %w", err)
		}
	}
	return err
}

// sole says that no other node is known to execute runs.
func (e *Executor) sole() bool { return e.config.Alone || e.config.Sole != nil && e.config.Sole() }

// meta says that the executor acts, for a run.
func (e *Executor) meta(run, step string) commands.Meta {
	return commands.Meta{CommandID: commands.DerivedID(run, step), CorrelationID: run, CausationID: run, Actor: "system:executor"}
}
