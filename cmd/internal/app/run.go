package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Runs shows, replays and starts runs.
type Runs struct {
	Commands  *commands.Commands
	Queries   *projections.Queries
	Views     *readmodel.Store
	Now       func() time.Time
	Decisions *Decisions
	Fixes     *Fixes
	Scripts   *Scripts
}

// RunView is a run as people look at it: what the list has, and its journal.
type RunView struct {
	projections.Run
	Input json.RawMessage `json:"input,omitempty"`
	Seed  string          `json:"seed,omitempty"`
	Clock time.Time       `json:"clock,omitzero"`
	Zone  string          `json:"zone,omitempty"`
	Calls []RunCall       `json:"calls"`
	Log   []run.LogLine   `json:"log"`
	Local *run.Local      `json:"local,omitempty"`
	// Writes are what a run that was cancelled had written.
	Writes []Rewrite `json:"writes,omitempty" doc:"Of a run that was cancelled: what it, and the runs that it went on with, had written"`
	// Unfinished says that it failed half done, and that nothing has gone on with it.
	Unfinished *Unfinished    `json:"unfinished,omitempty"`
	RetryAt    time.Time      `json:"retry_at,omitzero"`   // when it is tried again
	Retriable  bool           `json:"retriable,omitempty"` // it failed and is over: it can be tried again
	Repairable bool           `json:"repairable,omitempty" doc:"It failed by hand: a repair of it may be asked for"`
	Suspicion  *run.Suspicion `json:"suspicion,omitempty"` // what the guard found
	// Changed is what a run that failed was given otherwise than runs that succeeded.
	Changed []gate.Changed `json:"changed,omitempty"`
	// FailedAt is the place in the script at which it failed.
	FailedAt *ScriptPlace `json:"failed_at,omitempty"`
	Refused  *RefusedHost `json:"refused,omitempty"` // the address that it was refused, if it failed of that

	Title string          `json:"-"` // of its workflow
	State run.State       `json:"-"`
	Retry *workflow.Retry `json:"-"`
}

// ScriptPlace is a place in a script, from 1.
type ScriptPlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

func failedAt(f *failure.Failure) *ScriptPlace {
	if f == nil {
		return nil
	}
	if at := gate.FailedAt(f.Stack); at != nil {
		return &ScriptPlace{Line: at.Line, Column: at.Column}
	}
	return nil
}

// RunCall is a call of a run, as its journal has it.
type RunCall struct {
	Seq      int             `json:"seq"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Effect   string          `json:"effect"`
	Key      string          `json:"key,omitempty"`
	From     string          `json:"from,omitempty"` // the run whose journal answered
	Returned bool            `json:"returned"`
	Result   json.RawMessage `json:"result,omitempty"`
	Error    *run.CallError  `json:"error,omitempty"`
	MS       int64           `json:"ms,omitempty"`
	Resolved string          `json:"resolved,omitempty"` // what was found out about a write in doubt: happened, did_not, skip
}

func wholeRun(row projections.Run, s run.State) RunView {
	shown := RunView{
		Refused: refusalOf(s).ofAddress(),
		Run:     row, Input: s.Input, Seed: s.Seed, Clock: s.Clock, Zone: s.Zone, Local: s.Local,
		Suspicion: s.Suspicion,
		Calls:     make([]RunCall, len(s.Calls)), Log: append([]run.LogLine{}, s.Log...),
	}
	if s.Ended {
		shown.Output, shown.Failure = s.Output, s.Failure // the list has them short
	}
	shown.FailedAt = failedAt(shown.Failure)
	for i, call := range s.Calls {
		shown.Calls[i] = RunCall{
			Seq: call.Seq, Tool: call.Tool, Args: call.Args, Effect: call.Effect, Key: call.Key, From: call.From,
			Returned: call.Returned, Result: call.Result, Error: call.Error, MS: call.MS, Resolved: call.Resolved,
		}
	}
	return shown
}

// Get is a run as people look at it.
func (r *Runs) Get(ctx context.Context, id string) (RunView, error) {
	row, err := r.Queries.Run(ctx, id)
	if err != nil {
		return RunView{}, err
	}
	state, err := r.Commands.LoadRun(ctx, id)
	if err != nil && fault.KindOf(err) != fault.NotFound { // it may be admitted and not started
		return RunView{}, err
	}
	of, err := r.Commands.LoadWorkflow(ctx, row.Workflow)
	if err != nil {
		return RunView{}, err
	}
	shown := wholeRun(row, state)
	shown.Title, shown.State = of.Title, state
	half := slices.DeleteFunc(UnfinishedOf(of), func(one Unfinished) bool { return one.Run != id })
	if len(half) > 0 {
		shown.Unfinished = &half[0]
		if shown.Unfinished.Again, err = r.writtenBy(ctx, id); err != nil {
			return shown, err
		}
	}
	if row.Status == projections.RunCancelled {
		if shown.Writes, err = r.writtenBefore(ctx, row); err != nil {
			return shown, err
		}
	}
	_, shown.Retriable = of.Retriable(id)
	shown.Repairable = shown.Failure != nil && shown.Failure.Class.Repairable() && of.MayRepair(id)
	if retry, retried := of.Retries[id]; retried {
		shown.RetryAt, shown.Retry = retry.At, &retry
	}
	if f := state.Failure; f != nil && f.Class.Repairable() {
		shown.Changed, err = r.Decisions.WhatChanged(ctx, row.Workflow, id)
	}
	return shown, err
}

// Forkable is a run that another one may begin in, before one of its calls.
func (r *Runs) Forkable(ctx context.Context, id string, from int) (run.State, error) {
	forked, err := r.Commands.LoadRun(ctx, id)
	if err == nil && from > len(forked.Calls)+1 {
		err = fault.New(fault.Invalid, "--from-call %d: run %s made %d calls", from, id, len(forked.Calls))
	}
	return forked, err
}

// Log is what a run logged; nothing of one that has not started.
func (r *Runs) Log(ctx context.Context, id string) ([]run.LogLine, error) {
	state, err := r.Commands.LoadRun(ctx, id)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	return append([]run.LogLine{}, state.Log...), nil
}
