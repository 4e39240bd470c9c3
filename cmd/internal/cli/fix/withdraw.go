package fix

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newWithdrawCommand(cli *terminal.CLI) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "withdraw FIX", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Take applied fixes back that no run has confirmed", Args: terminal.Takes(1, 1),
		Long: `Take back what was applied and not confirmed: the last confirmed version is active again, and the
workflow is handed to you. Fixes build on each other, so all unconfirmed ones of the workflow go;
FIX is one of them, or the workflow. For a fix that was confirmed: kintsugi script rollback.`,
		Example: `  kintsugi fix withdraw 3f0c… --reason "the totals are wrong"
  kintsugi fix withdraw "Refund report"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Fixes.Withdrawable(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, _, err := n.Fixes.Withdraw(c.Context(), id, reason, cli.Meta())
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Withdrawn: %s. Version %s is active again, status %s.\n", strings.Join(shown.Withdrawn, ", "), shown.Active, shown.Status)
					fmt.Fprintf(w, "Next: kintsugi script save %s --file SCRIPT, or: kintsugi workflow activate %s\n", id, id)
				})
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}
