package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

// storeCopied is what -o json shows of a copy.
type storeCopied struct {
	From    string              `json:"from"`
	To      string              `json:"to"`
	Events  int64               `json:"events"`  // in the copy
	Present int64               `json:"present"` // of these were there before
	Copied  int64               `json:"copied"`
	Streams int                 `json:"streams"`
	Chained int                 `json:"chained"` // of these have a hash chain, which was verified
	Grown   bool                `json:"grown"`   // the source went on meanwhile: copy again
	Source  eventlog.Checkpoint `json:"source"`  // the last event of the copy, in the source
	Target  eventlog.Checkpoint `json:"target"`  // … and in the target
}

func newCopyCommand(cli *terminal.CLI) *cobra.Command {
	var from, to string
	command := &cobra.Command{
		Use: "copy --to STORE", Short: "Copy the event log to another backend, and prove that the copy is one",
		Long: `Copy the event log to another store: a data directory, a file, postgres://… or esdb://….
Ids, order, revisions and every byte stay the same, so hash chains verify, views go on, and
nothing is done twice or left out after the move. Positions and the time at which the store
recorded an event are the store's own; the time that counts is in the event's metadata.

The target has to be empty, or hold the beginning of the source and nothing else: a copy that
was stopped goes on where it was. Afterwards everything is read back and compared. The source
may be in use: what comes meanwhile is left for the next copy, and that there is more is said.
To move: copy, stop the server, copy again, start the server with the new --store. The target
must have no server and nobody else who writes to it.

The copy says how far each subscription is, so that nothing is delivered again. Secrets stay where
they are (--state): name that place to the new server, or set them again.

Exit code 4 if the target holds something else, or has a server; 20 if the history of the
source was changed. Nothing is written then.`,
		Example: `  kintsugi store copy --to postgres://kintsugi@db/kintsugi
  kintsugi store copy --from postgres://kintsugi@db/kintsugi --to ./data
  kintsugi store copy --from ./data --to "esdb://admin@localhost:2113?tls=false" -o json`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return copyStore(c.Context(), cli, from, to) },
	}
	command.Flags().StringVar(&from, "from", "", "what to copy; default the store of --store and --data-dir")
	command.Flags().StringVar(&to, "to", "", "where to: a directory, a file, or an address")
	_ = command.MarkFlagRequired("to") // it is declared
	return command
}

func copyStore(ctx context.Context, cli *terminal.CLI, from, to string) (err error) {
	source, err := cli.Place(from)
	if err != nil {
		return err
	}
	target, err := app.ParsePlace(to)
	cli.Hide(target)
	if err != nil {
		return err
	}
	if source.Same == target.Same {
		return fault.New(fault.Invalid, "%s is both the source and the target: name another one with --to", source)
	}
	reads, err := cli.OpenPlace(ctx, source)
	if err != nil {
		return fmt.Errorf("open the source: %w", err)
	}
	defer func() { err = errors.Join(err, reads.Close()) }()
	cli.NotePlaces(ctx, source, reads)
	release, err := target.Claim("kintsugi store copy")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	writes, err := app.OpenLog(ctx, target, app.CommandPatience, cli.Logger(slog.LevelWarn))
	if err != nil {
		return fmt.Errorf("open the target: %w", err)
	}
	defer func() { err = errors.Join(err, writes.Close()) }()

	shown := stageProgress{app: cli}
	result, err := logcopy.Copy(ctx, reads, writes, logcopy.Options{Chained: domain.OwnStream, Progress: shown.tell})
	shown.end()
	if err != nil {
		return copyError(ctx, err, source, target)
	}
	return cli.Show(storeCopied{
		From: source.String(), To: target.String(), Events: result.Events, Present: result.Present, Copied: result.Copied,
		Streams: result.Streams, Chained: result.Chained, Grown: result.Grown, Source: result.From, Target: result.To,
	}, func(w io.Writer) {
		fmt.Fprintf(w, "Copied %d events from %s to %s", result.Copied, plain.Clean(source.String()), plain.Clean(target.String()))
		if result.Present > 0 {
			fmt.Fprintf(w, "; %d were there before", result.Present)
		}
		fmt.Fprintf(w, ".\nAll %d events of %d streams were read back and are the same; the hash chains of %d streams are whole.\n",
			result.Events, result.Streams, result.Chained)
		if result.Grown {
			fmt.Fprintf(w, "The source has grown since. Before you switch: stop its server, and copy once more.\n")
		}
	})
}

func copyError(ctx context.Context, err error, source, target app.Address) error {
	if ctx.Err() != nil {
		return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("interrupted: what was copied stays, and the same command goes on from there")}
	}
	if _, broken := errors.AsType[*hashchain.BrokenError](err); broken {
		return &terminal.ExitError{Code: terminal.ExitBroken, Cause: fmt.Errorf("nothing was copied: the history in %s was changed: %w", source, err)}
	}
	if _, before := err.(*logcopy.DifferenceError); before {
		return fault.New(fault.Conflict, "nothing was copied, %s is not empty and not the beginning of a copy of %s: choose an empty target: %w", target, source, err)
	}
	return err
}

// stageProgress shows the stages of a copy, one after the other.
type stageProgress struct {
	app   *terminal.CLI
	stage logcopy.Stage
	bar   *terminal.Progress
}

func (s *stageProgress) tell(stage logcopy.Stage, done, total int64) {
	if stage != s.stage {
		s.end()
		s.stage, s.bar = stage, terminal.NewProgress(s.app, total, string(stage))
	}
	s.bar.Set(done)
}

func (s *stageProgress) end() {
	if s.bar != nil {
		s.bar.Done()
	}
}

// isNumber says that a text is meant as a position alone.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// parsePosition reads a position with or without its leading zeros.
func parsePosition(text string) (eventlog.Position, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", fault.New(fault.Invalid, "%q is not a position", text)
	}
	return eventlog.PositionOf(number), nil
}
