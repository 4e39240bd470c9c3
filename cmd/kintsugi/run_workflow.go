package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// runResult is what became of a run that a person started.
type runResult struct {
	Run projections.Run `json:"run"`
	// Final is the run that continued it last, on a fix or after a retry; Run itself if none did.
	Final  projections.Run `json:"final"`
	Status workflow.Status `json:"status"` // of the workflow
	// RetryAt is when the final run is tried again, zero if it is not.
	RetryAt     time.Time `json:"retry_at,omitzero"`
	HeldFix     string    `json:"held_fix,omitempty"`    // that waits for a person
	Explanation string    `json:"explanation,omitempty"` // of an escalation
	// Unfinished are the runs of the workflow that are half done.
	Unfinished []shownUnfinished `json:"unfinished,omitempty"`
	// Candidate is the best that the maintainer had, of an escalation.
	Candidate *projections.Candidate `json:"candidate,omitempty"`
	// Asked says that the maintainer waits for an answer.
	Asked bool `json:"asked,omitempty"`
	// Stopped is why the repair waits, if it cannot go on now.
	Stopped string `json:"repairs_stopped,omitempty"`
	// Changed is what the failed run read of another shape than runs that succeeded, if nobody explained it.
	Changed  []string `json:"changed,omitempty"`
	decision decision // what a person can do
}

// runCommand is how this command signs the server lock.
const runCommand = "kintsugi workflow run"

func (a *app) runWorkflow(ctx context.Context, n *node, id string, input json.RawMessage) error {
	return a.runAdmitted(ctx, n, id, workflow.AdmitRun{Run: newID(), Trigger: workflow.TriggerManual, Input: input})
}

// runAdmitted admits a run and stays with it until it has come to its end.
func (a *app) runAdmitted(ctx context.Context, n *node, id string, admit workflow.AdmitRun) error {
	return a.attend(ctx, n, id, admit.Run, true, func() (commands.Result, error) {
		return n.commands.AdmitRun(ctx, id, admit, meta())
	})
}

// attend has a run begin, or go on, and stays with it until it has come to its end. One that begins needs
// what was interrupted out of its way.
func (a *app) attend(ctx context.Context, n *node, id, run string, begins bool, begin func() (commands.Result, error)) (err error) {
	if err := a.useModel(n); err != nil {
		return err
	}
	n.program = a.fixer.argv()
	lock, err := lockServer(n.dir, runCommand)
	held, served := errors.AsType[*heldError](err)
	switch {
	case served && held.holder.Command == runCommand:
		fmt.Fprintf(a.err, "Another '%s' is at work here (process %d): this one goes on when that has ended.\n", runCommand, held.holder.PID)
	case err != nil && !served:
		return err
	}
	if !served {
		defer func() { err = errors.Join(err, lock.Release()) }()
		if begins {
			if err := a.goOn(ctx, n, id); err != nil {
				return err
			}
		}
	}
	begun, err := begin()
	if err != nil {
		return err
	}
	stop := a.narrate(ctx, n, id, begun.Position)
	if served {
		err = n.follow(ctx, runCommand, id, run, func(full bool) {
			if full {
				fmt.Fprintln(a.err, "The server cannot write: the disk is full. Nothing that was acknowledged is lost, and the run goes on once there is room.")
			} else {
				fmt.Fprintln(a.err, "The server can write again, and goes on.")
			}
		})
	} else {
		err = n.serveAmongOthers(ctx, id, run)
	}
	stop()
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, cause: fmt.Errorf(
			"interrupted: run %s is kept in its journal; a server goes on with it, or the next 'kintsugi dev' or 'kintsugi workflow run'", run)}
	}
	if err != nil {
		return err
	}
	result, err := n.resultOf(ctx, id, run)
	if err != nil {
		return err
	}
	if err := a.show(result, func(w io.Writer) { writeResult(w, id, result) }); err != nil {
		return err
	}
	switch {
	case result.Final.Status == projections.RunSucceeded:
		return nil
	case result.needsPerson():
		return &exitError{code: exitEscalated}
	}
	return &exitError{code: exitRunFailed}
}

// needsPerson says that nothing goes on before a person has done something.
func (r runResult) needsPerson() bool {
	switch r.Status {
	case workflow.StatusEscalated, workflow.StatusHeld, workflow.StatusWaiting:
		return true
	}
	return r.Asked || r.Final.Status == projections.RunInDoubt || r.Final.Status == projections.RunAsking
}

// admitRun only asks for a run: a server executes it.
func (a *app) admitRun(ctx context.Context, n *node, id string, input json.RawMessage) error {
	run := newID()
	if _, err := n.commands.AdmitRun(ctx, id, workflow.AdmitRun{Run: run, Trigger: workflow.TriggerManual, Input: input}, meta()); err != nil {
		return err
	}
	return a.show(map[string]string{"run": run}, func(w io.Writer) {
		fmt.Fprintf(w, "Admitted run %s. The server executes it: at once if one runs, else with the next 'kintsugi dev'.\n", run)
	})
}

