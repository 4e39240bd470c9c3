package workflow

import (
	"fmt"
	"io"
	"slices"
	"time"

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
		fmt.Fprintf(w, "Inputs that wait, in order: %d\n", len(queued))
	}
	for _, one := range queued[:min(len(queued), mostShown)] {
		fmt.Fprintf(w, "  %s %s, for %s: %s", one.Run, terminal.Local(w, one.At).Format(time.DateTime), projections.WaitsText(one.Waits), plain.Line(one.Reason))
		if !one.Due.IsZero() {
			fmt.Fprintf(w, "; tried again at %s", terminal.Local(w, one.Due).Format(time.DateTime))
		}
		fmt.Fprintln(w)
	}
	if more := len(queued) - mostShown; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if slices.ContainsFunc(queued, func(one projections.QueuedInput) bool { return one.Waits != "" }) {
		fmt.Fprintf(w, "'kintsugi workflow retry %s' has those tried again whose runs failed; 'kintsugi run leave RUN' gives one up.\n", id)
	}
	for _, one := range triggers {
		if one.Workflow == id {
			fmt.Fprintf(w, "Starts on workflow %s: %s\n", one.Source, projections.OutcomesText(one.Outcomes))
		}
		if one.Source == id {
			fmt.Fprintf(w, "Starts workflow %s: %s\n", one.Workflow, projections.OutcomesText(one.Outcomes))
		}
	}
}

// mostShown is how many inputs that wait are listed.
const mostShown = 10

func newRetryCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "retry WORKFLOW", Annotations: terminal.RemoteOwned(installation.Run), Short: "Have all inputs tried again whose runs failed", Args: terminal.Takes(1, 1),
		Long: `Have everything tried now that waits: runs that wait for their retry, and all inputs and slots, in the
order in which they came, whose runs failed before their first write and that wait for something: a
fix, access, a service that did not answer. They go on by
themselves when that is here: with the next version, when you activate the workflow, when a fix is
confirmed, or when runs succeed again. 'kintsugi workflow show' lists them, and 'kintsugi run leave'
gives one up.`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, result, err := n.Runs.RetryInputs(c.Context(), cli.Meta(), id)
				if err != nil {
					return err
				}
				if err := n.Views.WaitFor(c.Context(), result.Position); err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Inputs that are tried again, in order: %d. A server does it ('kintsugi dev').\n", shown.Inputs)
				})
			})
		},
	}
}

func newTriggerCommand(cli *terminal.CLI) *cobra.Command {
	var on, remove string
	var names []string
	command := &cobra.Command{
		Use: "trigger WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit), Short: "Show, set or remove the workflows on whose outcomes it starts", Args: terminal.Takes(1, 1),
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
				id, err := n.Resolve.Workflow(c.Context(), args[0])
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
						if source, err = n.Resolve.Workflow(c.Context(), remove); err != nil {
							return err
						}
					}
					if _, err := n.Commands.RemoveTrigger(c.Context(), id, workflow.RemoveTrigger{Source: source}, cli.Meta()); err != nil {
						return err
					}
				}
				if on != "" {
					source, err := n.Resolve.Workflow(c.Context(), on)
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
				shown, err := n.Workflows.Triggered(c.Context(), state)
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
		fmt.Fprintf(w, "  %s (%s): %s\n", plain.Line(plain.Dash(one.Title)), one.Source, projections.OutcomesText(one.Outcomes))
	}
	if len(s.Queue) > 0 {
		fmt.Fprintf(w, "%d inputs wait for their turn.\n", len(s.Queue))
	}
}
