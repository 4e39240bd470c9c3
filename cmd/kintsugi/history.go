package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newHistoryCommand(a *app) *cobra.Command {
	var at string
	var verify, all bool
	command := &cobra.Command{
		Use:   "history WORKFLOW",
		Short: "Show every event of a workflow, in order",
		Long: `Show every event of a workflow: its transitions and, with --all or as JSON, every call of
every run and every message of every repair.

--at shows the workflow as it was, with its keys and files, and what is different now: after
a version first became active, after an event (its revision, REV), or at a time. A time
without a zone is local.
--verify checks the hash chain of every stream first; exit code 20 if one is broken.`,
		Example: `  kintsugi history "Refund report"
  kintsugi history "Refund report" --at 1.1
  kintsugi history "Refund report" --at "2026-03-01 08:00"
  kintsugi history "Refund report" --verify -o jsonl`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				streams, err := n.streams(c.Context(), id)
				if err != nil {
					return err
				}
				if verify {
					if err := n.verify(c.Context(), streams); err != nil {
						return err
					}
				}
				recorded, err := n.history(c.Context(), id, streams, all || at != "" || a.format != formatText)
				if err != nil {
					return err
				}
				if at != "" {
					err = a.showMoment(id, recorded, at, all || a.format != formatText)
				} else {
					err = a.showHistory(recorded)
				}
				if err == nil && verify {
					fmt.Fprintf(a.err, "The hash chains of all %d streams are whole.\n", len(streams))
				}
				return err
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&at, "at", "", "a version (1.1), a revision (14) or a time: stop there, show the state and what differs now")
	flags.BoolVar(&verify, "verify", false, "check the hash chains first")
	flags.BoolVar(&all, "all", false, "also what runs did and agents said")
	return command
}

func (n *node) streams(ctx context.Context, id string) ([]string, error) {
	found, err := n.queries.Streams(ctx, id)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, stream := range found {
		names[i] = stream.Name
	}
	return names, nil
}

func (n *node) verify(ctx context.Context, streams []string) error {
	err := n.commands.VerifyChains(ctx, streams)
	if broken, ok := errors.AsType[*chain.BrokenError](err); ok {
		return changedHistory(broken)
	}
	return err
}

func changedHistory(broken *chain.BrokenError) error {
	return changed(broken)
}

// history is the workflow's own stream, or everything.
func (n *node) history(ctx context.Context, id string, streams []string, all bool) ([]event.Recorded, error) {
	if !all {
		streams = []string{workflow.Stream(id)}
	}
	var recorded []event.Recorded
	for one, err := range n.commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		recorded = append(recorded, one)
	}
	return recorded, nil
}

// historyLine is an event as -o json shows it.
type historyLine struct {
	Position string          `json:"position"`
	Stream   string          `json:"stream"`
	Revision int64           `json:"revision"`
	Type     string          `json:"type"`
	Summary  string          `json:"summary"`
	Metadata event.Metadata  `json:"metadata"`
	Payload  json.RawMessage `json:"payload"`
}

func historyLines(recorded []event.Recorded) ([]historyLine, error) {
	lines := make([]historyLine, 0, len(recorded))
	for _, one := range recorded {
		payload, err := event.Marshal(one.Event)
		if err != nil {
			return nil, fmt.Errorf("show %s: %w", one.Event.EventType(), err)
		}
		lines = append(lines, historyLine{
			Position: one.Position, Stream: one.Stream, Revision: one.Revision, Type: one.Event.EventType(),
			Summary: describe(one.Event), Metadata: one.Metadata, Payload: payload,
		})
	}
	return lines, nil
}

func (a *app) showHistory(recorded []event.Recorded) error {
	lines, err := historyLines(recorded)
	if err != nil {
		return err
	}
	return a.show(lines, func(w io.Writer) { writeHistory(w, lines) })
}

func writeHistory(w io.Writer, lines []historyLine) {
	rows := make([][]string, len(lines))
	for i, one := range lines {
		rows[i] = []string{
			fmt.Sprint(one.Revision), one.Metadata.RecordedAt.Local().Format("2006-01-02 15:04:05.000"),
			one.Type, briefActor(one.Metadata.Actor), one.Summary,
		}
	}
	table(w, []string{"REV", "TIME", "EVENT", "ACTOR", "WHAT"}, rows)
}

// showMoment shows a workflow as it was, and what is different now.
func (a *app) showMoment(id string, recorded []event.Recorded, at string, all bool) error {
	stream := workflow.Stream(id)
	for _, one := range recorded {
		if _, erased := one.Event.(event.Erased); erased && one.Stream == stream {
			return fault.New(fault.Conflict, "what the workflow was is not known: revision %d (%s) was erased; see 'kintsugi history' without --at", one.Revision, one.Event.EventType())
		}
	}
	m, err := parseMoment(at)
	if err != nil {
		return err
	}
	n, err := m.cut(stream, recorded)
	if err != nil {
		return err
	}
	then, err := projections.LocalOf(recorded[:n])
	if err != nil {
		return err
	}
	now, err := projections.LocalOf(recorded)
	if err != nil {
		return err
	}
	before, after := recorded[:n], recorded[n:]
	if !all {
		ofOthers := func(one event.Recorded) bool { return one.Stream != stream }
		before, after = slices.DeleteFunc(slices.Clone(before), ofOthers), slices.DeleteFunc(slices.Clone(after), ofOthers)
	}
	lines, err := historyLines(before)
	if err != nil {
		return err
	}
	shown := momentBetween(at, snapshotOf(foldOf(stream, recorded[:n]), then), snapshotOf(foldOf(stream, recorded), now), lines)
	return a.show(shown, func(w io.Writer) {
		writeHistory(w, lines)
		writeMoment(w, shown, len(after))
	})
}
