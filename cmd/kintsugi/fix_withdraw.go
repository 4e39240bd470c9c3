package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// withdrawn is what a withdrawal came to.
type withdrawn struct {
	Workflow  string          `json:"workflow"`
	Withdrawn []string        `json:"withdrawn"` // versions, the oldest first
	Active    string          `json:"active"`
	Status    workflow.Status `json:"status"`
}

func newFixWithdrawCommand(a *app) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "withdraw FIX", Short: "Take applied fixes back that no run has confirmed", Args: takes(1, 1),
		Long: `Take back what was applied and not confirmed: the last confirmed version is active again, and the
workflow is handed to you. Fixes build on each other, so all unconfirmed ones of the workflow go;
FIX is one of them, or the workflow. For a fix that was confirmed: kintsugi script rollback.`,
		Example: `  kintsugi fix withdraw 3f0c… --reason "the totals are wrong"
  kintsugi fix withdraw "Refund report"`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.withdrawable(c.Context(), args[0])
				if err != nil {
					return err
				}
				result, err := n.commands.WithdrawFixes(c.Context(), id, workflow.WithdrawFixes{Reason: reason}, meta())
				if err != nil {
					return err
				}
				shown := withdrawn{Workflow: id, Withdrawn: []string{}}
				for _, one := range result.Events {
					if escalated, is := one.Event.(workflow.Escalated); is {
						shown.Active = escalated.Active.String()
						for _, v := range escalated.Withdrawn {
							shown.Withdrawn = append(shown.Withdrawn, v.String())
						}
					}
				}
				state, err := n.commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				shown.Status = state.Status
				return a.show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Withdrawn: %s. Version %s is active again, status %s.\n", strings.Join(shown.Withdrawn, ", "), shown.Active, shown.Status)
					fmt.Fprintf(w, "Next: kintsugi script save %s --file SCRIPT, or: kintsugi workflow activate %s\n", id, id)
				})
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

// withdrawable is the workflow of a fix that can be withdrawn, or the workflow that is named.
func (n *node) withdrawable(ctx context.Context, reference string) (string, error) {
	proposal, err := n.resolveFix(ctx, reference)
	if fault.KindOf(err) == fault.NotFound {
		id, err := n.resolveWorkflow(ctx, reference)
		if fault.KindOf(err) == fault.NotFound {
			return "", fault.New(fault.NotFound, "there is no fix and no workflow %q: see 'kintsugi fix list'", reference)
		}
		return id, err
	}
	if err != nil {
		return "", err
	}
	fix, err := n.queries.Fix(ctx, proposal)
	if err != nil {
		return "", err
	}
	switch fix.State {
	case projections.FixApplied, projections.FixAccepted, projections.FixRegressed:
		return fix.Workflow, nil
	case projections.FixConfirmed:
		return "", fault.New(fault.Conflict, "fix %s is confirmed: go to an earlier version with 'kintsugi script rollback %s VERSION'", proposal, fix.Workflow)
	}
	return "", fault.New(fault.Conflict, "fix %s is not in force, it is %s: nothing can be withdrawn", proposal, fix.State)
}
