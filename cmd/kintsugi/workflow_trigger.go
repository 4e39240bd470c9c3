package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// triggered is a workflow's event triggers as commands show them.
type triggered struct {
	Workflow string        `json:"workflow"`
	Triggers []triggeredOn `json:"triggers"`
}

type triggeredOn struct {
	Source   string             `json:"source"`
	Title    string             `json:"title"`
	Outcomes []workflow.Outcome `json:"outcomes"`
}

func newWorkflowTriggerCommand(a *app) *cobra.Command {
	var on, remove string
	var names []string
	command := &cobra.Command{
		Use: "trigger WORKFLOW", Short: "Show, set or remove the workflows on whose outcomes it starts", Args: takes(1, 1),
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
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				if remove != "" {
					source := remove // it may be one that is not here
					if _, set := state.Triggers[source]; !set {
						if source, err = n.resolveWorkflow(c.Context(), remove); err != nil {
							return err
						}
					}
					if _, err := n.commands.RemoveTrigger(c.Context(), id, workflow.RemoveTrigger{Source: source}, meta()); err != nil {
						return err
					}
				}
				if on != "" {
					source, err := n.resolveWorkflow(c.Context(), on)
					if err != nil {
						return err
					}
					if _, err := n.commands.SetTrigger(c.Context(), id, workflow.SetTrigger{Source: source, Outcomes: outcomes}, meta()); err != nil {
						return err
					}
				}
				if state, err = n.commands.LoadWorkflow(c.Context(), id); err != nil {
					return err
				}
				shown, err := n.triggered(c.Context(), state)
				if err != nil {
					return err
				}
				return a.show(shown, func(w io.Writer) { writeTriggered(w, state, shown) })
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

func (n *node) triggered(ctx context.Context, s workflow.State) (triggered, error) {
	shown := triggered{Workflow: s.ID, Triggers: []triggeredOn{}}
	for _, source := range slices.Sorted(maps.Keys(s.Triggers)) {
		one := triggeredOn{Source: source, Outcomes: s.Triggers[source].Outcomes}
		other, err := n.commands.LoadWorkflow(ctx, source)
		if err != nil && fault.KindOf(err) != fault.NotFound { // a history that was imported may name one that was not
			return shown, err
		}
		one.Title = other.Title
		shown.Triggers = append(shown.Triggers, one)
	}
	return shown, nil
}

func writeTriggered(w io.Writer, s workflow.State, shown triggered) {
	if len(shown.Triggers) == 0 {
		fmt.Fprintf(w, "%s starts on no other workflow.\n", line(s.Title))
		return
	}
	fmt.Fprintf(w, "%s starts on\n", line(s.Title))
	for _, one := range shown.Triggers {
		fmt.Fprintf(w, "  %s (%s): %s\n", line(dash(one.Title)), one.Source, outcomesText(one.Outcomes))
	}
	if len(s.Queue) > 0 {
		fmt.Fprintf(w, "%d inputs wait for their turn.\n", len(s.Queue))
	}
}
