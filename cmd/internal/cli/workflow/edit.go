package workflow

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newEditCommand(cli *terminal.CLI) *cobra.Command {
	var change workflow.ChangeIntent
	command := &cobra.Command{
		Use: "edit WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit), Short: "Change a workflow's title, and what it is for", Args: terminal.Takes(1, 1),
		Long: `Change a workflow's title, and what it is for in your own words. Agents read the intent: it is what
a repair must keep to. The script stays as it is: see 'kintsugi plan' and 'kintsugi script save'.`,
		Example: `  kintsugi workflow edit "Refund report" --title "Refunds"
  kintsugi workflow edit Refunds --intent "Every morning, list yesterday's refunds above 10 EUR"`,
		RunE: func(c *cobra.Command, args []string) error {
			titled, intended := c.Flags().Changed("title"), c.Flags().Changed("intent")
			if !titled && !intended {
				return fault.New(fault.Invalid, "name what to change: --title, --intent or both")
			}
			if titled && strings.TrimSpace(change.Title) == "" {
				return fault.New(fault.Invalid, "--title is empty: a workflow needs a title")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				var title, intent *string
				if titled {
					title = &change.Title
				}
				if intended {
					intent = &change.Intent
				}
				result, err := n.Workflows.Edit(c.Context(), id, title, intent, n.Owner, cli.Meta())
				if err != nil {
					return err
				}
				return showChanged(c.Context(), cli, n, id, result, func(w io.Writer, shown projections.Workflow) {
					if len(result.Events) == 0 {
						fmt.Fprintf(w, "%s: nothing changed.\n", plain.Line(shown.Title))
						return
					}
					fmt.Fprintf(w, "%s\n  %s\n", plain.Line(shown.Title), plain.Wrapped(shown.Intent, "  ", 96))
				})
			})
		},
	}
	command.Flags().StringVar(&change.Title, "title", "", "the new title")
	command.Flags().StringVar(&change.Intent, "intent", "", "what it is for, in your own words")
	return command
}
