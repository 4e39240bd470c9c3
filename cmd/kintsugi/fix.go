package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/projections"
)

func newFixCommand(a *app) *cobra.Command {
	return group("fix", "Look at fixes, answer those that wait for you, check their proof again",
		newFixListCommand(a), newFixShowCommand(a), newFixAcceptCommand(a), newFixCorrectCommand(a), newFixRecheckCommand(a),
		newFixDeclineCommand(a), newFixWithdrawCommand(a), newFixVerifyCommand(a))
}

func newFixListCommand(a *app) *cobra.Command {
	var filter projections.FixFilter
	var of string
	var byGroup bool
	command := &cobra.Command{Use: "list", Short: "List fixes, the newest first", Args: takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(n *node) (err error) {
			if byGroup {
				return a.showGroups(c.Context(), n)
			}
			if of != "" {
				if filter.Workflow, err = n.resolveWorkflow(c.Context(), of); err != nil {
					return err
				}
			}
			list, err := n.queries.Fixes(c.Context(), filter)
			if err != nil {
				return err
			}
			titles, err := n.titles(c.Context())
			if err != nil {
				return err
			}
			return a.show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No fixes.")
					return
				}
				now := time.Now()
				rows := make([][]string, len(list))
				for i, one := range list {
					verdict := "-"
					if one.Verification != nil {
						verdict = string(one.Verification.Verdict)
					}
					rows[i] = []string{one.Proposal, titles[one.Workflow], one.Base, fmt.Sprintf("%d/%d", one.Attempt, one.Budget), dash(one.Version), string(one.State), verdict, ago(one.Proposed, now), one.Comment}
				}
				table(w, []string{"ID", "WORKFLOW", "BASE", "ATTEMPT", "VERSION", "STATE", "VERDICT", "PROPOSED", "COMMENT"}, rows)
			})
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "only fixes of this workflow")
	command.Flags().BoolVar(&byGroup, "group", false, "failures of many workflows with one cause, and the fix of each")
	choose(command.Flags(), &filter.State, "state", "only fixes in this state", projections.FixProposed, projections.FixHeld, projections.FixApplied,
		projections.FixAccepted, projections.FixConfirmed, projections.FixRegressed, projections.FixWithdrawn, projections.FixDeclined,
		projections.FixCorrected, projections.FixStale, projections.FixDifferent)
	command.MarkFlagsMutuallyExclusive("group", "workflow")
	command.MarkFlagsMutuallyExclusive("group", "state")
	return command
}
