package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
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
		fmt.Fprintf(w, "%d inputs wait for their turn: %s\n", len(queued), clean(queued[0].Reason))
	}
	for _, one := range triggers {
		if one.Workflow == id {
			fmt.Fprintf(w, "Starts on workflow %s: %s\n", one.Source, outcomesText(one.Outcomes))
		}
		if one.Source == id {
			fmt.Fprintf(w, "Starts workflow %s: %s\n", one.Workflow, outcomesText(one.Outcomes))
		}
	}
}

func outcomesText(outcomes []workflow.Outcome) string {
	names := make([]string, len(outcomes))
	for i, outcome := range outcomes {
		names[i] = string(outcome)
	}
	return strings.Join(names, ", ")
}
