package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func newStoreCommand(a *app) *cobra.Command {
	return group("store", "The event log: where it is kept, copied and backed up",
		newStoreInfoCommand(a), newStoreCopyCommand(a), newStoreBackupCommand(a), newStorePositionCommand(a),
		newStoreCheckpointCommand(a), newStoreProofCommand(a), newStoreViewsCommand(a),
	)
}

// openPlace opens a log to read what is in it.
func (a *app) openPlace(ctx context.Context, address storeAddress) (eventlog.Log, error) {
	if err := address.exists(); err != nil {
		return nil, err
	}
	return openLog(ctx, address, commandPatience, a.logger(slog.LevelWarn))
}

// place reads a flag that names a log; without one it is that of the command line.
func (a *app) place(text string) (storeAddress, error) {
	if text == "" {
		return a.address()
	}
	address, err := parsePlace(text)
	a.hide(address)
	return address, err
}

// storeInfo is what -o json shows of a store.
type storeInfo struct {
	Backend backend             `json:"backend"`
	Address string              `json:"address"`
	Newest  eventlog.Checkpoint `json:"newest"` // event
}

func newStoreInfoCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "Which store is used, and how far it is",
		Long: `Show which backend keeps the event log, where, and its newest event: the position in this
store, its stream, its revision there and its id. These four words are a checkpoint, which
'kintsugi store position' finds again in a copy.`,
		Example: `  kintsugi store info
  kintsugi store info --store postgres://kintsugi@db/kintsugi -o json`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			address, err := a.address()
			if err != nil {
				return err
			}
			log, err := a.openPlace(c.Context(), address)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, log.Close()) }()
			newest, err := eventlog.CheckpointAt(c.Context(), log, eventlog.End)
			if err != nil {
				return err
			}
			return a.show(storeInfo{address.backend, address.String(), newest}, func(w io.Writer) {
				fmt.Fprintf(w, "Backend  %s\nAddress  %s\nNewest   %s\n", address.backend, clean(address.String()), newest)
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

func newStorePositionCommand(a *app) *cobra.Command {
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
		Args: takes(1, 4),
		RunE: func(c *cobra.Command, args []string) error {
			text := args[0]
			for _, more := range args[1:] {
				text += " " + more
			}
			return a.position(c.Context(), text, from, to)
		},
	}
	command.Flags().StringVar(&from, "from", "", "the old store, where POSITION is a number; default the one of --store")
	command.Flags().StringVar(&to, "to", "", "the copy; default the one of --store")
	return command
}

func (a *app) position(ctx context.Context, text, from, to string) (err error) {
	if from == "" && to == "" && isNumber(text) {
		return fault.New(fault.Invalid, "a position is looked up in one store and found again in another: name one of them with --from or --to")
	}
	checkpoint, err := a.checkpoint(ctx, text, from)
	if err != nil {
		return err
	}
	address, err := a.place(to)
	if err != nil {
		return err
	}
	log, err := a.openPlace(ctx, address)
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
	return a.show(moved{checkpoint, there, number}, func(w io.Writer) {
		fmt.Fprintln(w, number)
	})
}

// checkpoint is what a position names: in the store where it was kept, or by itself.
func (a *app) checkpoint(ctx context.Context, text, from string) (checkpoint eventlog.Checkpoint, err error) {
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
	address, err := a.place(from)
	if err != nil {
		return checkpoint, err
	}
	log, err := a.openPlace(ctx, address)
	if err != nil {
		return checkpoint, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return eventlog.CheckpointAt(ctx, log, position)
}
