package commands

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
)

// RunStream is the stream of what a run did.
func RunStream(id string) string { return "run-" + id }

// runKind folds runs. They are not kept: the one appender knows its own state, and others
// look once. Commands go through a [RunJournal].
var runKind = kind[run.State, run.Command]{evolve: run.Evolve}

// LoadRun is the run with everything it did so far; a not_found refusal if nobody has started it.
func (c *Commands) LoadRun(ctx context.Context, id string) (run.State, error) {
	loaded, there, err := state(ctx, c, runKind, RunStream(id))
	if err == nil && !there {
		err = fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return loaded, err
}

// ReopenRun gives the journal of a run whose appender is gone, to go on with it or to end it.
// If the appender is not gone after all, whoever appends second is told by a conflict.
func (c *Commands) ReopenRun(ctx context.Context, id string, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	loaded, err := load(ctx, c, runKind, RunStream(id))
	if err != nil {
		return nil, fmt.Errorf("commands: reopen run %s: %w", id, err)
	}
	if loaded.tail.revision < 0 {
		return nil, fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return (&RunJournal{
		commands: c, stream: RunStream(id), subject: WorkflowSubject(loaded.state.Workflow), meta: meta,
		state: loaded.state, end: loaded.tail,
	}).open(), nil
}
