package terminal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The forms of what is logged.
const (
	logText = "text"
	logJSON = "json"
)

// Logger writes what operators need to standard error, from a level on unless --log-level says another one.
func (cli *CLI) Logger(level slog.Level) *slog.Logger {
	if cli.log.level != "" {
		_ = level.UnmarshalText([]byte(cli.log.level)) // the flag takes levels only
	}
	options := &slog.HandlerOptions{Level: level}
	if cli.log.format == logJSON {
		return slog.New(slog.NewJSONHandler(redactingWriter{cli}, options))
	}
	return slog.New(slog.NewTextHandler(redactingWriter{cli}, options))
}

// Open opens the data directory and its log, and makes them if they are not there.
func (cli *CLI) Open(ctx context.Context) (*app.Node, error) {
	return cli.OpenPatient(ctx, app.CommandPatience, cli.Logger(slog.LevelWarn))
}

// OpenPatient is [CLI.Open] for a server, which waits longer for a store that is away.
func (cli *CLI) OpenPatient(ctx context.Context, patience time.Duration, logger *slog.Logger) (*app.Node, error) {
	if cli.caller != nil {
		return cli.caller.node, nil
	}
	address, err := cli.Address()
	if err != nil {
		return nil, err
	}
	return cli.openAt(ctx, address, patience, logger)
}

// openAt opens the data directory and the log at an address.
func (cli *CLI) openAt(ctx context.Context, address app.Address, patience time.Duration, logger *slog.Logger) (*app.Node, error) {
	state, err := cli.stateAddress(address)
	if err != nil {
		return nil, err
	}
	views, err := cli.viewsPlace(address)
	if err != nil {
		return nil, err
	}
	n, err := app.Open(ctx, cli.DataDir, address, views, patience, logger)
	if err == nil {
		n.State.Address = state
	}
	return n, err
}

// OpenExisting opens the data directory for a command that needs something in it.
func (cli *CLI) OpenExisting(ctx context.Context) (*app.Node, error) {
	if cli.caller != nil {
		return cli.caller.node, nil
	}
	address, err := cli.Address()
	if err != nil {
		return nil, err
	}
	if err := address.Exists(); errors.Is(err, eventlog.ErrDamaged) {
		return nil, err
	} else if err != nil {
		return nil, fault.New(fault.NotFound, "%s is not a data directory yet: name another with --data-dir, or begin one with 'kintsugi dev', 'kintsugi workflow create', 'kintsugi apply' or 'kintsugi repo plan start'", cli.DataDir)
	}
	return cli.openAt(ctx, address, app.CommandPatience, cli.Logger(slog.LevelWarn))
}

// With runs fn on the opened data directory, its views caught up.
func (cli *CLI) With(ctx context.Context, fn func(*app.Node) error) error {
	return cli.WithViewsAsTheyAre(ctx, func(n *app.Node) error {
		if err := n.Views.CatchUp(ctx); err != nil {
			return err
		}
		return fn(n)
	})
}

// WithViewsAsTheyAre is [CLI.With] for commands about the views themselves.
func (cli *CLI) WithViewsAsTheyAre(ctx context.Context, fn func(*app.Node) error) (err error) {
	n, err := cli.OpenExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	return fn(n)
}
