package workflow

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

// activated is a workflow that was switched on, and what is on now.
type activated struct {
	projections.Workflow
	SwitchedOn *egress.Account  `json:"switched_on,omitempty"`
	GoOn       []app.Unfinished `json:"go_on,omitempty"` // half-done runs that go on where they stopped
}

func newActivateCommand(cli *terminal.CLI) *cobra.Command {
	var allow []string
	command := &cobra.Command{
		Use: "activate WORKFLOW", Short: "Let runs start; also answers a pause, a wait and an escalation", Args: terminal.Takes(1, 1),
		Long: `Let runs start; also answers a pause, a wait and an escalation. What is switched on is said: which
hosts the script spells out, what it writes, which secrets it uses, when it runs.

Hosts that an agent or a bundle wrote into the script, and that nobody named, have to be named
first, with --allow-host. Otherwise nothing is activated (exit code 5).`,
		Example: `  kintsugi workflow activate "Refund report"
  kintsugi workflow activate "Refund report" --allow-host api.example.com`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if err := n.AllowHosts(c.Context(), terminal.Actor(), id, allow); err != nil {
					return err
				}
				return activate(c.Context(), cli, n, id, args[0])
			})
		},
	}
	command.Flags().StringSliceVar(&allow, "allow-host", nil, "a host, or host:port, that the script may reach, also if it is private")
	return command
}

// activate switches a workflow on, after it was looked at what that means.
func activate(ctx context.Context, cli *terminal.CLI, n *app.Node, id, called string) error {
	account, err := egress.AccountOf(ctx, n.Commands, id)
	if err != nil {
		return err
	}
	if len(account.Unnamed) > 0 {
		terminal.WriteAccount(cli.Err, account, n.Now())
		return fault.New(fault.Forbidden, "not activated: nobody has named %s. If version %s may go there: kintsugi workflow activate %s --allow-host %s",
			strings.Join(account.Unnamed, ", "), account.Version, plain.Quoted(called), plain.Quoted(strings.Join(account.Unnamed, ",")))
	}
	before, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	result, err := n.Commands.ActivateWorkflow(ctx, id, workflow.Activate{Of: account.Of}, terminal.Meta())
	if err != nil {
		return err
	}
	if err := n.Views.WaitFor(ctx, result.Position); err != nil {
		return err
	}
	shown, err := n.Queries.Workflow(ctx, id)
	if err != nil {
		return err
	}
	again := app.GoOnAgain(before, result.Events)
	return cli.Show(activated{shown, &account, again}, func(w io.Writer) {
		if len(result.Events) == 0 {
			fmt.Fprintf(w, "%s is %s already.\n", plain.Line(shown.Title), shown.Status)
		} else {
			fmt.Fprintf(w, "%s: active (status %s).\n", plain.Line(shown.Title), shown.Status)
		}
		terminal.WriteGoOn(w, again)
		terminal.WriteAccount(w, account, n.Now())
	})
}
