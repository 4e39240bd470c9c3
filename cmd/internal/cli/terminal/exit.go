package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// The exit codes of replay, prove and mend: they are for scripts and differ from those of
// the other commands.
const (
	ExitDiffers = 1 // a run differs, the candidate is different, no fix was found
	ExitHeld    = 3 // a person has to decide
)

// Unreadable ends a bundle command that was given something it cannot use.
func Unreadable(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Cause: fmt.Errorf(format, args...)}
}

// The exit codes. The bundle commands (replay, prove, mend) have the meanings that
// SCRIPTS gives them; docs/cli.md is for people.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2 // wrong usage, or input that cannot be read
	ExitNotFound    = 3
	ExitConflict    = 4 // the state does not allow it now, or another server has the directory
	ExitForbidden   = 5
	ExitUnreachable = 6  // the server that was to carry it out is not reached
	ExitRunFailed   = 10 // the run ended with a failure
	ExitEscalated   = 11 // … and a person is needed for it to go on
	ExitBroken      = 20 // the history, its store or a certificate is broken
	ExitInterrupted = 130
)

// ExitError ends the program with a code of its own. A nil cause says nothing more: the
// result was printed.
type ExitError struct {
	Code  int
	Cause error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Cause.Error()
}

// Unwrap gives the cause.
func (e *ExitError) Unwrap() error { return e.Cause }

// failInJSON says on standard error why a command failed, as one line for machines.
func (cli *CLI) failInJSON(ctx context.Context, err error) int {
	code := cli.ExitCode(ctx, err)
	encoder := json.NewEncoder(cli.Err)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // there is nobody else to tell
		Error    string `json:"error"`
		Advice   string `json:"advice,omitempty"`
		ExitCode int    `json:"exit_code"`
	}{cli.Redact(err.Error()), advice(err), code})
	return code
}

// advice is what people can do about an error that comes from far below.
func advice(err error) string {
	_, unknown := errors.AsType[*event.UnknownTypeError](err)
	switch {
	case unknown:
		return "Use the program that wrote it, or a newer one. Workflows without such events are not affected."
	case errors.Is(err, eventlog.ErrFull), sqlitedb.IsFull(err):
		return "The disk is full. Nothing that was acknowledged is lost: free some space, and try again."
	case errors.Is(err, eventlog.ErrFailed):
		return "Nothing that was acknowledged is lost. See what the disk or the server says, and start again."
	case sqlitedb.IsUnwritable(err):
		return "Who runs this must be able to write the data directory, also to read it: allow that, or copy it to where it is allowed."
	case sqlitedb.IsIO(err):
		return "The disk is full, or it failed, or a limit of file sizes (ulimit -f) is reached. Nothing that was acknowledged is lost: make room, and try again."
	}
	return ""
}

// ExitCode is what an error ends the program with.
func (cli *CLI) ExitCode(ctx context.Context, err error) int {
	if own, ok := errors.AsType[*ExitError](err); ok {
		return own.Code
	}
	if _, broken := errors.AsType[*app.IntegrityError](err); broken {
		return ExitBroken
	}
	if ctx.Err() != nil {
		return ExitInterrupted
	}
	if _, held := errors.AsType[*app.HeldError](err); held {
		return ExitConflict
	}
	if _, broken := errors.AsType[*hashchain.BrokenError](err); broken || errors.Is(err, eventlog.ErrDamaged) {
		return ExitBroken
	}
	if !cli.started {
		return ExitUsage
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return ExitUsage
	case fault.NotFound:
		return ExitNotFound
	case fault.Conflict:
		return ExitConflict
	case fault.Forbidden:
		return ExitForbidden
	}
	return ExitFailure
}
