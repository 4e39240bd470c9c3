// Package serve has the commands that run a server: dev, and serve for one of several.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

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
	http    httpFlags
}

func (f *serverFlags) declare(flags *pflag.FlagSet) {
	flags.DurationVar(&f.grace, "grace", defaultGrace, "how long runs may go on after Ctrl-C")
	flags.IntVar(&f.agents, "agents", app.DefaultAgents, "how many agents may be at work at once, over all workflows")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also log what goes well")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "do not tell what happens: failures, repairs, what waits for you")
	f.http.declare(flags)
	f.listen.declare(flags)
}

// NewServeCommand is 'kintsugi serve'.
func NewServeCommand(cli *terminal.CLI) *cobra.Command {
	var own serverFlags
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run one of several servers that share a store",
		Long: `Run the server as 'kintsugi dev' does, as one of several that share a store. Each has a data
directory of its own; they share nothing but the event log. A run belongs to the node that started
it, for as long as that gives a sign of life; after --lease without one another node goes on with it
from its journal. On SIGTERM runs may finish for the grace period; the rest is handed over.`,
		Example: `  kintsugi serve --node-id a --store postgres://kintsugi@db/kintsugi`,
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if own.node == "" || strings.ContainsFunc(own.node, unicode.IsControl) {
				return fault.New(fault.Invalid, "--node-id is empty or has control characters: give each node a name of its own")
			}
			if own.lease < shortestLease {
				return fault.New(fault.Invalid, "--lease %s is shorter than %s: a slow moment would look like a dead node", own.lease, shortestLease)
			}
			return dev(c.Context(), cli, "kintsugi serve", own, c.Flags().Changed("listen"))
		},
	}
	own.declare(command.Flags())
	command.Flags().StringVar(&own.node, "node-id", app.NodeName(), "the name of this node; no other node may have it")
	command.Flags().DurationVar(&own.lease, "lease", loop.DefaultLease, "after how long without a sign of life another node takes a run over")
	return command
}

// NewDevCommand is 'kintsugi dev'.
func NewDevCommand(cli *terminal.CLI) *cobra.Command {
	own := serverFlags{node: app.NodeName()}
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
the official clients of any language can read it, subscribe, and keep groups of consumers
(persistent subscriptions). They may append nothing else, or, with --eventstore-allow-append,
to streams of their own. On an address that other machines
reach it asks for TLS and for a credential or certificate of every client.`,
		Example: `  kintsugi dev
  kintsugi dev --store postgres://kintsugi@db/kintsugi
  kintsugi dev --eventstore-listen 127.0.0.1:2113`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return dev(c.Context(), cli, "kintsugi dev", own, c.Flags().Changed("listen"))
		},
	}
	own.declare(command.Flags())
	return command
}

// open opens the node, and waits where what it stores in cannot be reached: who starts a server wants it to serve. There is no
// node if ctx ended meanwhile.
func open(ctx context.Context, cli *terminal.CLI, logger *slog.Logger) (*app.Node, error) {
	for told := false; ; told = true {
		n, err := cli.OpenPatient(ctx, app.ServerPatience, logger)
		switch {
		case !errors.Is(err, eventlog.ErrUnavailable):
			return n, err
		case !told:
			fmt.Fprintf(cli.Err, "Kintsugi waits for what it stores in, and serves once that can be reached. Stop with Ctrl-C. %v\n", err)
		}
		app.TellSystemd("EXTEND_TIMEOUT_USEC=120000000")
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(app.LookAgain):
		}
	}
}

func dev(ctx context.Context, cli *terminal.CLI, signed string, own serverFlags, listens bool) (err error) {
	if own.agents < 1 {
		return fault.New(fault.Invalid, "--agents %d: at least one agent has to be able to work", own.agents)
	}
	listen, grace := own.listen, own.grace
	if err := errors.Join(listen.validate(), own.http.validate()); err != nil {
		return err
	}
	level := slog.LevelWarn
	if own.verbose {
		level = slog.LevelInfo
	}
	logger := cli.Logger(level)
	lock, err := app.LockServer(cli.DataDir, signed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	n, err := open(ctx, cli, logger)
	if err != nil || n == nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	n = n.With(func(n *app.Node) {
		n.Name, n.Lease, n.Agents, n.Program, n.Links.Public = own.node, own.lease, own.agents, cli.Fixer.Argv(), own.http.public
	})
	if err := cli.UseModel(n); err != nil {
		return err
	}
	if err := cli.WarnOfUnpriced(ctx, n, logger); err != nil {
		return err
	}
	if err := n.Secrets.Check(ctx); err != nil && ctx.Err() == nil {
		logger.Error("the secrets cannot be read here: runs that use them will fail, and their workflows wait", "error", err)
	}
	served := app.Server{
		Node: n, Lock: lock, Grace: grace, Logger: logger,
		Serving: func() { fmt.Fprintf(cli.Err, "Kintsugi serves %s. Stop with Ctrl-C.\n", n.Address.Keeps(cli.DataDir)) },
		Stopping: func() {
			fmt.Fprintf(cli.Err, "Stopping: what is under way may finish for %s. Ctrl-C again does not wait.\n", grace)
		},
	}
	if own.http.listen != "" {
		web, err := own.http.serveHTTP(ctx, n, cli, listens, func(text string) { fmt.Fprintln(cli.Err, text) })
		if err != nil {
			return err
		}
		served.Beside = append(served.Beside, stall.Part{Name: "serving over HTTP", Run: web})
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
		served.Beside = append(served.Beside, stall.Part{Name: "serving the event log over gRPC", Run: func(ctx context.Context) error { return events.Serve(ctx, listener) }})
		fmt.Fprintln(cli.Err, listen.says(listener.Addr()))
	}
	if !own.quiet {
		stop, err := tellAll(context.WithoutCancel(ctx), cli, n)
		if err != nil {
			logger.Warn("what happens is not told here", "error", err)
		} else {
			defer stop()
		}
	}
	interrupted, err := served.Run(ctx)
	if err != nil {
		return err
	}
	if interrupted {
		return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("a run was cut short; its journal is kept and it goes on at the next start")}
	}
	return nil
}
