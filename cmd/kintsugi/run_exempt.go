package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// exempted is a run that the gate leaves out.
type exempted struct {
	Run      string          `json:"run"`
	Workflow string          `json:"workflow"`
	Reason   string          `json:"reason"`
	Status   workflow.Status `json:"status"` // of the workflow
	HeldFix  string          `json:"held_fix,omitempty"`
}

func newRunExemptCommand(a *app) *cobra.Command {
	var of, reason string
	command := &cobra.Command{
		Use: "exempt RUN", Short: "Declare a recorded success wrong: fixes are not measured by it any more", Args: takes(1, 1),
		Long: `Declare a recorded success wrong, with the reason. The gate leaves it out from now on, and counts
it: a fix that changes what it did is not rejected for that. Only a run that succeeded can be
exempted: by one that failed, nothing is measured.`,
		Example: `  kintsugi run exempt 0197f2… --workflow "Refund report" --reason "it counted refunds twice"`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				ctx := c.Context()
				id, err := n.resolveRun(ctx, args[0])
				if err != nil {
					return err
				}
				run, err := n.queries.Run(ctx, id)
				if err != nil {
					return err
				}
				if of != "" {
					named, err := n.resolveWorkflow(ctx, of)
					if err != nil {
						return err
					}
					if named != run.Workflow {
						return fault.New(fault.Invalid, "run %s is one of workflow %s, not of %s", id, run.Workflow, named)
					}
				}
				result, err := n.commands.ExemptRun(ctx, run.Workflow, workflow.ExemptRun{Run: id, Reason: reason}, meta())
				if err != nil {
					return err
				}
				if err := n.views.WaitFor(ctx, result.Position); err != nil {
					return err
				}
				if run, err = n.queries.Run(ctx, id); err != nil {
					return err
				}
				at, err := n.queries.Workflow(ctx, run.Workflow)
				if err != nil {
					return err
				}
				shown := exempted{Run: id, Workflow: run.Workflow, Reason: run.Exempted, Status: at.Status, HeldFix: at.HeldFix}
				return a.show(shown, func(w io.Writer) { writeExempted(w, shown, at) })
			})
		},
	}
	command.Flags().StringVar(&of, "workflow", "", "the workflow that it is a run of, to be sure")
	command.Flags().StringVar(&reason, "reason", "", "why it was wrong though it succeeded, for the history")
	return command
}

func writeExempted(w io.Writer, shown exempted, at projections.Workflow) {
	fmt.Fprintf(w, "Run %s of %s is left out by the gate: %s\n", shown.Run, line(at.Title), line(shown.Reason))
	switch {
	case shown.HeldFix != "":
		fmt.Fprintf(w, "Next: kintsugi fix recheck %s\n", shown.HeldFix)
	case shown.Status == workflow.StatusEscalated:
		fmt.Fprintf(w, "Next: kintsugi workflow activate %s; when it fails again, the repair is measured without this run.\n", shown.Workflow)
	}
}
