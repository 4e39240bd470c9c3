package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
)

// StartRun takes an admitted run: who gets the journal executes the run, and nobody else.
// A run that is taken already is a conflict refusal.
func (c *Commands) StartRun(ctx context.Context, start run.Start, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	journal := (&RunJournal{
		commands: c, stream: RunStream(start.Run), subject: WorkflowSubject(start.Workflow), meta: meta,
		end: emptyTail,
	}).open()
	if err := journal.Record(ctx, start); err != nil {
		return nil, err
	}
	err = journal.Flush(ctx)
	if overtaken(err) {
		return nil, fault.New(fault.Conflict, "run %s is taken already: %w", start.Run, err)
	}
	if err != nil {
		return nil, err
	}
	return journal, nil
}
