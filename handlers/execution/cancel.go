package execution

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// errCancelled stops a run that was cancelled.
var errCancelled = errors.New("the run was cancelled")

// interrupter stops the script of a run that is under way on this node once the run was cancelled. It is a courtesy: the run's stream is
// closed, so nothing more goes out, but a script that computes or waits would go on for nothing.
type interrupter struct {
	mu       sync.Mutex
	underWay map[string]map[string]*interrupt // by workflow and run
}

// interrupt stops one run. A write that is under way is not cut off: then nobody would know what became of it.
type interrupt struct {
	mu      sync.Mutex
	writing bool
	due     bool
	stop    context.CancelCauseFunc
}

// enter has a run be stopped when it was cancelled, until leave is called.
func (i *interrupter) enter(ctx context.Context, of, run string) (kept context.Context, one *interrupt, leave func()) {
	kept, stop := context.WithCancelCause(ctx)
	one = &interrupt{stop: stop}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.underWay == nil {
		i.underWay = map[string]map[string]*interrupt{}
	}
	if i.underWay[of] == nil {
		i.underWay[of] = map[string]*interrupt{}
	}
	i.underWay[of][run] = one
	return kept, one, func() {
		stop(nil)
		i.mu.Lock()
		defer i.mu.Unlock()
		if delete(i.underWay[of], run); len(i.underWay[of]) == 0 {
			delete(i.underWay, of)
		}
	}
}

// look stops the runs of a workflow that were cancelled.
func (i *interrupter) look(of string, s workflow.State) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for run, one := range i.underWay[of] {
		if over, settled := s.Run(run); settled && over.Cancelled {
			one.now()
		}
	}
}

func (i *interrupt) now() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.due = true; !i.writing {
		i.stop(errCancelled)
	}
}

// writes brackets a write that cannot be called back. It says whether the run is to be stopped instead, or after it.
func (i *interrupt) writes(begins bool) (stops bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.writing = begins && !i.due
	return i.due
}

// endCancelled leaves a run that was cancelled while this node was at it. An answer that came meanwhile is kept, for people. It is
// false for a run that was not cancelled, and for one that cannot be read.
func (a *attempt) endCancelled(ctx context.Context) (bool, error) {
	if a.run.Cancelled != nil { // it was so before
		return false, nil
	}
	now, err := a.config.Commands.LoadRun(ctx, a.info.Run)
	if err != nil || now.Cancelled == nil {
		return false, err
	}
	if a.journal == nil {
		return true, nil
	}
	seen := a.journal.State() // with what could not be appended
	for i, call := range now.Calls {
		if call.Returned || i >= len(seen.Calls) || !seen.Calls[i].Returned {
			continue
		}
		answer := seen.Calls[i]
		journal, err := a.config.Commands.ReopenRun(ctx, a.info.Run, a.meta(fmt.Sprint("late answer ", call.Seq)))
		if err == nil {
			err = journal.Record(ctx, run.RecordReturn{Seq: call.Seq, Result: answer.Result, Error: answer.Error, MS: answer.MS})
		}
		if err == nil {
			err = journal.Flush(ctx)
		}
		if err != nil && !errors.Is(err, commands.ErrRunLost) {
			return true, err
		}
	}
	a.config.Logger.Info("a run was cancelled", "workflow", a.id, "run", a.info.Run)
	if a.host != nil && len(a.host.touched) > 0 { // what was written and not appended does not count
		if a.local, err = a.config.Local.LocalState(ctx, a.id); err == nil {
			err = a.config.Mirror(a.id, a.local, a.host.touched)
		}
	}
	return true, err
}
