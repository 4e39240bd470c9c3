package app

import (
	"context"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Exempted is a run that the gate leaves out.
type Exempted struct {
	Run      string          `json:"run"`
	Workflow string          `json:"workflow"`
	Reason   string          `json:"reason"`
	Status   workflow.Status `json:"status"` // of the workflow
	HeldFix  string          `json:"held_fix,omitempty"`
	Writes   []MadeWrite     `json:"writes"` // that it made: what may have to be put right
}

// ExemptedAll are runs of a workflow that the gate leaves out, with what they did.
type ExemptedAll struct {
	Workflow string          `json:"workflow"`
	Reason   string          `json:"reason"`
	Status   workflow.Status `json:"status"`
	HeldFix  string          `json:"held_fix,omitempty"`
	Runs     []string        `json:"runs"`
	Writes   []MadeWrite     `json:"writes"`
}

// MadeWrite is a write that a run made.
type MadeWrite struct {
	Run    string    `json:"run"`
	At     time.Time `json:"at"` // when the run began
	Seq    int       `json:"seq"`
	Tool   string    `json:"tool"`
	Args   string    `json:"args"` // shortened
	Failed bool      `json:"failed,omitempty"`
}

// Between are two times: from the first on, and before the second if that is set.
type Between struct{ From, Before time.Time }

// Exempt exempts a run, and tells what it wrote, and where its workflow stands then.
func (r *Runs) Exempt(ctx context.Context, row projections.Run, reason string, meta commands.Meta) (shown Exempted, at projections.Workflow, err error) {
	result, err := r.Commands.ExemptRun(ctx, row.Workflow, workflow.ExemptRun{Run: row.ID, Reason: reason}, meta)
	if err != nil {
		return shown, at, err
	}
	if err := r.Views.WaitFor(ctx, result.Position); err != nil {
		return shown, at, err
	}
	if row, err = r.Queries.Run(ctx, row.ID); err != nil {
		return shown, at, err
	}
	if at, err = r.Queries.Workflow(ctx, row.Workflow); err != nil {
		return shown, at, err
	}
	shown = Exempted{Run: row.ID, Workflow: row.Workflow, Reason: row.Exempted, Status: at.Status, HeldFix: at.HeldFix}
	shown.Writes, err = r.writesOf(ctx, row)
	return shown, at, err
}

// ExemptSince exempts everything that succeeded between two times, and tells what it wrote. Without a meta it only
// tells what would be exempted.
func (r *Runs) ExemptSince(ctx context.Context, meta func() commands.Meta, id string, between Between, reason string) (shown ExemptedAll, at projections.Workflow, err error) {
	rows, err := r.Succeeded(ctx, id, between)
	if err != nil {
		return shown, at, err
	}
	shown = ExemptedAll{Workflow: id, Reason: reason, Runs: []string{}, Writes: []MadeWrite{}}
	for _, row := range rows {
		if meta != nil {
			result, err := r.Commands.ExemptRun(ctx, id, workflow.ExemptRun{Run: row.ID, Reason: reason}, meta())
			if err != nil {
				return shown, at, err
			}
			if err := r.Views.WaitFor(ctx, result.Position); err != nil {
				return shown, at, err
			}
		}
		writes, err := r.writesOf(ctx, row)
		if err != nil {
			return shown, at, err
		}
		shown.Runs, shown.Writes = append(shown.Runs, row.ID), append(shown.Writes, writes...)
	}
	at, err = r.Queries.Workflow(ctx, id)
	shown.Status, shown.HeldFix = at.Status, at.HeldFix
	return shown, at, err
}

// Succeeded are the runs of a workflow that succeeded between two times and were not exempted, the oldest first.
func (r *Runs) Succeeded(ctx context.Context, id string, between Between) (found []projections.Run, err error) {
	rows, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded})
	for _, row := range slices.Backward(rows) {
		if row.Exempted == "" && !row.Settled.IsZero() && !row.Admitted.Before(between.From) && (between.Before.IsZero() || row.Admitted.Before(between.Before)) {
			found = append(found, row)
		}
	}
	return found, err
}

// writesOf are the writes that a run made itself.
func (r *Runs) writesOf(ctx context.Context, row projections.Run) ([]MadeWrite, error) {
	writes := []MadeWrite{}
	state, err := r.Commands.LoadRun(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, call := range state.Calls {
		if call.Effect == run.EffectWrite && call.From == "" {
			writes = append(writes, MadeWrite{
				Run: row.ID, At: row.Admitted, Seq: call.Seq, Tool: call.Tool, Args: plain.Line(plain.Short(string(call.Args), 100)), Failed: call.Error != nil || !call.Returned,
			})
		}
	}
	return writes, nil
}
