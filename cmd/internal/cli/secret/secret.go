// Package secret has the commands on what scripts sign in with.
package secret

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi secret'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("secret", "What scripts sign in with: they hold names, never values",
		newSetCommand(cli), newListCommand(cli), newRemoveCommand(cli))
}

func newSetCommand(cli *terminal.CLI) *cobra.Command {
	var of, file string
	var all bool
	var hosts []string
	command := &cobra.Command{
		Use: "set NAME", Annotations: terminal.Remote(installation.Admin, terminal.Reads("file")), Short: "Set or replace a secret; its value is read from standard input", Args: terminal.Takes(1, 1),
		Long: `Set or replace a secret. The value is read from standard input or --file, never from the command
line. Scripts use it as secret('NAME') in header values and in query values; it is sent to the named
hosts only. A workflow goes on that waits because a call to such a host had this secret refused,
or lacked it.

Values are encrypted, in state.db of the data directory, or in PostgreSQL if the event log is there
or --state says so: then every node has them. The key is in KINTSUGI_SECRET_KEY (base64 of 32
bytes), in the file KINTSUGI_SECRET_KEY_FILE, or in secret.key of the user's configuration
directory, which is made when it is not there. All nodes need the same one. Keep it apart from
backups.`,
		Example: `  kintsugi secret set SHOP_TOKEN --workflow "Refund report" --host api.example.com < token
  kintsugi secret set PROXY_KEY --all --host 10.0.0.5:8443 --file key`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				binding := vault.Binding{Name: args[0], Hosts: hosts}
				var err error
				if binding.Workflow, err = n.Resolve.SecretScope(c.Context(), of); err != nil {
					return err
				}
				text, err := cli.ReadFile(file)
				if err != nil {
					return err
				}
				shown, err := n.Secrets.Set(c.Context(), cli.Meta(), binding, strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), false)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Set %s for %s.\n", binding.Name, strings.Join(binding.Hosts, ", "))
					terminal.WriteReleased(w, shown.Activated, shown.GoOn)
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "the workflow that may use it")
	flags.BoolVar(&all, "all", false, "every workflow may use it")
	flags.StringSliceVar(&hosts, "host", nil, "a host, or host:port, that it may be sent to")
	flags.StringVar(&file, "file", "-", "where the value is; - is standard input")
	command.MarkFlagsOneRequired("workflow", "all")
	command.MarkFlagsMutuallyExclusive("workflow", "all")
	_ = command.MarkFlagRequired("host")
	return command
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{Use: "list", Annotations: terminal.Remote(installation.Admin), Short: "List secrets, without their values", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			all, err := n.Secrets.List(c.Context())
			if err != nil {
				return err
			}
			titles, err := projections.TitlesOf(c.Context(), n.Queries, all, func(s vault.Secret) string { return s.Workflow })
			if err != nil {
				return err
			}
			return cli.Show(all, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "No secrets. Set one with 'kintsugi secret set'.")
					return
				}
				rows := make([][]string, len(all))
				for i, one := range all {
					rows[i] = []string{one.Name, cmp.Or(titles[one.Workflow], one.Workflow, "-"), strings.Join(one.Hosts, ", "), terminal.Local(w, one.SetAt).Format("2006-01-02 15:04")}
				}
				terminal.Table(w, []string{"NAME", "WORKFLOW", "HOSTS", "SET"}, rows)
			})
		})
	}}
}

func newRemoveCommand(cli *terminal.CLI) *cobra.Command {
	var of string
	command := &cobra.Command{Use: "remove NAME", Annotations: terminal.Remote(installation.Admin), Short: "Remove a secret", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			scope, err := n.Resolve.SecretScope(c.Context(), of)
			if err != nil {
				return err
			}
			if err := n.Secrets.Remove(c.Context(), cli.Meta(), args[0], scope); err != nil {
				return err
			}
			return cli.Show(vault.Binding{Name: args[0], Workflow: scope, Hosts: []string{}}, func(w io.Writer) { fmt.Fprintf(w, "Removed %s.\n", args[0]) })
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "that of this workflow; without it, that of all")
	return command
}
