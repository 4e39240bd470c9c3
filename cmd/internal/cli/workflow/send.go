package workflow

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newSendCommand(cli *terminal.CLI) *cobra.Command {
	var input, key string
	command := &cobra.Command{
		Use: "send WORKFLOW", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("@input")), Short: "Hand a workflow an input, as a webhook does", Args: terminal.Takes(1, 1),
		Long: `Hand a workflow an input from outside. It becomes a run; while none can start it waits its turn
(--limit queue of the settings, 100 of them); beyond that, or if the workflow is a draft, paused or
archived, it is skipped, and the exit code is 4. The same --key again does nothing more, and says
what became of it. 'kintsugi dev' executes the runs.`,
		Example: `  kintsugi workflow send "New orders" --input @order.json --key order-4711`,
		RunE: func(c *cobra.Command, args []string) error {
			value, err := cli.ReadInput("--input", input)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, _, err := n.Runs.Send(c.Context(), cli.Actor(), id, key, value)
				if err != nil {
					return err
				}
				if err := cli.Show(shown, func(w io.Writer) { writeSent(w, shown) }); err != nil {
					return err
				}
				if shown.Outcome == app.SentSkipped || shown.Outcome == app.SentDropped {
					return &terminal.ExitError{Code: terminal.ExitConflict}
				}
				return nil
			})
		},
	}
	command.Flags().StringVar(&input, "input", "", "the input: JSON, @FILE, or - for standard input")
	command.Flags().StringVar(&key, "key", "", "what tells this input from others: sent twice, it is one")
	return command
}

func writeSent(w io.Writer, s app.Sent) {
	before := ""
	if s.Repeated {
		before = "It was sent before. "
	}
	switch s.Outcome {
	case app.SentRun:
		fmt.Fprintf(w, "%sRun %s starts with 'kintsugi dev', or with 'kintsugi workflow run'.\n", before, s.Run)
	case app.SentQueued:
		fmt.Fprintf(w, "%sIt waits for its turn, as run %s: %s\n", before, s.Run, plain.Clean(s.Reason))
	case app.SentSkipped:
		fmt.Fprintf(w, "%sIt is skipped: %s\n", before, plain.Clean(s.Reason))
	case app.SentDropped:
		fmt.Fprintln(w, "It is dropped: the workflow is archived.")
	}
}
