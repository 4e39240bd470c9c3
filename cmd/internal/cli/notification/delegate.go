package notification

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newDelegateCommand(cli *terminal.CLI) *cobra.Command {
	var to, note string
	command := &cobra.Command{
		Use: "delegate NOTIFICATION", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Give what waits for you to somebody else", Args: terminal.Takes(1, 1),
		Long: `Give what waits for you to another person or to a group: the readers of a subscription to mail or Slack.
They are told, with links by which they decide; links that others had say to whom it went. The time to decide
in goes on. Others of the same cause go with it. Whoever has a token that may decide still can.
'kintsugi notification list --for group:finance' lists what was given to them.`,
		Example: `  kintsugi notification delegate 0197f2 --to ben@example.com --note "it is your API"
  kintsugi notification delegate 0197f2 --to group:finance`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Notification(c.Context(), args[0])
				if err != nil {
					return err
				}
				one, err := n.Queries.Notification(c.Context(), id)
				if err != nil {
					return err
				}
				result, err := n.Decisions.Delegate(c.Context(), cli.Meta, n.Owner, one, to, note)
				if err != nil {
					return err
				}
				if err := n.Views.WaitFor(c.Context(), result.Position); err != nil {
					return err
				}
				if one, err = n.Queries.Notification(c.Context(), id); err != nil {
					return err
				}
				return cli.Show(one, func(w io.Writer) {
					fmt.Fprintf(w, "For %s to decide: %s\n", plain.Line(one.DelegatedTo), plain.Line(one.Title))
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&to, "to", "", "a person, by name or mail address, or group: and the name of a subscription")
	flags.StringVar(&note, "note", "", "what they should know")
	_ = command.MarkFlagRequired("to")
	return command
}

// writeDecider says for whom it is to decide, and until when.
func writeDecider(w io.Writer, one projections.Notification, now time.Time) {
	if one.DelegatedTo != "" {
		fmt.Fprintf(w, "    For %s to decide: %s gave it to them %s. %s\n", plain.Line(one.DelegatedTo),
			plain.Line(strings.TrimPrefix(one.DelegatedBy, "person:")), plain.Ago(one.Delegated, now), plain.Line(one.DelegationNote))
	}
	if !one.Due.IsZero() && one.Resolved.IsZero() {
		fmt.Fprintf(w, "    Without a decision it is %s on %s\n", workflow.DeadlineWords(one.OnDeadline), terminal.Local(w, one.Due).Format("2 January at 15:04"))
	}
}
