package execution

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// beside is a run that others may be beside. What it reads of keys and files is what had been committed when it began, with its own writes
// on top; these are nobody else's until it commits them, which it may if everything that it was answered is so still.
type beside struct {
	executor *Executor
	id       string
	journal  *commands.RunJournal
	env      *hostcall.Env
	most     int64               // that the workflow may keep
	local    *hostcall.Memory    // what its script sees
	claims   []hostcall.Answered // what the runs before it did, and what it has committed
	held     []hostcall.Answered // what it has done since, on what was committed
	seen     int                 // commits in local

	committed int // the last of its calls that counts
}

// movedError says that other runs have changed what a run was answered.
type movedError struct{ places []string }

func (e *movedError) Error() string {
	return fmt.Sprintf("other runs of the workflow have changed %s", strings.Join(e.places, ", "))
}

// still says that what the run was answered is so still, as far as this node knows: right before something goes out it costs little to
// look. A [*movedError] says what is not.
func (b *beside) still(ctx context.Context) error {
	now, err := b.executor.config.Commands.WorkflowSince(ctx, b.id, 0)
	if err != nil || now.Commits == b.seen {
		return err
	}
	return b.compare(ctx)
}

// compare puts what the run did on what is committed by now.
func (b *beside) compare(ctx context.Context) error {
	now, err := b.executor.config.Commands.LoadWorkflow(ctx, b.id)
	if err != nil {
		return err
	}
	local, err := b.executor.config.Local.LocalState(ctx, b.id)
	if err != nil {
		return err
	}
	local.Limit(b.most)
	moved := hostcall.Moved(b.claims, local)
	if moved = append(moved, hostcall.Again(b.held, local)...); len(moved) > 0 {
		return &movedError{moved}
	}
	b.seen, b.local, b.env.State = now.Commits, local, local
	return nil
}

// commit makes count what the run has written, up to a call. A [*movedError] says that it may not.
func (b *beside) commit(ctx context.Context, through int) error {
	if !slices.ContainsFunc(b.held, func(made hostcall.Answered) bool {
		return made.Call.Effect == sandbox.Write && made.Reply.Error == nil
	}) {
		return nil
	}
	of := b.journal.State().Run
	for {
		err := b.executor.config.Commands.CommitRun(ctx, b.journal, b.id, workflow.CommitRun{Run: of, Through: through, Seen: b.seen},
			b.executor.meta(of, fmt.Sprintf("commit %d", through)))
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

// beginning is a script that begins again, because others have changed what it had read. What it did outside answers, and is done once; what
// it did to keys and files came to nothing.
type beginning struct {
	moved []string
	kept  []int         // the calls made outside
	calls []run.Command // what is to be journaled when it is clear that the script can go on
	// recorded says that the run has gone on: every write that was made outside was made again.
	recorded bool
}

// beginAgain is how a run begins again.
func beginAgain(s run.State, moved []string) *beginning {
	b := &beginning{moved: moved}
	for _, call := range s.Calls {
		if call.Returned && !hostcall.Of(call.Tool).Local {
			b.kept = append(b.kept, call.Seq)
		}
	}
	return b
}

// keep journals a command. Of a script that begins again nothing is, until it has made every write that was made outside: if it
// makes another one instead, the journal is as if it had not been tried.
func (h *runHost) keep(ctx context.Context, command run.Command) error {
	if h.again == nil || h.again.recorded {
		return h.journal.Record(ctx, command)
	}
	h.again.calls = append(h.again.calls, command)
	return h.begun(ctx)
}

// begun journals that the script has begun again, if it has made every write that was made outside.
func (h *runHost) begun(ctx context.Context) error {
	if _, left := h.past.Unrepeated(); left || h.again == nil || h.again.recorded {
		return nil
	}
	h.again.recorded = true
	if err := h.journal.Record(ctx, run.BeginAgain{Moved: h.again.moved, Keep: h.again.kept}); err != nil {
		return err
	}
	for _, command := range h.again.calls {
		if err := h.journal.Record(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

// mostAgain is how often a script begins again in a row, before its run waits a while.
const mostAgain = 20

// lines has the runs of a workflow that begin again do it one after the other: else each would overtake the others.
type lines struct {
	mu    sync.Mutex
	turns map[string]chan struct{}
}

// enter waits for the turn of a workflow. leave ends it.
func (l *lines) enter(ctx context.Context, id string) (leave func(), err error) {
	l.mu.Lock()
	if l.turns == nil {
		l.turns = map[string]chan struct{}{}
	}
	turn, found := l.turns[id]
	if !found {
		turn = make(chan struct{}, 1)
		l.turns[id] = turn
	}
	l.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
