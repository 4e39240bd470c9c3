package workflow

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// anyOutcome stands for the end of every run, however it ended.
const anyOutcome = "any"

// parseOutcomes reads --outcome.
func parseOutcomes(names []string) ([]workflow.Outcome, error) {
	known := []workflow.Outcome{workflow.OutcomeSucceeded, workflow.OutcomeFailed, workflow.OutcomeRecovered, workflow.OutcomeEscalated}
	var outcomes []workflow.Outcome
	for _, name := range names {
		switch {
		case name == anyOutcome:
			outcomes = append(outcomes, workflow.OutcomeSucceeded, workflow.OutcomeFailed)
		case slices.Contains(known, workflow.Outcome(name)):
			outcomes = append(outcomes, workflow.Outcome(name))
		default:
			return nil, fault.New(fault.Invalid, "--outcome %q is not one: choose succeeded, failed, any (either of them), recovered or escalated", name)
		}
	}
	return outcomes, nil
}

// writeInputs shows what waits to become a run, and who starts whom.
func writeInputs(w io.Writer, id string, queued []projections.QueuedInput, triggers []projections.EventTrigger) {
	if len(queued)+len(triggers) > 0 {
		fmt.Fprintln(w)
	}
	if len(queued) > 0 {
		fmt.Fprintf(w, "%d inputs wait for their turn: %s\n", len(queued), plain.Clean(queued[0].Reason))
	}
	for _, one := range triggers {
		if one.Workflow == id {
			fmt.Fprintf(w, "Starts on workflow %s: %s\n", one.Source, app.OutcomesText(one.Outcomes))
		}
		if one.Source == id {
			fmt.Fprintf(w, "Starts workflow %s: %s\n", one.Workflow, app.OutcomesText(one.Outcomes))
		}
	}
}

func newTriggerCommand(cli *terminal.CLI) *cobra.Command {
	var on, remove string
	var names []string
	command := &cobra.Command{
		Use: "trigger WORKFLOW", Annotations: terminal.Remote(installation.Edit), Short: "Show, set or remove the workflows on whose outcomes it starts", Args: terminal.Takes(1, 1),
		Long: `Show which workflows start this one, or change it. With --on SOURCE it starts when something comes
of workflow SOURCE from now on: a run that succeeded or failed (any is either; each try of a run
that is tried again counts), the first success after failures (recovered), or that it was handed to
a person (escalated). Its input says what: {"workflow", "title", "outcome", "run", "version",
"output", "failure", …}.

Every outcome becomes one run. While none can start it waits its turn (--limit queue of the
settings, 100); beyond that, or if the workflow is paused or a draft, it is skipped, and that is
recorded. A chain of workflows that start each other ends after ` + fmt.Sprint(workflow.MaxHops) + `.
'kintsugi dev' starts them.`,
		Example: `  kintsugi workflow trigger "Send report" --on "Refund report" --outcome succeeded
  kintsugi workflow trigger "Call for help" --on "Refund report" --outcome failed,escalated
  kintsugi workflow trigger "Send report" --remove "Refund report"`,
		RunE: func(c *cobra.Command, args []string) error {
			outcomes, err := parseOutcomes(names)
			if err != nil {
				return err
			}
			if on == "" && c.Flags().Changed("outcome") {
				return fault.New(fault.Invalid, "--outcome is of another workflow: name it with --on")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.Commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				if remove != "" {
					source := remove // it may be one that is not here
					if _, set := state.Triggers[source]; !set {
						if source, err = n.ResolveWorkflow(c.Context(), remove); err != nil {
							return err
						}
					}
					if _, err := n.Commands.RemoveTrigger(c.Context(), id, workflow.RemoveTrigger{Source: source}, cli.Meta()); err != nil {
						return err
					}
				}
				if on != "" {
					source, err := n.ResolveWorkflow(c.Context(), on)
					if err != nil {
						return err
					}
					if _, err := n.Commands.SetTrigger(c.Context(), id, workflow.SetTrigger{Source: source, Outcomes: outcomes}, cli.Meta()); err != nil {
						return err
					}
				}
				if state, err = n.Commands.LoadWorkflow(c.Context(), id); err != nil {
					return err
				}
				shown, err := n.Triggered(c.Context(), state)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeTriggered(w, state, shown) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&on, "on", "", "the workflow whose outcomes start this one")
	flags.StringSliceVar(&names, "outcome", []string{string(workflow.OutcomeSucceeded)}, "which: succeeded, failed, any, recovered, escalated")
	flags.StringVar(&remove, "remove", "", "the workflow whose outcomes start this one no more")
	command.MarkFlagsMutuallyExclusive("on", "remove")
	return command
}

func writeTriggered(w io.Writer, s workflow.State, shown app.Triggered) {
	if len(shown.Triggers) == 0 {
		fmt.Fprintf(w, "%s starts on no other workflow.\n", plain.Line(s.Title))
		return
	}
	fmt.Fprintf(w, "%s starts on\n", plain.Line(s.Title))
	for _, one := range shown.Triggers {
		fmt.Fprintf(w, "  %s (%s): %s\n", plain.Line(plain.Dash(one.Title)), one.Source, app.OutcomesText(one.Outcomes))
	}
	if len(s.Queue) > 0 {
		fmt.Fprintf(w, "%d inputs wait for their turn.\n", len(s.Queue))
	}
}
