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
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newDeleteCommand(cli *terminal.CLI) *cobra.Command {
	var agreed bool
	command := &cobra.Command{
		Use: "delete WORKFLOW", Annotations: terminal.Remote(installation.Admin, terminal.HearsTyping()), Short: "Delete an archived workflow for good", Args: terminal.Takes(1, 1),
		Long: `Delete an archived workflow for good: everything that its events say is erased, with its runs, the
conversations of its agents, its keys, its files and the secrets that only it may use. It cannot be undone.

The events themselves stay, with their types, times and actors, under hashes that 'kintsugi verify' still
checks; so do the name of whoever deleted it, and its use by day. Backups, copies and external systems that
were told of its events keep theirs, and other workflows that it started keep what they were handed. What a
system answered that took an event not is quoted in the dead letter, which stays; tried again, it has no payload.

The command says first what goes, and you type the title. Where nobody types, --yes stands for that.
The command waits until everything is erased; a server goes on with what was interrupted.`,
		Example: `  kintsugi workflow delete "Refund report"
  kintsugi workflow delete 0197f2 --yes`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.ArchivedWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if !agreed {
					if err := agreeToDelete(c.Context(), cli, n, id); err != nil {
						return err
					}
				}
				shown, err := n.Workflows.Delete(c.Context(), cli.Meta(), id)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "%s is deleted: what %d events said is erased. 'kintsugi history %s' shows that they were.\n", plain.Line(shown.Title), shown.Payloads, id)
				})
			})
		},
	}
	command.Flags().BoolVar(&agreed, "yes", false, "delete it without a question")
	return command
}

// agreeToDelete says what goes, and asks.
func agreeToDelete(ctx context.Context, cli *terminal.CLI, n *app.Node, id string) error {
	shown, err := n.Workflows.Deletion(ctx, id)
	if err != nil {
		return err
	}
	secrets := ""
	if len(shown.Secrets) > 0 {
		secrets = ", and the secrets " + strings.Join(shown.Secrets, ", ")
	}
	fmt.Fprintf(cli.Err, "Deleting %s erases what %d events say, with %d runs, %d conversations of agents, %d keys and %d files%s.\n", plain.Quoted(shown.Title), shown.Payloads, shown.Runs, shown.Threads, shown.Keys, shown.Files, secrets)
	fmt.Fprintln(cli.Err, "It cannot be undone. Backups, copies and external systems that were told of its events keep theirs.")
	if !cli.Typed || cli.Format != terminal.FormatText {
		return fault.New(fault.Conflict, "nothing was deleted: with --yes it is")
	}
	return cli.AgreeBy(ctx, "Type its title to delete it:", shown.Title)
}
