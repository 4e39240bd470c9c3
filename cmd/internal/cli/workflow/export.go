package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

func newExportCommand(cli *terminal.CLI) *cobra.Command {
	var file string
	command := &cobra.Command{
		Use: "export WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read, terminal.Writes("file")), Short: "Write a workflow's whole history, to take it into another installation",
		Long: `Write every event of a workflow, its runs and its repairs, in the order of the log: one event a
line, as JSON. 'kintsugi workflow import' takes it into another installation, where the workflow
goes on. For the script and its recorded runs alone there is 'kintsugi export'.

The hash chains are checked first; exit code 20 if one is broken.`,
		Example: `  kintsugi workflow export "Refund report" > refunds.jsonl
  kintsugi workflow export "Refund report" --file refunds.jsonl`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				return exportWorkflow(c.Context(), cli, n, id, file)
			})
		},
	}
	command.Flags().StringVar(&file, "file", "-", "where to write; - for standard output")
	return command
}

// exported is what -o json shows of a history that was written to a file.
type exported struct {
	Workflow string `json:"workflow"`
	File     string `json:"file"`
	Events   int    `json:"events"`
	Streams  int    `json:"streams"`
}

func exportWorkflow(ctx context.Context, cli *terminal.CLI, n *app.Node, id, file string) error {
	// One moment of the workflow, which may be going on: else a run's end could be there
	// without the run.
	head, err := n.Log.Head(ctx)
	if err != nil {
		return err
	}
	if err := n.Views.WaitFor(ctx, head); err != nil {
		return err
	}
	streams, err := n.History.Streams(ctx, id)
	if err != nil {
		return err
	}
	if err := n.History.VerifyChains(ctx, streams); err != nil {
		return err
	}
	records := upTo(n.Commands.Records(ctx, streams), head)
	if file == "-" {
		_, err := jsonl.Write(cli.Out, records)
		return err
	}
	created, err := cli.CreateFile(file)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	events, err := jsonl.Write(created, records)
	if err := errors.Join(err, created.Close()); err != nil {
		return fmt.Errorf("write the history to %s: %w", file, err)
	}
	return cli.Show(exported{id, file, events, len(streams)}, func(w io.Writer) {
		fmt.Fprintf(w, "Wrote %d events of %d streams to %s.\n", events, len(streams), file)
	})
}

// upTo leaves out what comes after a position.
func upTo(records iter.Seq2[eventlog.Record, error], head eventlog.Position) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range records {
			if err == nil && record.Position > head || !yield(record, err) {
				return
			}
		}
	}
}
