// Package token has the commands on tokens, which let people and programs in over HTTP.
package token

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// NewCommand is 'kintsugi token'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("token", "Let people and programs in over HTTP", newCreateCommand(cli), newListCommand(cli), newRevokeCommand(cli))
}

func newCreateCommand(cli *terminal.CLI) *cobra.Command {
	var create installation.CreateToken
	var scopes []string
	var holder string
	var life time.Duration
	command := &cobra.Command{
		Use: "create [NAME]", Annotations: terminal.Remote(installation.Admin), Short: "Make a token; what has to be shown is printed once and kept nowhere", Args: terminal.Takes(0, 1),
		Long: `Make a token. What has to be shown is printed once and kept nowhere: only its hash is in the log.

Say who holds it: a person (default), an agent (--holder agent), which is a language model that acts of
its own, or a program, as a pipeline. An agent's script goes only to hosts that a person named, and is
checked on the recorded runs; its save is refused in the modes propose and off. Settings, activation,
rollbacks, accepting fixes and answers stay a person's. Over MCP everybody is an agent.

Scopes: read (look), run (start and continue runs), edit (create and change workflows), decide (answer
what waits for a person), admin (all of it, and tokens, caps, subscriptions, secrets), metrics.`,
		Example: `  kintsugi token create ci --scope read --scope run --expires 720h
  kintsugi token create codex --holder agent --scope read,run,edit
  kintsugi token create anna --person anna --scope read,decide --owner anna`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				create.Name = args[0]
			}
			if create.Person == "" {
				create.Person = strings.TrimPrefix(cli.Actor(), "person:")
			}
			if create.Holder = installation.Holder(holder); holder == "person" {
				create.Holder = installation.HeldByPerson
			}
			for _, one := range scopes {
				create.Scopes = append(create.Scopes, installation.Scope(one))
			}
			if c.Flags().Changed("expires") && life <= 0 {
				return fault.New(fault.Invalid, "--expires %s: how long is it to let somebody in? Like 720h", life)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				if life > 0 {
					create.Expires = n.Now().Add(life).UTC().Truncate(time.Second)
				}
				made, err := n.Tokens.Create(c.Context(), cli.Meta(), create)
				if err != nil {
					return err
				}
				return cli.Show(made, func(w io.Writer) {
					fmt.Fprintf(w, "%s\n", made.Token)
					fmt.Fprintf(cli.Err, "It is said this once. It lets %s in: %s%s. Take it back: kintsugi token revoke %s\n",
						plain.Line(made.Person), scopesText(made), until(w, made), made.ID)
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&scopes, "scope", []string{string(installation.Admin)}, "what it allows: read, run, edit, decide, admin, metrics")
	flags.StringVar(&create.Person, "person", "", "who acts with it, as the history names them (default you)")
	flags.StringVar(&holder, "holder", "person", "who holds it: person, agent or program")
	flags.StringVar(&create.Owner, "owner", "", "only for the workflows of this owner")
	flags.DurationVar(&life, "expires", 0, "how long it lets somebody in, like 720h (default for ever)")
	return command
}

func scopesText(one app.Token) string {
	names := make([]string, len(one.Scopes))
	for i, scope := range one.Scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ", ")
}

func until(w io.Writer, one app.Token) string {
	if one.Expires.IsZero() {
		return ""
	}
	return ", until " + terminal.Local(w, one.Expires).Format(time.DateTime)
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	var all bool
	command := &cobra.Command{Use: "list", Annotations: terminal.Remote(installation.Admin), Short: "List tokens and sessions", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			list, err := n.Tokens.List(c.Context(), all)
			if err != nil {
				return err
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No tokens. Make one with 'kintsugi token create'.")
					return
				}
				rows := make([][]string, len(list))
				for i, one := range list {
					kind := "token"
					switch {
					case one.Account != nil:
						kind = "account"
					case one.Session:
						kind = "session"
					}
					expires := "never"
					if !one.Expires.IsZero() {
						expires = terminal.Local(w, one.Expires).Format(time.DateTime)
					}
					rows[i] = []string{one.ID, kind, plain.Dash(one.Name), one.Person, scopesText(one), plain.Dash(one.Owner), string(one.Standing), expires}
				}
				terminal.Table(w, []string{"ID", "KIND", "NAME", "PERSON", "SCOPES", "OWNER", "STANDING", "EXPIRES"}, rows)
			})
		})
	}}
	command.Flags().BoolVar(&all, "all", false, "also those that were revoked or have expired")
	return command
}

func newRevokeCommand(cli *terminal.CLI) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "revoke TOKEN", Annotations: terminal.Remote(installation.Admin), Short: "Shut a token out, and every session that was begun with it", Args: terminal.Takes(1, 1),
		Example: `  kintsugi token revoke ci --reason "the runner was replaced"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Tokens.Resolve(c.Context(), args[0])
				if err != nil {
					return err
				}
				result, err := n.Commands.RevokeToken(c.Context(), installation.RevokeToken{ID: id, Reason: reason}, cli.Meta())
				if err != nil {
					return err
				}
				return cli.Show(map[string]any{"id": id, "revoked": true}, func(w io.Writer) {
					if len(result.Events) == 0 {
						fmt.Fprintf(w, "Token %s was revoked already.\n", id)
						return
					}
					fmt.Fprintf(w, "Revoked: token %s lets nobody in any more.\n", id)
				})
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}
