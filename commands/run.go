package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// runKind folds runs. They are not kept: the one appender knows its own state, and others
// look once. Commands go through a [RunJournal].
var runKind = kind[run.State, run.Command]{evolve: untimed(run.Evolve)}

// LoadRun is the run with everything it did so far; a not_found refusal if nobody has started it.
func (c Runs) LoadRun(ctx context.Context, id string) (run.State, error) {
	loaded, there, err := state(ctx, c.core, runKind, run.Stream(id))
	if err == nil && !there {
		err = fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return loaded, err
}

// ReopenRun gives the journal of a run whose appender is gone, to go on with it or to end it. If the appender is not
// gone after all, the one that appends second gets a conflict.
func (c Runs) ReopenRun(ctx context.Context, id string, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	loaded, err := load(ctx, c.core, runKind, run.Stream(id))
	if err != nil {
		return nil, fmt.Errorf("commands: reopen run %s: %w", id, err)
	}
	if loaded.tail.revision < 0 {
		return nil, fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return c.journalOf(loaded, id, loaded.state.Workflow, meta), nil
}

// journalOf appends to a run's stream from where it was loaded.
func (c Runs) journalOf(loaded fold[run.State], id, of string, meta Meta) *RunJournal {
	return (&RunJournal{
		commands: c.core, stream: run.Stream(id), subject: workflow.Subject(of), meta: meta, state: loaded.state, end: loaded.tail,
	}).open()
}

// claimedWithin is how long a run may go on without anything in the log that says so.
const claimedWithin = 100 * time.Millisecond

// StartRun claims an admitted run. The claim is recorded, and appended with the first event of the run that has to be durable, or in
// a moment; a Flush has it durable now. It expects an empty stream, so of two that claim a run one is told by an error that wraps
// [ErrRunLost] before it sends anything that cannot be sent again. After a crash before the append the run begins afresh.
func (c Runs) StartRun(ctx context.Context, start run.Start, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	journal := (&RunJournal{
		commands: c.core, stream: run.Stream(start.Run), subject: workflow.Subject(start.Workflow), meta: meta,
		end: emptyTail,
	}).open()
	if err := journal.Record(ctx, start); err != nil {
		return nil, err
	}
	return journal, journal.flushIn(ctx, claimedWithin)
}

// GiveAnswer answers the question that a run waits for, so that it can go on.
func (c Runs) GiveAnswer(ctx context.Context, id string, answer run.GiveAnswer, meta Meta) error {
	return c.tellRun(ctx, id, answer, meta)
}

// LookUpEffect records what the other side answered about a write in doubt.
func (c Runs) LookUpEffect(ctx context.Context, id string, found run.LookUpEffect, meta Meta) error {
	return c.tellRun(ctx, id, found, meta)
}

// ResolveEffect records what became of a write in doubt, so that its run can go on.
func (c Runs) ResolveEffect(ctx context.Context, id string, resolve run.ResolveEffect, meta Meta) error {
	return c.tellRun(ctx, id, resolve, meta)
}

// tellRun records what a person says about a run that stands still.
func (c Runs) tellRun(ctx context.Context, id string, command run.Command, meta Meta) error {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return err
	}
	journal, err := c.ReopenRun(ctx, id, meta)
	if err != nil {
		return err
	}
	if err := journal.Record(ctx, command); err != nil {
		return err
	}
	return journal.Flush(ctx)
}
