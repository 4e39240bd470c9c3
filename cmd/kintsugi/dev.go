package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// noticed is how long people wait without a word.
const noticed = 100 * time.Millisecond

const (
	// defaultGrace is how long runs may go on after the server was told to stop.
	defaultGrace = 10 * time.Second
	// shortestLease is what a node survives that the system does not let run for a moment.
	shortestLease = time.Second
)

// serverFlags are how a server runs.
type serverFlags struct {
	grace   time.Duration
	verbose bool
	quiet   bool
	node    string
	lease   time.Duration
	agents  int
	listen  eventstoreFlags
}

func (f *serverFlags) declare(flags *pflag.FlagSet) {
	flags.DurationVar(&f.grace, "grace", defaultGrace, "how long runs may go on after Ctrl-C")
	flags.IntVar(&f.agents, "agents", defaultAgents, "how many agents may be at work at once, over all workflows")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also log what goes well")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "do not tell what happens: failures, repairs, what waits for you")
	f.listen.declare(flags)
}

func newServeCommand(a *app) *cobra.Command {
	var own serverFlags
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run one of several servers that share a store",
		Long: `Run the server as 'kintsugi dev' does, as one of several that share a store. Each has a data
directory of its own; they share nothing but the event log. A run belongs to the node that started
it, for as long as that gives a sign of life; after --lease without one another node goes on with it
from its journal. On SIGTERM runs may finish for the grace period; the rest is handed over.`,
		Example: `  kintsugi serve --node-id a --store postgres://kintsugi@db/kintsugi`,
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if own.node == "" || strings.ContainsFunc(own.node, unicode.IsControl) {
				return fault.New(fault.Invalid, "--node-id is empty or has control characters: give each node a name of its own")
			}
			if own.lease < shortestLease {
				return fault.New(fault.Invalid, "--lease %s is shorter than %s: a slow moment would look like a dead node", own.lease, shortestLease)
			}
			return a.dev(c.Context(), "kintsugi serve", own)
		},
	}
	own.declare(command.Flags())
	command.Flags().StringVar(&own.node, "node-id", nodeName(), "the name of this node; no other node may have it")
	command.Flags().DurationVar(&own.lease, "lease", loop.DefaultLease, "after how long without a sign of life another node takes a run over")
	return command
}

func newDevCommand(a *app) *cobra.Command {
	own := serverFlags{node: nodeName()}
	command := &cobra.Command{
		Use:   "dev",
		Short: "Run the server in the foreground until Ctrl-C",
		Long: `Run the server in the foreground: it executes admitted runs, retries, and repairs.
Other commands work beside it on the same data directory.

What happens is told, a line each: runs that failed, repairs, what waits for you. --quiet for none.

Ctrl-C lets runs under way finish for the grace period, a second Ctrl-C does not wait. What is
cut short is kept in its journal and goes on at the next start. Exit code 130 if a run was
cut short.

--eventstore-listen also serves the event log over the protocol of EventStoreDB and KurrentDB:
the official clients of any language can read it and subscribe. They may append nothing, or,
with --eventstore-allow-append, to streams of their own. On an address that other machines
reach it asks for TLS and for a credential or certificate of every client.`,
		Example: `  kintsugi dev
  kintsugi dev --store postgres://kintsugi@db/kintsugi
  kintsugi dev --eventstore-listen 127.0.0.1:2113`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return a.dev(c.Context(), "kintsugi dev", own) },
	}
	own.declare(command.Flags())
	return command
}