// goOn finishes what an interrupted process left: as long as that is open, no new run may start.
func (a *app) goOn(ctx context.Context, n *node, id string) error {
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if len(state.Admitted) == 0 && state.Continuation == nil && !state.MaintainerWanted() && !retryDue(state, n.now()) {
		return nil
	}
	fmt.Fprintln(a.err, "Going on with what was interrupted, first.")
	head, err := n.log.Head(ctx)
	if err != nil {
		return err
	}
	stop := a.narrate(ctx, n, id, head)
	err = n.serve(ctx, id)
	stop()
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, cause: errors.New("interrupted while going on with an earlier run: the new one was not started")}
	}
	if err != nil {
		return err
	}
	if state, err = n.commands.LoadWorkflow(ctx, id); err != nil {
		return err
	}
	still, err := n.standsStill(ctx, state, "")
	if err == nil && still != "" && len(state.Admitted) >= state.Settings.WithDefaults().MaxActive {
		err = fault.New(fault.Conflict, "run %s waits for you, and stands still until then: kintsugi notification list", still)
	}
	return err
}

// retryDue says that a failed run may be tried again by now: its place is taken until it was.
func retryDue(state workflow.State, now time.Time) bool {
	for _, retry := range state.Retries {
		if !retry.At.After(now) {
			return true
		}
	}
	return false
}

// standsStill is a run that waits for a person, what became of a write, or an answer: this one or one that
// goes on with it; without a run, any of the workflow.
func (n *node) standsStill(ctx context.Context, state workflow.State, run string) (still string, err error) {
	for _, info := range state.Admitted {
		recorded, err := n.commands.LoadRun(ctx, info.Run)
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
			earlier, err := n.commands.LoadRun(ctx, before)
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

func (n *node) resultOf(ctx context.Context, id, run string) (runResult, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return runResult{}, err
	}
	first, err := n.queries.Run(ctx, run)
	if err != nil {
		return runResult{}, err
	}
	runs, err := n.queries.Runs(ctx, projections.RunFilter{Workflow: id, Limit: continuedWithin})
	if err != nil {
		return runResult{}, err
	}
	next := map[string]projections.Run{}
	for _, one := range runs {
		next[one.Continues] = one
	}
	final := first
	for one, found := next[final.ID]; found; one, found = next[final.ID] {
		final = one
	}
	recorded, err := n.commands.LoadRun(ctx, final.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound { // it may be admitted and not started
		return runResult{}, err
	}
	final.Output = recorded.Output // the whole of it
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return runResult{}, err
	}
	result := runResult{Run: first, Final: final, Status: state.Status, RetryAt: state.Retries[final.ID].At, Unfinished: unfinishedOf(state)}
	if m := state.Maintenance; m != nil {
		if m.Held != nil {
			result.HeldFix = m.Held.Proposal
		}
		result.Asked = slices.ContainsFunc(state.Questions, func(q workflow.Question) bool { return q.Task == m.Task })
	}
	if e := state.Escalation; e != nil {
		result.Explanation = e.Explanation
		if e.Task != "" {
			if result.Candidate, err = n.queries.BestCandidate(ctx, e.Task); err != nil {
				return runResult{}, err
			}
		}
	}
	if state.Escalation != nil || state.Status == workflow.StatusWaiting {
		if result.decision, err = n.openDecision(ctx, id); err != nil {
			return runResult{}, err
		}
		result.Changed = result.decision.changed
	}
	result.Stopped, err = n.repairWaits(ctx, repairThread(state))
	return result, err
}

func writeResult(w io.Writer, id string, result runResult) {
	final := result.Final
	if final.Status == projections.RunSucceeded {
		fmt.Fprintf(w, "Run %s succeeded on version %s.\n", final.ID, final.Version)
		if len(final.Output) > 0 {
			fmt.Fprintln(w, clean(string(final.Output)))
		}
		return
	}
	fmt.Fprintf(w, "Run %s %s", final.ID, final.Status)
	if f := final.Failure; f != nil {
		fmt.Fprintf(w, " (%s): %s", f.Class, indented(f.String(), "  "))
	}
	fmt.Fprintln(w)
	if result.Explanation != "" {
		fmt.Fprintf(w, "  %s\n", wrapped(result.Explanation, "  ", 98))
		writeCandidate(w, id, result.Candidate)
	}
	result.decision.write(w, "  ")
	switch {
	case final.Status == projections.RunAsking:
		fmt.Fprintln(w, "It asks you something, and goes on with your answer. See: kintsugi notification list")
	case final.Status == projections.RunInDoubt:
		fmt.Fprintln(w, "It stands still: a write went out and was not answered, so it may have happened. See: kintsugi effect list")
	case result.HeldFix != "":
		fmt.Fprintf(w, "A fix waits for you: kintsugi fix show %s\n", result.HeldFix)
	case result.Asked:
		fmt.Fprintln(w, "The maintainer asks you something, and goes on with your answer. See: kintsugi notification list")
	case result.Stopped != "":
		fmt.Fprintf(w, "Its repair waits: %s\n", wrapped(result.Stopped, "  ", 98))
	case !result.RetryAt.IsZero():
		writeRetry(w, workflow.Retry{Run: final.ID, At: result.RetryAt})
	}
	writeUnfinished(w, result.Unfinished)
	fmt.Fprintf(w, "The workflow is %s now. See: kintsugi workflow show %s\n", result.Status, id)
}
