package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Unfinished is a half-done run as people see it.
type Unfinished struct {
	Run     string `json:"run"`
	Version string `json:"version"` // that it failed on
	Writes  int    `json:"writes"`  // that it had made
	Problem string `json:"problem"`
	Asked   bool   `json:"asked"` // it waits for a decision; else something goes on with it by itself
	// Again is what is written again if it is started again from the beginning. Only where the run itself is looked at.
	Again []Rewrite `json:"again,omitempty"`
}

// WritesText counts the writes in words.
func (u Unfinished) WritesText() string {
	if u.Writes == 1 {
		return "1 write"
	}
	return fmt.Sprintf("%d writes", u.Writes)
}

// UnfinishedOf are the half-done runs of a workflow, in the order of their ids.
func UnfinishedOf(s workflow.State) []Unfinished {
	shown := []Unfinished{}
	for run, u := range s.Unfinished {
		shown = append(shown, Unfinished{Run: run, Version: u.Info.Version.String(), Writes: u.Info.Writes, Problem: u.Problem, Asked: u.Asked})
	}
	slices.SortFunc(shown, func(a, b Unfinished) int {
		if a.Run < b.Run {
			return -1
		}
		return 1
	})
	return shown
}

// RunResult is what became of a run that a person started.
type RunResult struct {
	Run projections.Run `json:"run"`
	// Final is the run that continued it last, on a fix or after a retry; Run itself if none did.
	Final  projections.Run `json:"final"`
	Status workflow.Status `json:"status"` // of the workflow
	// RetryAt is when the final run is tried again, zero if it is not.
	RetryAt     time.Time `json:"retry_at,omitzero"`
	HeldFix     string    `json:"held_fix,omitempty"`    // that waits for a person
	Explanation string    `json:"explanation,omitempty"` // of an escalation
	// Unfinished are the runs of the workflow that are half done.
	Unfinished []Unfinished `json:"unfinished,omitempty"`
	// Candidate is the best that the maintainer had, of an escalation.
	Candidate *projections.Candidate `json:"candidate,omitempty"`
	// Asked says that the maintainer waits for an answer.
	Asked bool `json:"asked,omitempty"`
	// Stopped is why the repair waits, if it cannot go on now.
	Stopped string `json:"repairs_stopped,omitempty"`
	// Changed is what the failed run was given otherwise than runs that succeeded, if nobody explained it.
	Changed  []gate.Changed `json:"changed,omitempty"`
	Decision Decision       `json:"-"` // what a person can do
	// Repairable says that the failure was the final run's alone, and that a person may have the workflow mended of it.
	Repairable bool `json:"repairable,omitempty"`
}

// NeedsPerson says that nothing goes on before a person has done something.
func (r RunResult) NeedsPerson() bool {
	switch r.Status {
	case workflow.StatusEscalated, workflow.StatusHeld, workflow.StatusWaiting:
		return true
	}
	return r.Asked || r.Final.Status == projections.RunInDoubt || r.Final.Status == projections.RunAsking
}

// RetryDue says that a failed run may be tried again by now: its place is taken until it was.
func RetryDue(state workflow.State, now time.Time) bool {
	for _, retry := range state.Retries {
		if !retry.At.After(now) {
			return true
		}
	}
	return false
}

// StandsStill is a run that waits for a person, what became of a write, or an answer: this one or one that
// goes on with it; without a run, any of the workflow.
func (r *Runs) StandsStill(ctx context.Context, state workflow.State, run string) (still string, err error) {
	for _, info := range state.Admitted {
		recorded, err := r.Commands.LoadRun(ctx, info.Run)
		switch {
		case fault.KindOf(err) == fault.NotFound: // not started
			continue
		case err != nil:
			return "", err
		case !recorded.StandsStill():
			continue
		}
		of, before := info.Run, info.Continues
		for run != "" && of != run && before != "" {
			earlier, err := r.Commands.LoadRun(ctx, before)
			if err != nil {
				return "", err
			}
			of, before = before, earlier.Continues
		}
		if run == "" || of == run {
			return info.Run, nil
		}
	}
	return "", nil
}

// continuedWithin is among how many of the newest runs those are that continued one which
// has just come to its end.
const continuedWithin = 1000

// Result is what has become of a run, of those that went on from it, and of its workflow.
func (r *Runs) Result(ctx context.Context, id, run string) (RunResult, error) {
	// Before the views: a run that is admitted in between would be in neither, as a retry no more and as a run not yet.
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return RunResult{}, err
	}
	if err := r.Views.CatchUp(ctx); err != nil {
		return RunResult{}, err
	}
	first, err := r.Queries.Run(ctx, run)
	if err != nil {
		return RunResult{}, err
	}
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Limit: continuedWithin})
	if err != nil {
		return RunResult{}, err
	}
	next := map[string]projections.Run{}
	for _, one := range runs {
		next[one.Continues] = one
	}
	final := first
	for one, found := next[final.ID]; found; one, found = next[final.ID] {
		final = one
	}
	recorded, err := r.Commands.LoadRun(ctx, final.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound { // it may be admitted and not started
		return RunResult{}, err
	}
	final.Output = recorded.Output // the whole of it
	result := RunResult{Run: first, Final: final, Status: state.Status, RetryAt: state.Retries[final.ID].At, Unfinished: UnfinishedOf(state)}
	result.Repairable = final.Failure != nil && final.Failure.Class.Repairable() && state.MayRepair(final.ID)
	if m := state.Maintenance; m != nil {
		if m.Held != nil {
			result.HeldFix = m.Held.Proposal
		}
		result.Asked = slices.ContainsFunc(state.Questions, func(q workflow.Question) bool { return q.Task == m.Task })
	}
	if e := state.Escalation; e != nil {
		result.Explanation = e.Explanation
		if e.Task != "" {
			if result.Candidate, err = r.Queries.BestCandidate(ctx, e.Task); err != nil {
				return RunResult{}, err
			}
		}
	}
	if state.Escalation != nil || state.Status == workflow.StatusWaiting {
		if result.Decision, err = r.Decisions.open(ctx, id); err != nil {
			return RunResult{}, err
		}
		result.Changed = result.Decision.Changed
	}
	if len(result.Decision.Actions) == 0 {
		if result.Decision, err = r.Decisions.access(ctx, final); err != nil {
			return RunResult{}, err
		}
	}
	result.Stopped, err = r.Fixes.RepairWaits(ctx, state.Owner, repairThread(state))
	return result, err
}

// GoOnAgain are the half-done runs that a decision has go on.
func GoOnAgain(before workflow.State, events []event.Recorded) []Unfinished {
	return slices.DeleteFunc(UnfinishedOf(before), func(one Unfinished) bool {
		return !slices.ContainsFunc(events, func(e event.Recorded) bool {
			again, is := e.Event.(workflow.RetryScheduled)
			return is && again.Run == one.Run
		})
	})
}
