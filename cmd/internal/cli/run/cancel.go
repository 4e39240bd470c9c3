package run

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newCancelCommand(cli *terminal.CLI) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "cancel RUN", Annotations: terminal.RemoteOwned(installation.Run), Args: terminal.Takes(1, 1),
		Short: "Cancel a run that is under way, or that waits",
		Long: `Cancel a run. One that is under way ends before its next write, on whichever server it is. One that waits
for its retry, for a fix, for an answer or for a decision is given up. It is no failure: nothing is
repaired or tried again, and nobody is told. Its writes so far are listed, and stay.

A run that has ended is not cancelled. A repair that a run led to goes on, for the script is as it was.`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, _, err := ofRun(c.Context(), n, args[0])
				if err != nil {
					return err
				}
				cancelled, _, err := n.Runs.Cancel(c.Context(), cli.Meta(), id, reason)
				if err != nil {
					return err
				}
				return cli.Show(cancelled, func(w io.Writer) { writeCancelled(w, cancelled.Run, cancelled.Writes) })
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

// writeCancelled says of a run that was cancelled what it had written.
func writeCancelled(w io.Writer, row projections.Run, writes []app.Rewrite) {
	fmt.Fprintf(w, "Run %s is cancelled", row.ID)
	if row.Cancelled != "" {
		fmt.Fprintf(w, ": %s", plain.Line(row.Cancelled))
	}
	fmt.Fprintln(w, ".")
	if len(writes) == 0 {
		fmt.Fprintln(w, "It had written nothing.")
		return
	}
	fmt.Fprintln(w, "It had written, and that stays:")
	for _, one := range writes {
		doubt := ""
		if one.InDoubt {
			doubt = "  (nobody knows whether it happened)"
		}
		fmt.Fprintf(w, "  %s%s\n", one.Call, doubt)
	}
}
