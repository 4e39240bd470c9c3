package terminal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// stateAddress is where the state store of this command line is. Its password is hidden wherever the address is
// printed.
func (cli *CLI) stateAddress(log app.Address) (app.Address, error) {
	address, err := app.ParseState(cli.state, cli.DataDir, log)
	cli.Hide(address)
	return address, err
}

// NotePlaces has a log say how far its subscriptions are, before a copy of it is made. The copy is made in any case.
func (cli *CLI) NotePlaces(ctx context.Context, of app.Address, log eventlog.Log) {
	dir := cli.DataDir
	if of.Backend == app.SQLite {
		dir = filepath.Dir(of.Path)
	}
	state, err := app.ParseState(cli.state, dir, of)
	cli.Hide(state)
	if err == nil {
		err = app.NotePlaces(ctx, log, state, cli.Logger(slog.LevelWarn))
	}
	if err != nil {
		fmt.Fprintln(cli.Err, cli.Redact(fmt.Sprintf("How far subscriptions are is not in the copy, or not as it is now: where it is used without what is kept beside this log, events may be delivered again: %v", err)))
	}
}

// viewsPlace is where the views of this command line are.
func (cli *CLI) viewsPlace(log app.Address) (app.ViewsPlace, error) {
	place, err := app.ParseViews(cli.views, cli.DataDir, log)
	cli.Hide(place.Database)
	return place, err
}

// OpenPlace opens a log to read what is in it.
func (cli *CLI) OpenPlace(ctx context.Context, address app.Address) (eventlog.Log, error) {
	if err := address.Exists(); err != nil {
		return nil, err
	}
	return app.OpenLog(ctx, address, app.CommandPatience, cli.Logger(slog.LevelWarn))
}

// Place reads a flag that names a log; without one it is that of the command line.
func (cli *CLI) Place(text string) (app.Address, error) {
	if text == "" || cli.caller != nil {
		return cli.Address()
	}
	address, err := app.ParsePlace(text)
	cli.Hide(address)
	return address, err
}

// Address is where the log of this command line is. Its password is hidden wherever the address is printed.
func (cli *CLI) Address() (app.Address, error) {
	if cli.caller != nil {
		return app.Address{}, fault.New(fault.Forbidden, "where the server keeps things is not told to anybody elsewhere")
	}
	address, err := app.ParseStore(cli.Store, cli.DataDir)
	cli.Hide(address)
	return address, err
}

// Hide keeps the passwords of an address out of everything that is printed and logged.
func (cli *CLI) Hide(address app.Address) { cli.addresses = append(cli.addresses, address) }

// Redact takes passwords out of a text: of the addresses that are in use, and of whatever
// looks like an address, which somebody may have put in the wrong place.
func (cli *CLI) Redact(text string) string {
	for _, address := range cli.addresses {
		text = address.Redact(text)
	}
	return anyAddress.ReplaceAllString(text, "${1}"+app.Hidden+"@")
}

var anyAddress = lazyregexp.New(`(://[^:/?#\s@]*:)\S*@`)

// redactingWriter takes passwords out of what is logged.
type redactingWriter struct{ app *CLI }

// Write implements [io.Writer]. A logger writes one line at a time.
func (w redactingWriter) Write(p []byte) (int, error) {
	if _, err := fmt.Fprint(w.app.Err, w.app.Redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WithLog lends the log of this command line to fn.
func (cli *CLI) WithLog(ctx context.Context, fn func(eventlog.Log) error) (err error) {
	address, err := cli.Address()
	if err != nil {
		return err
	}
	log, err := cli.OpenPlace(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return fn(log)
}
