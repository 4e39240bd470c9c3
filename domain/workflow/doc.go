// Package workflow decides what may happen to a workflow: versions of its script, runs,
// failures, repairs. It is pure: no clock, no I/O.
//
//	state := workflow.State{}
//	for _, happened := range stream {
//		state = workflow.Evolve(state, happened)
//	}
//	events, err := workflow.Decide(state, workflow.Activate{}, now)
//
// The numbers of rules in comments are those of docs/design.md.
package workflow
