package app

import (
	"context"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
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
