package workflow

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

func newHookCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("hook", "Addresses at which the outside starts a workflow", newHookAddCommand(cli), newHookListCommand(cli), newHookRemoveCommand(cli))
}

func newHookAddCommand(cli *terminal.CLI) *cobra.Command {
	style, from, within := workflow.HookStandard, "", time.Duration(0)
	command := &cobra.Command{
		Use: "add WORKFLOW NAME", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("secret")), Short: "Make a hook: a POST to it starts the workflow", Args: terminal.Takes(2, 2),
		Long: `Make a hook: a POST to /hooks/WORKFLOW/NAME of a server here hands the workflow its JSON, or the fields
of a form, as an input, as 'kintsugi workflow send' does. A sender proves itself with the hook's secret:
signed as Standard Webhooks says (an id, a time within 5 minutes, HMAC-SHA256), with the secret itself
(token: Authorization: Bearer …), or as a service does: github, stripe, slack, shopify, twilio, meta,
zoom, discord, linear or telegram. Their challenges are answered, and what they send is taken once.

A secret is made here and shown this once. A service that makes its own (all but github and telegram)
shows it where you set the hook up (signing secret, app secret, auth token, public key): give it with
--secret FILE, or --secret - for standard input.

With --answer-within the sender waits for the run, and is answered with what that returns: {status, type,
body} as it says (type: application/json, text/plain or text/xml), any other value as JSON with status 200. A
run that failed is a 500 without its error; one that has not ended, or is tried again, a 202.`,
		Example: `  kintsugi workflow hook add "New orders" shop
  kintsugi workflow hook add "On push" github --style github
  kintsugi workflow hook add "Price of an order" price --style token --answer-within 20s
  kintsugi workflow hook add "Payments" stripe --style stripe --secret - < secret`,
		RunE: func(c *cobra.Command, args []string) error {
			secret := ""
			if from != "" {
				text, err := cli.ReadFile(from)
				if err != nil {
					return err
				}
				secret = strings.TrimSpace(text)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				made, _, err := n.Workflows.AddHook(c.Context(), cli.Meta(), id, args[1], style, secret, within)
				if err != nil {
					return err
				}
				return cli.Show(made, func(w io.Writer) {
					fmt.Fprintf(w, "A POST to %s of a server here starts it.\n", made.Path)
					if made.Secret != "" {
						fmt.Fprintf(w, "Senders prove themselves (%s) with this secret, which is not shown again:\n  %s\n", made.Style, made.Secret)
					}
					if made.Verify != "" {
						fmt.Fprintf(w, "The verify token to give to Meta, which is not shown again:\n  %s\n", made.Verify)
					}
				})
			})
		},
	}
	command.Flags().StringVar(&from, "secret", "", "a file with the secret that the service has made; - for standard input")
	command.Flags().DurationVar(&within, "answer-within", 0, "answer with what the run returns, if it ends within this time, like 20s; default with what became of the input")
	terminal.Choose(command.Flags(), &style, "style", "how a sender proves itself", workflow.HookStyles()...)
	return command
}

func newHookListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read), Short: "List a workflow's hooks", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				hooks, err := n.Workflows.Hooks(c.Context(), id)
				if err != nil {
					return err
				}
				return cli.Show(hooks, func(w io.Writer) {
					if len(hooks) == 0 {
						fmt.Fprintln(w, "No hooks. Make one with 'kintsugi workflow hook add'.")
						return
					}
					rows := make([][]string, len(hooks))
					for i, one := range hooks {
						rows[i] = []string{one.Name, string(one.Style), one.Path}
					}
					terminal.Table(w, []string{"NAME", "STYLE", "PATH"}, rows)
				})
			})
		},
	}
}

func newHookRemoveCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "remove WORKFLOW NAME", Annotations: terminal.RemoteOwned(installation.Edit), Short: "Take a hook away: its secret opens nothing any more", Args: terminal.Takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				removed, _, err := n.Workflows.RemoveHook(c.Context(), cli.Meta(), id, args[1])
				if err != nil {
					return err
				}
				return cli.Show(removed, func(w io.Writer) { fmt.Fprintf(w, "Removed %s.\n", removed.Name) })
			})
		},
	}
}
