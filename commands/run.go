package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// runKind folds runs. They are not kept: the one appender knows its own state, and others
// look once. Commands go through a [RunJournal].
var runKind = kind[run.State, run.Command]{evolve: untimed(run.Evolve)}

// LoadRun is the run with everything it did so far; a not_found refusal if nobody has started it.
func (c *Commands) LoadRun(ctx context.Context, id string) (run.State, error) {
	loaded, there, err := state(ctx, c, runKind, run.Stream(id))
	if err == nil && !there {
		err = fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return loaded, err
}

// newRuns are runs that were admitted by this process, until they are asked for: nobody but another process can have started them.
type newRuns struct {
	mu   sync.Mutex
	runs map[string]struct{}
}

// newRunsKept bounds how many are remembered: one that is forgotten is looked for in the log.
const newRunsKept = 20_000

func (n *newRuns) add(run string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.runs) >= newRunsKept {
		clear(n.runs)
	}
	n.runs[run] = struct{}{}
}

// TakeNewRun says, once for a run, that this process has admitted it and not looked at it since: for who is alone with a
// log, or may be wrong about it, there is no need to look whether it was started.
func (c *Commands) TakeNewRun(id string) bool {
	c.newRuns.mu.Lock()
	defer c.newRuns.mu.Unlock()
	_, is := c.newRuns.runs[id]
	delete(c.newRuns.runs, id)
	return is
}

// ForgetNewRuns is for who begins to execute runs: those that were admitted before may have been started by who did until then.
func (c *Commands) ForgetNewRuns() {
	c.newRuns.mu.Lock()
	defer c.newRuns.mu.Unlock()
	clear(c.newRuns.runs)
}

// ReopenRun gives the journal of a run whose appender is gone, to go on with it or to end it. If the appender is not
// gone after all, the one that appends second gets a conflict.
func (c *Commands) ReopenRun(ctx context.Context, id string, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	loaded, err := load(ctx, c, runKind, run.Stream(id))
	if err != nil {
		return nil, fmt.Errorf("commands: reopen run %s: %w", id, err)
	}
	if loaded.tail.revision < 0 {
		return nil, fault.New(fault.NotFound, "there is no run %q, or it has not started: see the list of runs", id)
	}
	return (&RunJournal{
		commands: c, stream: run.Stream(id), subject: workflow.Subject(loaded.state.Workflow), meta: meta,
		state: loaded.state, end: loaded.tail,
	}).open(), nil
}

// StartRun takes an admitted run: the caller that gets the journal executes the run, and nobody else. A run that is
// taken already is a conflict refusal.
func (c *Commands) StartRun(ctx context.Context, start run.Start, meta Meta) (*RunJournal, error) {
	journal, err := c.startRun(ctx, start, meta)
	if err != nil {
		return nil, err
	}
	err = journal.Flush(ctx)
	if conflicted(err) {
		return nil, fault.New(fault.Conflict, "run %s is taken already: %w", start.Run, err)
	}
	if err != nil {
		return nil, err
	}
	return journal, nil
}

// toldWithin is how long a run may go on without anything in the log that says so.
const toldWithin = 100 * time.Millisecond

// StartRunAlone is [Commands.StartRun] for a node that nobody else executes runs beside. It need not wait until it has the run: that
// is appended with the first of what the run does that has to be durable, or in a moment. Until then nothing of the run was
// sent that could not be done again, and after a crash it begins afresh. If somebody had taken the run after all, whatever
// comes next is an error that wraps [ErrRunLost], before anything is sent.
func (c *Commands) StartRunAlone(ctx context.Context, start run.Start, meta Meta) (*RunJournal, error) {
	journal, err := c.startRun(ctx, start, meta)
	if err != nil {
		return nil, err
	}
	if err := journal.enter(ctx); err != nil {
		return nil, err
	}
	defer journal.leave()
	journal.flushWithin(ctx, toldWithin)
	return journal, nil
}

// startRun gives the journal of a run that is recorded to have started, not yet appended.
func (c *Commands) startRun(ctx context.Context, start run.Start, meta Meta) (*RunJournal, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return nil, err
	}
	journal := (&RunJournal{
		commands: c, stream: run.Stream(start.Run), subject: workflow.Subject(start.Workflow), meta: meta,
		end: emptyTail,
	}).open()
	if err := journal.Record(ctx, start); err != nil {
		return nil, err
	}
	return journal, nil
}

// GiveAnswer answers the question that a run waits for, so that it can go on.
func (c *Commands) GiveAnswer(ctx context.Context, id string, answer run.GiveAnswer, meta Meta) error {
	return c.tellRun(ctx, id, answer, meta)
}

// LookUpEffect records what the other side answered about a write in doubt.
func (c *Commands) LookUpEffect(ctx context.Context, id string, found run.LookUpEffect, meta Meta) error {
	return c.tellRun(ctx, id, found, meta)
}

// ResolveEffect records what became of a write in doubt, so that its run can go on.
func (c *Commands) ResolveEffect(ctx context.Context, id string, resolve run.ResolveEffect, meta Meta) error {
	return c.tellRun(ctx, id, resolve, meta)
}

// tellRun records what a person says about a run that stands still.
func (c *Commands) tellRun(ctx context.Context, id string, command run.Command, meta Meta) error {
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
