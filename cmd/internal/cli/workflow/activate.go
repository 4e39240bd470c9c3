package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newActivateCommand(cli *terminal.CLI) *cobra.Command {
	var allow []string
	command := &cobra.Command{
		Use: "activate WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit), Short: "Let runs start; also answers a pause, a wait and an escalation", Args: terminal.Takes(1, 1),
		Long: `Let runs start; also answers a pause, a wait and an escalation. What is switched on is said: which
hosts the script spells out, what it writes, which secrets it uses, when it runs.

Hosts that an agent or a bundle wrote into the script, and that nobody named, have to be named
first, with --allow-host. Otherwise nothing is activated (exit code 5).`,
		Example: `  kintsugi workflow activate "Refund report"
  kintsugi workflow activate "Refund report" --allow-host api.example.com`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				return activate(c.Context(), cli, n, id, args[0], allow)
			})
		},
	}
	command.Flags().StringSliceVar(&allow, "allow-host", nil, "a host, or host:port, that the script may reach, also if it is private")
	return command
}

// activate switches a workflow on, after it was looked at what that means.
func activate(ctx context.Context, cli *terminal.CLI, n *app.Node, id, called string, allow []string) error {
	shown, changed, err := n.Workflows.Activate(ctx, cli.Meta, id, allow)
	if unnamed, is := errors.AsType[*app.UnnamedError](err); is {
		terminal.WriteAccount(cli.Err, unnamed.Account, n.Now())
		return fault.New(fault.Forbidden, "%s: kintsugi workflow activate %s --allow-host %s", unnamed, plain.Quoted(called), plain.Quoted(strings.Join(unnamed.Account.Unnamed, ",")))
	}
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		if !changed {
			fmt.Fprintf(w, "%s is %s already.\n", plain.Line(shown.Title), shown.Status)
		} else {
			fmt.Fprintf(w, "%s: active (status %s).\n", plain.Line(shown.Title), shown.Status)
		}
		terminal.WriteGoOn(w, shown.GoOn)
		terminal.WriteAccount(w, *shown.SwitchedOn, n.Now())
	})
}