func (a *app) dev(ctx context.Context, signed string, own serverFlags) (err error) {
	if own.agents < 1 {
		return fault.New(fault.Invalid, "--agents %d: at least one agent has to be able to work", own.agents)
	}
	listen, grace := own.listen, own.grace
	if err := listen.validate(); err != nil {
		return err
	}
	level := slog.LevelWarn
	if own.verbose {
		level = slog.LevelInfo
	}
	logger := a.logger(level)
	lock, err := lockServer(a.dataDir, signed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	n, err := a.openPatient(ctx, serverPatience, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	n.name, n.lease, n.agents, n.program = own.node, own.lease, own.agents, a.fixer.argv()
	if err := a.useModel(n); err != nil {
		return err
	}
	if err := a.warnOfUnpriced(ctx, n, logger); err != nil {
		return err
	}
	if err := n.checkSecrets(ctx); err != nil && ctx.Err() == nil {
		logger.Error("the secrets cannot be read here: runs that use them will fail, and their workflows wait", "error", err)
	}
	served := server{
		node: n, lock: lock, grace: grace, logger: logger,
		serving: func() { fmt.Fprintf(a.err, "Kintsugi serves %s. Stop with Ctrl-C.\n", n.address.keeps(a.dataDir)) },
		stopping: func() {
			fmt.Fprintf(a.err, "Stopping: what is under way may finish for %s. Ctrl-C again does not wait.\n", grace)
		},
	}
	if listen.listen != "" {
		listener, err := listen.open(ctx)
		if err != nil {
			return err
		}
		events, err := listen.server(n)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		served.beside = append(served.beside, func(ctx context.Context) error { return events.Serve(ctx, listener) })
		fmt.Fprintln(a.err, listen.says(listener.Addr()))
	}
	if !own.quiet {
		stop, err := a.tellAll(context.WithoutCancel(ctx), n)
		if err != nil {
			logger.Warn("what happens is not told here", "error", err)
		} else {
			defer stop()
		}
	}
	interrupted, err := served.run(ctx)
	if err != nil {
		return err
	}
	if interrupted {
		return &exitError{code: exitInterrupted, cause: errors.New("a run was cut short; its journal is kept and it goes on at the next start")}
	}
	return nil
}

// server is a node at work: what follows from the log by itself, the views, and what is served beside them.
type server struct {
	node   *node
	lock   *serverLock
	grace  time.Duration // how long runs may go on after it was told to stop
	logger *slog.Logger
	// beside is served until its context ends: the event log over a protocol of others.
	beside []func(context.Context) error
	// serving is called when all of it runs, stopping when it waits for what is under way.
	serving, stopping func()
}

// run serves until ctx ends, and what is under way then has ended or the grace period is over: then it was
// cut short. Its journal is kept.
func (s *server) run(ctx context.Context) (cutShort bool, err error) {
	n := s.node
	n.log.room.tell = func(full error) {
		s.lock.full(full != nil)
		if full != nil {
			s.logger.Error("the server cannot write: the disk is full; what is under way is tried again, more and more seldom, and goes on once there is room", "error", full)
			return
		}
		s.logger.Warn("there is room on the disk again: the server goes on")
	}
	pool := newPool(s.logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	if s.logger.Enabled(ctx, slog.LevelInfo) {
		walls, err := pool.Containment(ctx)
		if err != nil {
			return false, err
		}
		for _, wall := range walls {
			s.logger.Info("around scripts", "wall", wall.String())
		}
	}

	// Work goes on after ctx ended, for the grace period.
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	loop := n.loop(pool, n.newFixers(pool), "")
	parts := append([]func(context.Context) error{
		func(ctx context.Context) error { return outlast(ctx, s.logger, lookAgain, loop.Run) },
		func(ctx context.Context) error { return outlast(ctx, s.logger, lookAgain, n.views.Run) },
	}, s.beside...)
	ended := make(chan error, len(parts))
	for _, part := range parts {
		go func() { ended <- part(work) }()
	}
	s.serving()

	running := len(parts)
	var faults []error
	select {
	case <-ctx.Done():
	case err := <-ended:
		running--
		faults = append(faults, err)
	case err := <-n.log.failed:
		faults = append(faults, err)
		cut() // no journal can be written any more
	}
	loop.Drain()
	idle := make(chan struct{})
	go func() { loop.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(noticed):
		s.stopping()
		select {
		case <-idle:
		case <-time.After(s.grace):
			cutShort = true
		}
	}
	cut()
	for ; running > 0; running-- {
		faults = append(faults, <-ended)
	}
	return cutShort, errors.Join(faults...)
}

// serve runs the reactions for one workflow until nothing is left to do now. If something
// is left because it failed, the error says why.
func (n *node) serve(ctx context.Context, id string) (err error) {
	trouble := &troubles{Handler: n.logger.Handler()}
	logger := slog.New(trouble)
	pool := newPool(logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	served := *n
	served.logger = logger
	if err := served.loop(pool, served.newFixers(pool), id).Settle(ctx); err != nil {
		return err
	}
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if cause := trouble.last.Load(); cause != nil && (len(state.Admitted) > 0 || state.MaintainerWanted()) {
		return fmt.Errorf("what is under way could not be finished, and goes on with the next 'kintsugi dev' or 'kintsugi workflow run': %w", *cause)
	}
	return nil
}

// serveAmongOthers is [node.serve] until a run is settled: other nodes have the same log, if it
// is not in this directory, and one of them may have taken the run.
func (n *node) serveAmongOthers(ctx context.Context, id, run string) error {
	hint, release := n.log.Wake()
	defer release()
	for {
		if err := n.serve(ctx, id); err != nil || n.address.backend == sqliteBackend {
			return err
		}
		look := time.NewTimer(othersLooked)
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

// othersLooked is how often it is seen whether another node is still at a run.
const othersLooked = time.Second

// underWayElsewhere says that a run, or one that goes on from it, is what another node is at.
func (n *node) underWayElsewhere(ctx context.Context, id, run string) (bool, error) {
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return false, err
	}
	for _, info := range state.Admitted {
		if info.Run != run && info.Continues == "" {
			continue
		}
		journal, err := n.commands.LoadRun(ctx, info.Run)
		if err != nil && fault.KindOf(err) != fault.NotFound { // it may be admitted and not started
			return false, err
		}
		if len(journal.InDoubt()) == 0 { // else it waits for a person
			return true, nil
		}
	}
	return false, nil
}

// troubles keeps the last error instead of logging it: a loop logs what goes wrong and
// tries again, which a command that ends cannot do.
type troubles struct {
	slog.Handler
	last atomic.Pointer[error]
}

// Handle implements [slog.Handler].
func (t *troubles) Handle(ctx context.Context, record slog.Record) error {
	if record.Level < slog.LevelError {
		return t.Handler.Handle(ctx, record)
	}
	record.Attrs(func(attr slog.Attr) bool {
		if err, ok := attr.Value.Any().(error); ok {
			t.last.Store(&err)
		}
		return true
	})
	return nil
}

// follow waits until a run of another process's server came to its end: settled, and, if it
// failed, repaired or given up. If that server ends before, this process takes its place, and signs the
// lock so. It tells whether that server's disk is full, each time that changes.
func (n *node) follow(ctx context.Context, signed, id, run string, tellFull func(full bool)) error {
	full := false
	hint, release := n.log.Wake()
	defer release()
	look := time.NewTicker(serverLooked)
	defer look.Stop()
	for {
		state, err := n.commands.LoadWorkflow(ctx, id)
		if err != nil {
			return err
		}
		if settledFor(state, run, n.now()) {
			return nil
		}
		if still, err := n.standsStill(ctx, state, run); err != nil || still != "" {
			return err
		}
		if why, err := n.repairWaits(ctx, repairThread(state)); err != nil || why != "" {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-hint:
		case <-look.C:
			lock, err := lockServer(n.dir, signed)
			if held, is := errors.AsType[*heldError](err); is {
				if held.holder.PID != 0 && held.holder.Full != full {
					full = held.holder.Full
					tellFull(full)
				}
				continue
			}
			if err != nil {
				return err
			}
			return errors.Join(n.serve(ctx, id), lock.Release())
		}
	}
}

// serverLooked is how often it is seen whether the server that was relied on is still there.
const serverLooked = 250 * time.Millisecond

// settledFor says that nothing more will come of a run by itself, now.
func settledFor(s workflow.State, run string, now time.Time) bool {
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
