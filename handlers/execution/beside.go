package execution

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// beside is a run that others may be beside. It reads of keys and files what had been committed when it began, with its own writes
// on top; nobody else sees these until it commits them, which it may if everything that it was answered is so still.
type beside struct {
	attempt *attempt // its local is what the script sees
	env     *hostcall.Env
	claims  []hostcall.Answered // calls of the runs before it, and its own that it has committed
	held    []hostcall.Answered // its calls since, on what was committed
	seen    int                 // commits in local

	committed int // the last of its calls that counts
}

// movedError says that other runs have changed what a run was answered.
type movedError struct{ places []string }

func (e *movedError) Error() string {
	return fmt.Sprintf("other runs of the workflow have changed %s", strings.Join(e.places, ", "))
}

// still says that everything that the run was answered is so still, as far as this node knows: right before something goes out it costs little to
// look. A [*movedError] says what is not.
func (b *beside) still(ctx context.Context) error {
	now, err := b.attempt.config.Commands.WorkflowSince(ctx, b.attempt.id, 0)
	if err != nil || now.Commits == b.seen {
		return err
	}
	return b.compare(ctx)
}

// compare puts what the run did on what is committed by now.
func (b *beside) compare(ctx context.Context) error {
	a := b.attempt
	now, err := a.config.Commands.LoadWorkflow(ctx, a.id)
	if err != nil {
		return err
	}
	local, err := a.config.Local.LocalState(ctx, a.id)
	if err != nil {
		return err
	}
	local.Limit(a.workflow.Settings.Limits.StoredBytes)
	moved := hostcall.Moved(b.claims, local)
	if moved = append(moved, hostcall.Again(b.held, local)...); len(moved) > 0 {
		return &movedError{moved}
	}
	b.seen, a.local, b.env.State = now.Commits, local, local
	return nil
}

// commit makes the run's writes count, up to a call. A [*movedError] says that it may not.
func (b *beside) commit(ctx context.Context, through int) error {
	if !slices.ContainsFunc(b.held, func(made hostcall.Answered) bool {
		return made.Call.Effect == sandbox.Write && made.Reply.Error == nil
	}) {
		return nil
	}
	a := b.attempt
	for {
		err := a.config.Commands.CommitRun(ctx, a.journal, a.id, workflow.CommitRun{Run: a.info.Run, Through: through, Seen: b.seen},
			a.meta(fmt.Sprintf("commit %d", through)))
		if err == nil {
			b.committed = through
			return nil
		}
		if fault.KindOf(err) != fault.Conflict {
			return err
		}
		if err := b.compare(ctx); err != nil {
			return err
		}
	}
}

// restart is a script that begins again, because other runs have changed what it had read. Its calls outside answer, and are made once; its
// calls on keys and files came to nothing.
type restart struct {
	moved []string
	kept  []int         // the calls made outside
	calls []run.Command // to be journaled when it is clear that the script can go on
	// recorded says that the run has gone on: every write that was made outside was made again.
	recorded bool
}

// newRestart is how a run begins again.
func newRestart(s run.State, moved []string) *restart {
	r := &restart{moved: moved}
	for _, call := range s.Calls {
		if call.Returned && !hostcall.Of(call.Tool).Local {
			r.kept = append(r.kept, call.Seq)
		}
	}
	return r
}

// interrupted is the restart with which a run goes on that was stopped for a look: none once it is recorded, and none of a nil one.
func (r *restart) interrupted() *restart {
	if r == nil || r.recorded {
		return nil
	}
	r.calls = nil
	return r
}

// keep journals a command. A script that begins again has nothing journaled until it has made every write that was made outside: if it
// makes another one instead, the journal is as if it had not been tried.
func (h *runHost) keep(ctx context.Context, command run.Command) error {
	r := h.attempt.restart
	if r == nil || r.recorded {
		return h.attempt.journal.Record(ctx, command)
	}
	r.calls = append(r.calls, command)
	return h.begun(ctx)
}

// begun journals that the script has begun again, if it has made every write that was made outside.
func (h *runHost) begun(ctx context.Context) error {
	r := h.attempt.restart
	if _, left := h.past.Unrepeated(); left || r == nil || r.recorded {
		return nil
	}
	r.recorded = true
	if err := h.attempt.journal.Record(ctx, run.BeginAgain{Moved: r.moved, Keep: r.kept}); err != nil {
		return err
	}
	for _, command := range r.calls {
		if err := h.attempt.journal.Record(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

// mostRestarts is how often a script begins again in a row, before its run waits a while.
const mostRestarts = 20

// turns has the runs of a workflow that begin again do it one after the other: else each would overtake the others.
type turns struct {
	mu        sync.Mutex
	workflows map[string]chan struct{}
}

// enter waits for the turn of a workflow. leave ends it.
func (t *turns) enter(ctx context.Context, id string) (leave func(), err error) {
	t.mu.Lock()
	if t.workflows == nil {
		t.workflows = map[string]chan struct{}{}
	}
	turn, found := t.workflows[id]
	if !found {
		turn = make(chan struct{}, 1)
		t.workflows[id] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
