package run

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newExemptCommand(cli *terminal.CLI) *cobra.Command {
	var of, reason, since, until string
	command := &cobra.Command{
		Use: "exempt [RUN]", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Declare recorded successes wrong: fixes are not measured by them any more", Args: terminal.Takes(0, 1),
		Long: `Declare a recorded success wrong, with the reason, or all of a workflow since a time. The gate leaves
them out from now on, and counts them: a fix that changes what they did is not rejected for that. Only
a run that succeeded can be exempted: by one that failed, nothing is measured. What the runs wrote is
listed: that is what may have to be put right by hand.`,
		Example: `  kintsugi run exempt 0197f2… --workflow "Refund report" --reason "it counted refunds twice"
  kintsugi run exempt --workflow "Refund report" --since tuesday --reason "the amounts were 0"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				if len(args) == 0 || since != "" || until != "" {
					if len(args) > 0 || since == "" || of == "" {
						return fault.New(fault.Invalid, "name a run, or a workflow with --workflow and a time with --since")
					}
					return exemptSince(c.Context(), cli, n, of, since, until, reason)
				}
				return exemptOne(c.Context(), cli, n, args[0], of, reason)
			})
		},
	}
	command.Flags().StringVar(&of, "workflow", "", "the workflow that it is a run of, to be sure; with --since, whose runs")
	command.Flags().StringVar(&reason, "reason", "", "why it was wrong though it succeeded, for the history")
	command.Flags().StringVar(&since, "since", "", "all that succeeded since a day, a time or a weekday, like 2026-03-03, \"2026-03-03 08:00\" or tuesday")
	command.Flags().StringVar(&until, "until", "", "and began before this day or time")
	return command
}

func exemptOne(ctx context.Context, cli *terminal.CLI, n *app.Node, name, of, reason string) error {
	id, err := n.Resolve.Run(ctx, name)
	if err != nil {
		return err
	}
	row, err := n.Queries.Run(ctx, id)
	if err != nil {
		return err
	}
	if of != "" {
		named, err := n.Resolve.Workflow(ctx, of)
		if err != nil {
			return err
		}
		if named != row.Workflow {
			return fault.New(fault.Invalid, "run %s is one of workflow %s, not of %s", id, row.Workflow, named)
		}
	}
	shown, at, err := n.Runs.Exempt(ctx, row, reason, cli.Meta())
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Run %s of %s is left out by the gate: %s\n", shown.Run, plain.Line(at.Title), plain.Line(shown.Reason))
		writeWrites(w, shown.Writes)
		writeNext(w, at)
	})
}

// exemptSince exempts everything that succeeded since a time, and tells what it wrote.
func exemptSince(ctx context.Context, cli *terminal.CLI, n *app.Node, of, since, until, reason string) error {
	id, err := n.Resolve.Workflow(ctx, of)
	if err != nil {
		return err
	}
	from, err := app.ParseSince(since, n.Now())
	if err != nil {
		return err
	}
	before := time.Time{}
	if until != "" {
		if before, err = app.ParseSince(until, n.Now()); err != nil {
			return err
		}
	}
	shown, at, err := n.Runs.ExemptSince(ctx, cli.Meta, id, app.Between{From: from, Before: before}, reason)
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		if len(shown.Runs) == 0 {
			fmt.Fprintf(w, "No run of %s has succeeded since %s that is not left out already.\n", plain.Line(at.Title), from.Format("2006-01-02 15:04"))
			return
		}
		fmt.Fprintf(w, "Runs of %[2]s since %[3]s that the gate leaves out now: %[1]d. %[4]s\n", len(shown.Runs), plain.Line(at.Title), from.Format("2006-01-02 15:04"), plain.Line(reason))
		writeWrites(w, shown.Writes)
		writeNext(w, at)
	})
}

func writeWrites(w io.Writer, writes []app.MadeWrite) {
	if len(writes) == 0 {
		fmt.Fprintln(w, "Nothing was written.")
		return
	}
	fmt.Fprintln(w, "\nWhat was written, and may have to be put right:")
	rows := make([][]string, len(writes))
	for i, one := range writes {
		rows[i] = []string{one.Run, terminal.Local(w, one.At).Format("2006-01-02 15:04"), strconv.Itoa(one.Seq), plain.Line(one.Tool), one.Args}
	}
	terminal.Table(w, []string{"RUN", "BEGAN", "CALL", "WRITE", "WITH"}, rows)
}

func writeNext(w io.Writer, at projections.Workflow) {
	switch {
	case at.HeldFix != "":
		fmt.Fprintf(w, "Next: kintsugi fix recheck %s\n", at.HeldFix)
	case at.Status == workflow.StatusEscalated:
		fmt.Fprintf(w, "Next: kintsugi workflow activate %s; when it fails again, the repair is measured without what was left out.\n", at.ID)
	}
}

func newTrustCommand(cli *terminal.CLI) *cobra.Command {
	var note string
	command := decideRun(cli, "trust RUN", "Say that a run which looks wrong is right: that is learnt", `Say that a run is right which succeeded and looks wrong, or was stopped before it wrote: what was found is
known from now on, and the run is evidence for repairs. A run that was stopped goes on where it stopped.
'kintsugi run show' says what was found, and what the run would have written.`, func(ctx context.Context, n *app.Node, id, run string) error {
		result, err := n.Commands.TrustRun(ctx, id, workflow.TrustRun{Run: run, Note: note}, cli.Meta())
		if err != nil {
			return err
		}
		if err := n.Views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		at, err := n.Commands.LoadWorkflow(ctx, id)
		if err != nil {
			return err
		}
		_, goesOn := at.Retries[run]
		return cli.Show(map[string]any{"run": run, "workflow": id, "note": note, "goes_on": goesOn}, func(w io.Writer) {
			fmt.Fprintf(w, "Run %s is right. What looked wrong is known from now on.\n", run)
			if goesOn {
				fmt.Fprintln(w, "It goes on where it was stopped.")
			}
		})
	})
	command.Annotations = terminal.RemoteOwned(installation.Judge)
	command.Flags().StringVar(&note, "note", "", "why it is right, for the history")
	return command
}
