package subscription

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newSetSecretCommand(cli *terminal.CLI) *cobra.Command {
	var file string
	command := &cobra.Command{
		Use: "set-secret NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit), terminal.Reads("file")), Short: "Replace the password that a target is shown", Args: terminal.Takes(1, 1),
		Long: `Replace the password with which a subscription signs in at its server, or the address of its Slack
webhook. It is read from standard input or --file, never from the command line, and encrypted in the
vault. Deliveries that failed are tried with it. What signs a webhook is made by 'subscription rotate-key'.`,
		Example: `  kintsugi subscription set-secret finance < password`,
		RunE: func(c *cobra.Command, args []string) error {
			return changed(c.Context(), cli, args[0], func(n *app.Node) error {
				text, err := cli.ReadFile(file)
				if err != nil {
					return err
				}
				return n.Subscriptions.SetTargetSecret(c.Context(), cli.Meta(), args[0], strings.TrimRight(text, "\r\n"))
			})
		},
	}
	command.Flags().StringVar(&file, "file", "-", "where the secret is; - is standard input")
	return command
}
