package main

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
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

func outcomesText(outcomes []workflow.Outcome) string {
	names := make([]string, len(outcomes))
	for i, outcome := range outcomes {
		names[i] = string(outcome)
	}
	return strings.Join(names, ", ")
}
