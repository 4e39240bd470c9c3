package app

import (
	"context"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Rewrite is a write that is made again if a half-done run starts again.
type Rewrite struct {
	Run     string `json:"run"`                // that made it
	Call    string `json:"call"`               // shortened
	InDoubt bool   `json:"in_doubt,omitempty"` // nobody knows whether it happened
}

// writtenBy are the writes that a run, and those that it goes on with, made or may have made.
func (r *Runs) writtenBy(ctx context.Context, id string) ([]Rewrite, error) {
	written, err := rehearsal.Written(ctx, r.Commands, id)
	if err != nil {
		return nil, err
	}
	writes := make([]Rewrite, len(written))
	for i, one := range written {
		writes[i] = Rewrite{Run: one.From, Call: one.Tool + " " + plain.Line(plain.Short(string(one.Args), 100)), InDoubt: one.InDoubt}
	}
	return writes, nil
}

// CancelledRun is a run that was cancelled, and what it had done.
type CancelledRun struct {
	projections.Run
	// Writes are those that the run, and the runs that it went on with, had made when it was cancelled.
	Writes []Rewrite `json:"writes" doc:"What it, and the runs that it went on with, had written. One that was under way may happen still: it is in_doubt until it is answered, and the run shows the answer"`
}

// Cancel ends a run that is under way, or gives up one that waits: nothing more of its script goes out.
func (r *Runs) Cancel(ctx context.Context, meta commands.Meta, run, reason string) (CancelledRun, commands.Result, error) {
	row, err := r.Queries.Run(ctx, run)
	if err != nil {
		return CancelledRun{}, commands.Result{}, err
	}
	result, err := r.Commands.CancelRun(ctx, row.Workflow, workflow.CancelRun{Run: run, Reason: reason}, meta)
	if err != nil {
		return CancelledRun{}, result, err
	}
	if err := r.Views.WaitFor(ctx, result.Position); err != nil {
		return CancelledRun{}, result, err
	}
	cancelled := CancelledRun{}
	if cancelled.Run, err = r.Queries.Run(ctx, run); err != nil {
		return cancelled, result, err
	}
	cancelled.Writes, err = r.writtenBefore(ctx, cancelled.Run)
	return cancelled, result, err
}

// writtenBefore are the writes of a run that was cancelled. The journal of one that had not started does not say which run it was to go
// on with.
func (r *Runs) writtenBefore(ctx context.Context, cancelled projections.Run) ([]Rewrite, error) {
	if cancelled.Started.IsZero() && cancelled.Continues != "" {
		return r.writtenBy(ctx, cancelled.Continues)
	}
	return r.writtenBy(ctx, cancelled.ID)
}

// Restart is the admission that starts a half-done run again. Unless the person has agreed to it, it is refused, with what would be
// written again.
func (r *Runs) Restart(ctx context.Context, id string, agreed bool) (workflow.AdmitRun, error) {
	again := workflow.AdmitRun{Trigger: workflow.TriggerManual, Restarts: id}
	row, err := r.Queries.Run(ctx, id)
	if err != nil {
		return again, err
	}
	of, err := r.Commands.LoadWorkflow(ctx, row.Workflow)
	if err != nil {
		return again, err
	}
	if _, unfinished := of.Unfinished[id]; agreed || !unfinished { // what is not half done is refused when it is admitted
		return again, nil
	}
	writes, err := r.writtenBy(ctx, id)
	if err != nil || len(writes) == 0 {
		return again, err
	}
	var list strings.Builder
	for _, one := range writes {
		list.WriteString("\n  " + one.Call)
		if one.InDoubt {
			list.WriteString(" (nobody knows whether it happened)")
		}
	}
	return again, fault.New(fault.Conflict, "run %s had written, and to start it again writes again:%s\nNothing was done. To go on where it stopped writes none of it again", id, list.String())
}
