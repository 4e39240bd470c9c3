package fix

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// withdrawn is what a withdrawal came to.
type withdrawn struct {
	Workflow  string          `json:"workflow"`
	Withdrawn []string        `json:"withdrawn"` // versions, the oldest first
	Active    string          `json:"active"`
	Status    workflow.Status `json:"status"`
}

func newWithdrawCommand(cli *terminal.CLI) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "withdraw FIX", Short: "Take applied fixes back that no run has confirmed", Args: terminal.Takes(1, 1),
		Long: `Take back what was applied and not confirmed: the last confirmed version is active again, and the
workflow is handed to you. Fixes build on each other, so all unconfirmed ones of the workflow go;
FIX is one of them, or the workflow. For a fix that was confirmed: kintsugi script rollback.`,
		Example: `  kintsugi fix withdraw 3f0c… --reason "the totals are wrong"
  kintsugi fix withdraw "Refund report"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Withdrawable(c.Context(), args[0])
				if err != nil {
					return err
				}
				result, err := n.Commands.WithdrawFixes(c.Context(), id, workflow.WithdrawFixes{Reason: reason}, cli.Meta())
				if err != nil {
					return err
				}
				shown := withdrawn{Workflow: id, Withdrawn: []string{}}
				for _, one := range result.Events {
					if escalated, is := one.Event.(workflow.Escalated); is {
						shown.Active = escalated.Active.String()
						for _, v := range escalated.Withdrawn {
							shown.Withdrawn = append(shown.Withdrawn, v.String())
						}
					}
				}
				state, err := n.Commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				shown.Status = state.Status
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
