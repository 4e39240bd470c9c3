// Package egress has the commands that say where scripts may not go, whatever workflows allow.
package egress

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// NewCommand is 'kintsugi egress'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("egress", "Where scripts may not go, whatever their workflows allow",
		newShowCommand(cli), newChangeCommand(cli, change{
			use: "close PLACE...", short: "Close places to all scripts", example: "  kintsugi egress close 10.0.0.0/8 db.internal:5432",
			long: `No setting of a workflow or an owner opens a closed place. The address that a run dials is checked, whatever name or
spelling led to it, also after a redirect. Runs under way are refused there from their next request on. The metadata
services of clouds are closed from the beginning.`,
			into: func(c *installation.ChangeEgress) *[]string { return &c.Close },
		}), newChangeCommand(cli, change{
			use: "open PLACE...", short: "Open private places to workflows of tenants", example: "  kintsugi egress open 10.2.0.15:8080 --owner sales",
			long: `An owner is a tenant once there was a token that edits the workflows of this owner only ('kintsugi token create --owner').
The workflows of a tenant reach a private address (loopback, 10.0.0.0/8 …) only if it is opened here and their settings
allow it, too. All other workflows need their settings only. A closed place stays closed.`,
			into: func(c *installation.ChangeEgress) *[]string { return &c.Open }, owner: "to this tenant's workflows; to those of all tenants, if it is left out",
		}), newChangeCommand(cli, change{
			use: "remove PLACE...", short: "Take entries off the policy, closed or open", example: "  kintsugi egress remove 168.63.129.16",
			long: "Takes off what 'close' or 'open' put there, and what is closed from the beginning. 'kintsugi egress show' lists the entries.",
			into: func(c *installation.ChangeEgress) *[]string { return &c.Remove }, owner: "the entry that opens the place to this tenant",
		}))
}

// change is a verb that changes the policy.
type change struct {
	use, short, long, example string
	into                      func(*installation.ChangeEgress) *[]string
	owner                     string // what --owner says; the verb has no such flag if it is empty
}

func newChangeCommand(cli *terminal.CLI, verb change) *cobra.Command {
	var asked installation.ChangeEgress
	command := &cobra.Command{
		Use: verb.use, Annotations: terminal.Remote(installation.Admin), Short: verb.short, Long: verb.long, Example: verb.example, Args: terminal.Takes(1, 1000),
		RunE: func(c *cobra.Command, places []string) error {
			*verb.into(&asked) = places
			return cli.With(c.Context(), func(n *app.Node) error {
				if _, err := n.Commands.ChangeEgress(c.Context(), asked, cli.Meta()); err != nil {
					return err
				}
				return show(c.Context(), cli, n)
			})
		},
	}
	if verb.owner != "" {
		command.Flags().StringVar(&asked.Owner, "owner", "", verb.owner)
	}
	return command
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "show", Annotations: terminal.Remote(installation.Admin), Short: "What is closed to scripts, and what is open to tenants", Args: terminal.Takes(0, 0),
		Example: `  kintsugi egress show -o json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error { return show(c.Context(), cli, n) })
		},
	}
}

func show(ctx context.Context, cli *terminal.CLI, n *app.Node) error {
	state, err := n.Commands.LoadInstallation(ctx)
	if err != nil {
		return err
	}
	policy := state.Egress.WithDefaults()
	return cli.Show(policy, func(w io.Writer) {
		fmt.Fprintln(w, "Closed to all scripts:")
		for _, place := range policy.Closed {
			fmt.Fprintf(w, "  %s\n", plain.Line(place))
		}
		if len(policy.Closed) == 0 {
			fmt.Fprintln(w, "  nothing")
		}
		fmt.Fprintln(w, "Open to workflows of tenants, if their settings allow it, too:")
		for _, one := range policy.Open {
			owner := "every tenant"
			if one.Owner != "" {
				owner = one.Owner
			}
			fmt.Fprintf(w, "  %s  %s\n", plain.Line(one.Place), plain.Line(owner))
		}
		if len(policy.Open) == 0 {
			fmt.Fprintln(w, "  no private place")
		}
	})
}
