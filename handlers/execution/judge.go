package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// judge makes of what the sandbox came to the end of the run, unless it stands still or begins again. failed is why the sandbox came to nothing;
// kept ends when the lease is lost.
func (a *attempt) judge(ctx, kept context.Context, failed error) error {
	halted := a.host.halted
	a.suspicion = nil
	if errors.Is(halted, errMisspeculated) || halted == nil && failed == nil && a.outcome.Astray {
		return errMisspeculated
	}
	if moved, is := errors.AsType[*movedError](halted); is {
		return moved
	}
	switch {
	case errors.Is(halted, errSuspected):
		findings, err := a.inspect(kept, nil)
		if err != nil {
			return a.delay(ctx, kept, err)
		}
		if len(findings) == 0 {
			return errSuspected
		}
		a.outcome.Error, a.suspicion = a.monitor.stopped(findings)
	case halted != nil:
		a.run = a.journal.State()
		return a.host.halt()
	}
	if failed != nil {
		return a.delay(ctx, kept, failed)
	}
	if doubted, err := a.doubts(ctx); doubted {
		return err
	}
	if ended, err := a.diverges(ctx); ended || err != nil {
		return err
	}
	if err := a.guard(ctx, kept); err != nil {
		return err
	}
	if a.host.side != nil {
		if err := a.host.side.commit(kept, a.host.seq); err != nil {
			if kept.Err() != nil {
				err = a.delay(ctx, kept, err)
			}
			return err
		}
	}
	return a.end(ctx)
}

// doubts leaves a run still whose script failed of the answer to a write that may have happened all the same.
func (a *attempt) doubts(ctx context.Context) (bool, error) {
	failed := a.outcome.Error
	says := failed != nil && a.suspicion == nil && a.monitor.explain(failed, nil, a.host.idempotent)
	made := a.host.unheard(failed, says)
	if made == nil {
		return false, nil
	}
	_ = a.host.doubt(ctx, sandbox.Call{Tool: made.Tool, Args: made.Args, Effect: sandbox.Write}, made.Seq, time.Time{}, failed.Status)
	a.run = a.journal.State()
	return true, a.host.halt()
}

// diverges fails a run that has not made again a write that it had made, and ends it if its script began again without that.
func (a *attempt) diverges(ctx context.Context) (ended bool, err error) {
	_, unrepeated := a.host.past.Unrepeated()
	if unrepeated && a.restart != nil && !a.restart.recorded {
		return true, a.endSuperseded(ctx, a.host.diverged(nil).Reason)
	}
	if unrepeated && a.outcome.Error == nil {
		a.outcome.Error = &a.host.diverged(nil).Reason
	}
	return false, a.host.begun(ctx)
}

// guard looks at the output of a run that did not fail, and learns from it if nothing is suspected.
func (a *attempt) guard(ctx, kept context.Context) error {
	m := a.monitor
	if m == nil || a.outcome.Error != nil {
		return nil
	}
	if m.write = nil; m.suspicious(m.soFar(output(a.outcome))) {
		findings, err := a.inspect(kept, output(a.outcome))
		if err != nil {
			return a.delay(ctx, kept, err)
		}
		if len(findings) > 0 {
			a.outcome.Error, a.suspicion = m.stopped(findings)
			return nil
		}
	}
	a.suspicion = rehearsal.SuspicionOf(m.marked)
	m.learn()
	return nil
}

// output is what a script returned: null if it returned nothing.
func output(outcome sandbox.Outcome) json.RawMessage {
	if len(outcome.Output) == 0 {
		return json.RawMessage("null")
	}
	return outcome.Output
}

// end records the end of the run. The append that settles it takes the end along, unless it wrote files: nobody sees files that may be
// gone after a crash.
func (a *attempt) end(ctx context.Context) error {
	end := run.End{Suspicion: a.suspicion, Usage: run.Usage{
		WallMS: a.config.Now().Sub(a.began).Milliseconds(), VirtualMS: a.outcome.VirtualMS, Calls: a.host.seq, Reused: a.host.reused,
	}}
	if a.outcome.Error != nil {
		failed := failureOf(*a.outcome.Error)
		end.Failure, end.Local = &failed, snapshot(a.local)
	} else {
		end.Output = output(a.outcome)
	}
	if err := a.recordEnd(ctx, end, a.outcome.Log); err != nil {
		return err
	}
	if len(a.host.touched) > 0 {
		if err := a.journal.Flush(ctx); err != nil {
			return err
		}
	}
	a.remember = a.run.ForkedAt == 0
	return nil
}

// endSuperseded ends a run whose keys and files other runs have changed. The writes that it held back come to nothing.
func (a *attempt) endSuperseded(ctx context.Context, why sandbox.Error) error {
	failed := failureOf(why)
	return a.recordEnd(ctx, run.End{Failure: &failed}, nil)
}

func (a *attempt) recordEnd(ctx context.Context, end run.End, log []sandbox.LogLine) error {
	if len(log) > 0 {
		if err := a.journal.Record(ctx, run.WriteLog{Lines: logOf(log)}); err != nil {
			return err
		}
	}
	err := a.journal.Record(ctx, end)
	if errors.Is(err, commands.ErrTooLarge) {
		err = a.journal.Record(ctx, run.End{Usage: end.Usage, Failure: &failure.Failure{
			Class: failure.Limit, Name: "LimitError", Code: sandbox.LimitResult,
			Message: fmt.Sprintf("the output is %d bytes, more than the journal takes", len(end.Output)),
		}})
	}
	a.run = a.journal.State()
	return err
}

// snapshot is the workflow's own keys and files, for the evidence.
func snapshot(m *hostcall.Memory) *run.Local {
	local := &run.Local{KV: map[string]json.RawMessage{}, Files: map[string]string{}}
	for _, key := range m.Keys("") {
		local.KV[key], _ = m.KV(key)
	}
	for _, path := range m.Files() {
		file, _ := m.File(path)
		local.Files[path] = file.Text
	}
	return local
}

// delay leaves a run that has no outcome because of the machine, and not of its script: what it did is kept, and it is tried again without
// end. The error says when, if it is not that this node ends or has lost the run.
func (a *attempt) delay(ctx, kept context.Context, why error) error {
	if errors.Is(context.Cause(ctx), errCancelled) {
		return errCancelled
	}
	if ctx.Err() != nil || errors.Is(why, sandbox.ErrClosed) {
		a.giveAway(ctx)
		return fmt.Errorf("interrupted, its journal is kept and it goes on at the next start: %w", cmp.Or(context.Cause(ctx), why))
	}
	if kept.Err() != nil {
		return context.Cause(kept)
	}
	problem := why.Error()
	if busy, is := errors.AsType[*sandbox.UnavailableError](why); is {
		problem = busy.Reason
	}
	if err := a.record(ctx, run.DelayRun{Problem: problem}); err != nil {
		return err
	}
	state := a.journal.State()
	a.config.Logger.Warn("a run waits for the machine", "workflow", state.Workflow, "run", state.Run, "try", state.Delay.Tries, "until", state.Delay.Until, "error", why)
	return delayed(state)
}

// delayed is when a run is tried again that waits for the machine.
func delayed(s run.State) *loop.Wait {
	return &loop.Wait{Until: s.Delay.Until, Tries: s.Delay.Tries, Trouble: fmt.Errorf(
		"run %s waits since %s: %s. It is tried again by itself, and nothing of it is lost", s.Run, s.Delay.Since.Format(time.RFC3339), s.Delay.Problem)}
}
