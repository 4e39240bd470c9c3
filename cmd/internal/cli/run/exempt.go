package run

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
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

func newExemptCommand(cli *terminal.CLI) *cobra.Command {
	var of, reason string
	command := &cobra.Command{
		Use: "exempt RUN", Short: "Declare a recorded success wrong: fixes are not measured by it any more", Args: terminal.Takes(1, 1),
		Long: `Declare a recorded success wrong, with the reason. The gate leaves it out from now on, and counts
it: a fix that changes what it did is not rejected for that. Only a run that succeeded can be
exempted: by one that failed, nothing is measured.`,
		Example: `  kintsugi run exempt 0197f2… --workflow "Refund report" --reason "it counted refunds twice"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				ctx := c.Context()
				id, err := n.ResolveRun(ctx, args[0])
				if err != nil {
					return err
				}
				run, err := n.Queries.Run(ctx, id)
				if err != nil {
					return err
				}
				if of != "" {
					named, err := n.ResolveWorkflow(ctx, of)
					if err != nil {
						return err
					}
					if named != run.Workflow {
						return fault.New(fault.Invalid, "run %s is one of workflow %s, not of %s", id, run.Workflow, named)
					}
				}
				result, err := n.Commands.ExemptRun(ctx, run.Workflow, workflow.ExemptRun{Run: id, Reason: reason}, terminal.Meta())
				if err != nil {
					return err
				}
				if err := n.Views.WaitFor(ctx, result.Position); err != nil {
					return err
				}
				if run, err = n.Queries.Run(ctx, id); err != nil {
					return err
				}
				at, err := n.Queries.Workflow(ctx, run.Workflow)
				if err != nil {
					return err
				}
				shown := exempted{Run: id, Workflow: run.Workflow, Reason: run.Exempted, Status: at.Status, HeldFix: at.HeldFix}
				return cli.Show(shown, func(w io.Writer) { writeExempted(w, shown, at) })
			})
		},
	}
	command.Flags().StringVar(&of, "workflow", "", "the workflow that it is a run of, to be sure")
	command.Flags().StringVar(&reason, "reason", "", "why it was wrong though it succeeded, for the history")
	return command
}

func writeExempted(w io.Writer, shown exempted, at projections.Workflow) {
	fmt.Fprintf(w, "Run %s of %s is left out by the gate: %s\n", shown.Run, plain.Line(at.Title), plain.Line(shown.Reason))
	switch {
	case shown.HeldFix != "":
		fmt.Fprintf(w, "Next: kintsugi fix recheck %s\n", shown.HeldFix)
	case shown.Status == workflow.StatusEscalated:
		fmt.Fprintf(w, "Next: kintsugi workflow activate %s; when it fails again, the repair is measured without this run.\n", shown.Workflow)
	}
}
