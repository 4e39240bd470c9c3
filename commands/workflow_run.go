package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// AdmitRun asks whether a run may start. A refusal says why not. An input that a person gives is refused if the
// script's types say that main does not take it; inputs from elsewhere, and of runs that were admitted before, are
// not judged.
func (c Runs) AdmitRun(ctx context.Context, id string, command workflow.AdmitRun, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	byHand := command.Trigger == workflow.TriggerManual && command.Restarts == "" || command.Trigger == workflow.TriggerFork && len(command.Input) > 0
	kind := c.workflowKind(id)
	if byHand {
		decide := kind.decide
		kind.decide = func(s workflow.State, command workflow.Command, now time.Time) ([]event.Event, error) {
			events, err := decide(s, command, now)
			for _, one := range events {
				if admitted, is := one.(workflow.RunAdmitted); is && err == nil {
					err = c.inputFits(s, admitted.Version, admitted.Input)
				}
			}
			return events, err
		}
	}
	return execute[workflow.State, workflow.Command](ctx, c.core, kind, workflow.Stream(id), command, meta)
}

// inputFits says what of an input a version's main does not take.
func (c *core) inputFits(s workflow.State, version workflow.Version, input json.RawMessage) error {
	script, found := s.Script(version)
	if c.checkInput == nil || !found {
		return nil
	}
	if err := c.checkInput(script.Code, input); err != nil {
		return fault.New(fault.Invalid, "the input is not what version %s of %q takes: %w. 'kintsugi script show %q --input' says what it takes", version, s.Title, err, s.Title)
	}
	return nil
}

// Refuses says what of an input the types of a version's main do not take; empty if they take it, or say nothing.
func (c Runs) Refuses(s workflow.State, version workflow.Version, input json.RawMessage) string {
	script, found := s.Script(version)
	if c.checkInput == nil || !found {
		return ""
	}
	if err := c.checkInput(script.Code, input); err != nil {
		return err.Error()
	}
	return ""
}

// SettleRun closes an admitted run and decides what follows: a retry, a wait, maintenance, an
// escalation or nothing. Whether it has to be rehearsed first says [workflow.NeedsRehearsal].
func (c Runs) SettleRun(ctx context.Context, id string, command workflow.SettleRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// SettleRunOf is [Runs.SettleRun] of a run whose end is recorded, and may not be appended yet: both come in one
// append where they can, the end first. When it returns without an error, both are durable.
func (c Runs) SettleRunOf(ctx context.Context, journal *RunJournal, id string, command workflow.SettleRun, meta Meta) error {
	return c.behind(ctx, journal, id, command, meta)
}

// CommitRun makes count what a run has written to keys and files, behind all that it has recorded. A conflict refusal says that others
// have committed since.
func (c Runs) CommitRun(ctx context.Context, journal *RunJournal, id string, command workflow.CommitRun, meta Meta) error {
	return c.behind(ctx, journal, id, command, meta)
}

// behind carries out a command on the workflow behind what is recorded in a journal, in one append where it can.
func (c Runs) behind(ctx context.Context, journal *RunJournal, id string, command workflow.Command, meta Meta) error {
	kind := c.workflowKind(id)
	kind.append = journal.appendWith
	_, err := execute(ctx, c.core, kind, workflow.Stream(id), command, meta)
	if flushed := journal.Flush(ctx); err == nil { // what was decided before, or refused, appended nothing
		err = flushed
	}
	return err
}

// ContinueRun has an unfinished run go on with the active version, or one that waits for its retry try now.
func (c Runs) ContinueRun(ctx context.Context, id string, command workflow.ContinueRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ReportOutage has people hear of an outage that lasts.
func (c Runs) ReportOutage(ctx context.Context, id string, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, workflow.ReportOutage{}, meta)
}

// CancelRun ends a run that is under way, and gives up one that waits. The run's own stream is closed first, in one append with what the
// workflow's says of it where the log can: whoever executes the run is told by their next append, and a write is appended before it goes out.
// Its writes are counted as they were when the stream was closed.
func (c Runs) CancelRun(ctx context.Context, id string, command workflow.CancelRun, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := c.cancelRun(ctx, id, command, meta)
		if !errors.Is(err, ErrRunLost) || attempt == attempts { // else the run went on meanwhile
			return result, err
		}
		if err := backOff(ctx, attempt); err != nil {
			return Result{}, fmt.Errorf("commands: cancel run %s: %w", command.Run, err)
		}
	}
}

func (c Runs) cancelRun(ctx context.Context, id string, command workflow.CancelRun, meta Meta) (Result, error) {
	loaded, err := load(ctx, c.core, runKind, run.Stream(command.Run))
	if err != nil {
		return Result{}, fmt.Errorf("commands: cancel run %s: %w", command.Run, err)
	}
	journal := c.journalOf(loaded, command.Run, id, meta)
	if loaded.state.Ended {
		command.Ended = loaded.state.Cancelled == nil
	} else if err := journal.Record(ctx, run.Cancel{Run: command.Run, Workflow: id, Reason: command.Reason}); err != nil {
		return Result{}, err
	}
	command.Writes = loaded.state.Writes()
	kind := c.workflowKind(id)
	kind.append = func(ctx context.Context, batch eventlog.Batch) (eventlog.Appended, error) {
		if batch.Events[0].Type != workflow.TypeRunCancelled { // an input that never became a run
			return c.append(ctx, batch)
		}
		return journal.appendWith(ctx, batch)
	}
	return execute[workflow.State, workflow.Command](ctx, c.core, kind, workflow.Stream(id), command, meta)
}

// LeaveRun leaves an unfinished run as it is, or one that waits for its retry.
func (c Runs) LeaveRun(ctx context.Context, id string, command workflow.LeaveRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// RepairRun asks for a repair of a failure that was its run's alone.
func (c Runs) RepairRun(ctx context.Context, id, of string, meta Meta) (Result, error) {
	failed, err := c.LoadRun(ctx, of)
	if err != nil {
		return Result{}, err
	}
	command := workflow.RepairRun{
		Run: of, Writes: failed.Writes(), Input: failed.Input,
		Task: DerivedID(of, "task"), Thread: DerivedID(of, "thread"), Item: DerivedID(of, "item"),
	}
	if failed.Failure != nil {
		command.Failure = *failed.Failure
	}
	return c.onWorkflow(ctx, id, command, meta)
}

// FindWorking says that what was handed to a person works again as it is.
func (c Runs) FindWorking(ctx context.Context, id string, command workflow.FindWorking, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// NoteRehearsal says that what waits for a person does not work yet.
func (c Runs) NoteRehearsal(ctx context.Context, id string, command workflow.NoteRehearsal, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ClaimWork says that somebody is at some work: who, in the event that follows. A conflict refusal if somebody else is.
func (c Runs) ClaimWork(ctx context.Context, id string, command workflow.ClaimWork, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.By = cmp.Or(command.By, meta.CommandID)
	return c.onWorkflow(ctx, id, command, meta)
}

// TrustRun says of a suspected run that it is right.
func (c Runs) TrustRun(ctx context.Context, id string, command workflow.TrustRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ReviewMarkedRuns says what the active version makes of marked successes that came before it.
func (c Runs) ReviewMarkedRuns(ctx context.Context, id string, command workflow.ReviewMarkedRuns, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ExemptRun declares a recorded success wrong: the gate leaves it out.
func (c Runs) ExemptRun(ctx context.Context, id string, command workflow.ExemptRun, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
