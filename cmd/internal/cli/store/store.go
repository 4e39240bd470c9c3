// Package store has the commands on the event log itself: where it is, copies, backups, signed checkpoints.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// NewCommand is 'kintsugi store'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("store", "The event log: where it is kept, copied and backed up",
		newInfoCommand(cli), newCopyCommand(cli), newBackupCommand(cli), newPositionCommand(cli),
		newCheckpointCommand(cli), newProofCommand(cli),
	)
}

// storeInfo is what -o json shows of a store.
type storeInfo struct {
	Backend app.Backend         `json:"backend"`
	Address string              `json:"address"`
	Newest  eventlog.Checkpoint `json:"newest"` // event
}

func newInfoCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "Which store is used, and how far it is",
		Long: `Show which backend keeps the event log, where, and its newest event: the position in this
store, its stream, its revision there and its id. These four words are a checkpoint, which
'kintsugi store position' finds again in a copy.`,
		Example: `  kintsugi store info
  kintsugi store info --store postgres://kintsugi@db/kintsugi -o json`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			address, err := cli.Address()
			if err != nil {
				return err
			}
			log, err := cli.OpenPlace(c.Context(), address)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			newest, err := eventlog.CheckpointAt(c.Context(), log, eventlog.End)
			if err != nil {
				return err
			}
			return cli.Show(storeInfo{address.Backend, address.String(), newest}, func(w io.Writer) {
				fmt.Fprintf(w, "Backend  %s\nAddress  %s\nNewest   %s\n", address.Backend, plain.Clean(address.String()), newest)
			})
		},
	}
}

// moved is what -o json shows of a position in two stores.
type moved struct {
	From   eventlog.Checkpoint `json:"from"`
	To     eventlog.Checkpoint `json:"to"`
	Number int64               `json:"number"` // the position in To, as clients of EventStoreDB write it
}

func newPositionCommand(cli *terminal.CLI) *cobra.Command {
	var from, to string
	command := &cobra.Command{
		Use: "position POSITION", Short: "Find a subscriber's position again in a copy of the log",
		Long: `A position is a place in one store. After a move to another one a subscriber that kept a
position goes on from the position that this command prints: that of the same event, found by
stream, revision and id. If no event is at the position itself, it is the newest before it.

POSITION is a number, or a checkpoint as 'kintsugi store info' shows it: position, stream,
revision and event id. With a checkpoint the old store is not needed any more.`,
		Example: `  kintsugi store position 4711 --from ./data --to postgres://kintsugi@db/kintsugi
  kintsugi store position "0000000000000004711 run-7 3 0190a1b2-0000-7000-8000-000000000001"`,
		Args: terminal.Takes(1, 4),
		RunE: func(c *cobra.Command, args []string) error {
			text := args[0]
			for _, more := range args[1:] {
				text += " " + more
			}
			return position(c.Context(), cli, text, from, to)
		},
	}
	command.Flags().StringVar(&from, "from", "", "the old store, where POSITION is a number; default the one of --store")
	command.Flags().StringVar(&to, "to", "", "the copy; default the one of --store")
	return command
}

func position(ctx context.Context, cli *terminal.CLI, text, from, to string) (err error) {
	if from == "" && to == "" && isNumber(text) {
		return fault.New(fault.Invalid, "a position is looked up in one store and found again in another: name one of them with --from or --to")
	}
	checkpoint, err := parseCheckpoint(ctx, cli, text, from)
	if err != nil {
		return err
	}
	address, err := cli.Place(to)
	if err != nil {
		return err
	}
	log, err := cli.OpenPlace(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	position, err := eventlog.Resolve(ctx, log, checkpoint)
	if not, ok := errors.AsType[*eventlog.NotOfLogError](err); ok {
		return fault.New(fault.NotFound, "%s: %w", address, not)
	}
	if err != nil {
		return err
	}
	there := checkpoint
	there.Position = position
	number, err := position.Number()
	if err != nil {
		return err
	}
	return cli.Show(moved{checkpoint, there, number}, func(w io.Writer) {
		fmt.Fprintln(w, number)
	})
}

// parseCheckpoint reads the checkpoint that a position names: in the store where it was kept, or by itself.
func parseCheckpoint(ctx context.Context, cli *terminal.CLI, text, from string) (checkpoint eventlog.Checkpoint, err error) {
	if !isNumber(text) {
		checkpoint, err := eventlog.ParseCheckpoint(text)
		if err != nil {
			return checkpoint, fault.New(fault.Invalid, "%w", err)
		}
		return checkpoint, nil
	}
	position, err := parsePosition(text)
	if err != nil {
		return checkpoint, err
	}
	address, err := cli.Place(from)
	if err != nil {
		return checkpoint, err
	}
	log, err := cli.OpenPlace(ctx, address)
	if err != nil {
		return checkpoint, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return eventlog.CheckpointAt(ctx, log, position)
}
