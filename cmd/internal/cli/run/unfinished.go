package run

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// decideRun is a command that says what becomes of an unfinished run.
func decideRun(cli *terminal.CLI, use, short, long string, decide func(ctx context.Context, n *app.Node, id, run string) error) *cobra.Command {
	return &cobra.Command{Use: use, Annotations: terminal.RemoteOwned(installation.Run), Short: short, Long: long, Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			run, id, err := ofRun(c.Context(), n, args[0])
			if err != nil {
				return err
			}
			return decide(c.Context(), n, id, run)
		})
	}}
}

// ofRun is the run that a person names, and its workflow.
func ofRun(ctx context.Context, n *app.Node, reference string) (run, of string, err error) {
	if run, err = n.Resolve.Run(ctx, reference); err != nil {
		return "", "", err
	}
	row, err := n.Queries.Run(ctx, run)
	return run, row.Workflow, err
}

func newRetryCommand(cli *terminal.CLI) *cobra.Command {
	return decideRun(cli, "retry RUN", "Have any run that failed tried again",
		`Have any run that failed tried again, with the same input, and wait for what becomes of it: one that is
over, one that is half done, or one that waits for its retry. It goes on with what its journal has, so
nothing is written twice.

Exit codes as of 'kintsugi workflow run'.`, goOn(cli))
}

func newContinueCommand(cli *terminal.CLI) *cobra.Command {
	return decideRun(cli, "continue RUN", "Have a half-done run go on with the active version, or one that waits for its retry try now",
		`Have a run that failed half done go on with the version that is active now, and wait for what
becomes of it; a run that waits for its retry tries now instead. Its journal answers what it had done, so nothing is written twice: the version must
repeat what was written, in order, before it writes anything else. If it does not, the run ends
there, nothing more was written, and you are asked again.

Exit codes as of 'kintsugi workflow run'.`, goOn(cli))
}

// goOn has a run go on where it stopped.
func goOn(cli *terminal.CLI) func(ctx context.Context, n *app.Node, id, run string) error {
	return func(ctx context.Context, n *app.Node, id, run string) error {
		return cli.Attend(ctx, n, id, run, false, func() (commands.Result, error) {
			return n.Commands.ContinueRun(ctx, id, workflow.ContinueRun{Run: run}, cli.Meta())
		})
	}
}

func newRestartCommand(cli *terminal.CLI) *cobra.Command {
	var agreed bool
	command := decideRun(cli, "restart RUN", "Start a half-done run again from the beginning, with the same input",
		`Start a run that failed half done again from the beginning, on the version that is active now and
with the same input, and wait for what becomes of it. What it had written is written again: that is
listed first, and you are asked. Where nobody types, --yes says that it may be.

Exit codes as of 'kintsugi workflow run'.`,
		func(ctx context.Context, n *app.Node, id, run string) error {
			again, err := n.Runs.Restart(ctx, run, agreed)
			if fault.KindOf(err) == fault.Conflict && cli.Typed && cli.Format == terminal.FormatText {
				fmt.Fprintln(cli.Err, err)
				err = cli.Agree(ctx, "Start it again, and write all of that again?")
			} else if fault.KindOf(err) == fault.Conflict {
				err = fault.New(fault.Conflict, "%w: 'kintsugi run continue %s'. With --yes it is started again", err, run)
			}
			if err != nil {
				return err
			}
			again.Run = app.NewID()
			return cli.RunAdmitted(ctx, n, id, again)
		})
	command.Annotations = terminal.RemoteOwned(installation.Run, terminal.HearsTyping())
	command.Flags().BoolVar(&agreed, "yes", false, "what it had written may be written again")
	return command
}

func newRepairCommand(cli *terminal.CLI) *cobra.Command {
	return decideRun(cli, "repair RUN", "Have a failure of a run by hand repaired: of the run alone it becomes the workflow's",
		`Have the workflow mended of what a run by hand failed with, and wait for what becomes of it. A run by
hand that fails is that run's failure and changes nothing of its workflow. With this command it is
treated as a failure of a run that starts by itself: a maintainer looks for a fix, the gate proves it,
and the run goes on with it.

Exit codes as of 'kintsugi workflow run'.`,
		func(ctx context.Context, n *app.Node, id, run string) error {
			return cli.Attend(ctx, n, id, run, false, func() (commands.Result, error) {
				return n.Commands.RepairRun(ctx, id, run, cli.Meta())
			})
		})
}

func newLeaveCommand(cli *terminal.CLI) *cobra.Command {
	var note string
	var queued bool
	leave := func(ctx context.Context, n *app.Node, reference string) error {
		left, result, err := n.Runs.LeaveInput(ctx, cli.Meta(), reference, note)
		said := "The input of run %s is given up.\n"
		if fault.KindOf(err) == fault.NotFound && !queued {
			said, left.Note = "Run %s stays as it is.\n", note
			if left.Run, left.Workflow, err = ofRun(ctx, n, reference); err != nil {
				return err
			}
			result, err = n.Commands.LeaveRun(ctx, left.Workflow, workflow.LeaveRun{Run: left.Run, Note: note}, cli.Meta())
		}
		if err != nil {
			return err
		}
		if err := n.Views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		return cli.Show(left, func(w io.Writer) { fmt.Fprintf(w, said, left.Run) })
	}
	command := &cobra.Command{
		Use: "leave RUN", Annotations: terminal.RemoteOwned(installation.Judge), Args: terminal.Takes(1, 1),
		Short: "Leave a half-done run as it is; give up one that waits for its retry, or an input that waits",
		Long: `Leave a run that failed half done as it is, or give up one that waits for its retry. Of an input that
waits, also of one that never became a run, this is its outcome: 'kintsugi workflow show' lists them by
the run that they would become.`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error { return leave(c.Context(), n, args[0]) })
		},
	}
	command.Flags().StringVar(&note, "note", "", "why, or what you did about it, for the history")
	command.Flags().BoolVar(&queued, "queued", false, "only an input that waits, not a run that its person decides about")
	return command
}
