// Package fix has the commands on fixes: what they change, what they are proved by, and a person's answer.
package fix

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi fix'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("fix", "Look at fixes, answer those that wait for you, check their proof again",
		newListCommand(cli), newShowCommand(cli), newThreadCommand(cli), newAcceptCommand(cli), newCorrectCommand(cli), newRecheckCommand(cli),
		newDeclineCommand(cli), newSuggestCommand(cli), newLinkCommand(cli), newWithdrawCommand(cli), newVerifyCommand(cli))
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	var filter projections.FixFilter
	var of string
	var byGroup bool
	command := &cobra.Command{Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List fixes, the newest first", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) (err error) {
			if byGroup {
				return showGroups(c.Context(), cli, n)
			}
			if of != "" {
				if filter.Workflow, err = n.Resolve.Workflow(c.Context(), of); err != nil {
					return err
				}
			}
			filter.Owner = n.Owner
			list, err := n.Queries.Fixes(c.Context(), filter)
			if err != nil {
				return err
			}
			titles, err := projections.TitlesOf(c.Context(), n.Queries, list, func(f projections.Fix) string { return f.Workflow })
			if err != nil {
				return err
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No fixes.")
					return
				}
				now := terminal.Local(w, time.Now())
				rows := make([][]string, len(list))
				for i, one := range list {
					verdict := "-"
					if one.Verification != nil {
						verdict = string(one.Verification.Verdict)
					}
					rows[i] = []string{one.Proposal, titles[one.Workflow], one.Base, fmt.Sprintf("%d/%d", one.Attempt, one.Budget), plain.Dash(one.Version), string(one.State), verdict, plain.Ago(one.Proposed, now), one.Comment}
				}
				terminal.Table(w, []string{"ID", "WORKFLOW", "BASE", "ATTEMPT", "VERSION", "STATE", "VERDICT", "PROPOSED", "COMMENT"}, rows)
			})
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "only fixes of this workflow")
	command.Flags().BoolVar(&byGroup, "group", false, "failures of many workflows with one cause, and the fix of each")
	terminal.Choose(command.Flags(), &filter.State, "state", "only fixes in this state", projections.FixProposed, projections.FixHeld, projections.FixApplied,
		projections.FixAccepted, projections.FixConfirmed, projections.FixRegressed, projections.FixWithdrawn, projections.FixDeclined,
		projections.FixCorrected, projections.FixStale, projections.FixDifferent)
	command.MarkFlagsMutuallyExclusive("group", "workflow")
	command.MarkFlagsMutuallyExclusive("group", "state")
	return command
}
