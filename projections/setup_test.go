package projections_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var (
	ann      = commands.Meta{Actor: "person:ann"}
	executor = commands.Meta{Actor: "system:executor"}
)

// world is a log with commands before it and read models behind it. Ids count up and each
// command comes a second after the one before, so that a script of commands always gives the
// same events.
type world struct {
	t        testing.TB
	log      *sqlitelog.Log
	codec    *event.Registry
	commands *commands.Commands
	store    *readmodel.Store
	queries  *projections.Queries
	database string // of PostgreSQL that has the read models; empty for SQLite
}

func newWorld(t testing.TB) *world {
	t.Helper()
	if strings.HasPrefix(t.Name(), inPostgres) {
		return newWorldOn(t, pgtest.Database(t))
	}
	return newWorldOn(t, "")
}

func newWorldOn(t testing.TB, database string) *world {
	t.Helper()
	w := &world{t: t, database: database, codec: event.NewRegistry()}
	workflow.Register(w.codec)
	run.Register(w.codec)
	thread.Register(w.codec)
	plan.Register(w.codec)
	session.Register(w.codec)
	subscription.Register(w.codec)
	dir := t.TempDir()
	var err error
	w.log, err = sqlitelog.Open(t.Context(), filepath.Join(dir, "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.log.Close()) })
	var seconds, ids atomic.Int64
	w.commands = commands.New(commands.Config{
		Log: w.log, Codec: w.codec, CheckScript: func(string) error { return nil },
		Now:   func() time.Time { return noon.Add(time.Duration(seconds.Add(1)) * time.Second) },
		NewID: func() string { return fmt.Sprintf("id-%d", ids.Add(1)) },
	})
	w.store, err = readmodel.Open(t.Context(), readmodel.Config{
		Dir: filepath.Join(dir, "views"), Database: database, Log: w.log, Projections: projections.All(w.codec),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.store.Close()) })
	w.queries = projections.NewQueries(w.store)
	return w
}

// catchUp lets the read models see everything.
func (w *world) catchUp() {
	w.t.Helper()
	require.NoError(w.t, w.store.CatchUp(w.t.Context()))
}

// did fails the test if a command was refused.
func (w *world) did(result commands.Result, err error) commands.Result {
	w.t.Helper()
	require.NoError(w.t, err)
	return result
}

// create makes a workflow that is active on version 1.0.
func (w *world) create(id, title string) {
	w.t.Helper()
	ctx := w.t.Context()
	w.did(w.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: title, Owner: "ann", Zone: "Europe/Berlin", Intent: "Do it."}, ann))
	w.save(id, "first version")
	w.did(w.commands.ActivateWorkflow(ctx, id, workflow.Activate{}, ann))
}

func (w *world) save(id, comment string) {
	w.t.Helper()
	w.did(w.commands.SaveScript(w.t.Context(), id, workflow.SaveScript{
		Code: "function main() {} // " + comment, Comment: comment, Summary: "What it does", Origin: workflow.OriginPerson,
	}, ann))
}

// call is a host call of a run and its answer.
type call struct {
	tool   string
	args   string
	result string
	fails  bool
	from   string // the run whose journal answers
}

// admit admits and starts a run.
func (w *world) admit(id string, admit workflow.AdmitRun) *commands.RunJournal {
	w.t.Helper()
	ctx := w.t.Context()
	w.did(w.commands.AdmitRun(ctx, id, admit, executor))
	state, err := w.commands.LoadWorkflow(ctx, id)
	require.NoError(w.t, err)
	info := state.Admitted[admit.Run]
	journal, err := w.commands.StartRun(ctx, run.Start{
		Run: admit.Run, Workflow: id, Version: info.Version.String(), Trigger: string(admit.Trigger), Input: info.Input,
		Seed: admit.Run, Clock: noon, Zone: "UTC", LeaseUntil: noon, Node: "here", Continues: admit.Continues,
	}, executor)
	require.NoError(w.t, err)
	require.NoError(w.t, journal.Flush(ctx))
	return journal
}

func (w *world) make(journal *commands.RunJournal, calls ...call) {
	w.t.Helper()
	ctx := w.t.Context()
	for _, made := range calls {
		seq := len(journal.State().Calls) + 1
		require.NoError(w.t, journal.Record(ctx, run.RecordCall{
			Seq: seq, Tool: made.tool, Args: json.RawMessage(made.args), Effect: run.EffectWrite, From: made.from,
		}))
		back := run.RecordReturn{Seq: seq, Result: json.RawMessage(made.result), MS: 10}
		if made.fails {
			back.Error = &run.CallError{Class: failure.Network, Name: "NetworkError", Message: "refused"}
		}
		if made.result == "" {
			back.Result = json.RawMessage("null")
		}
		require.NoError(w.t, journal.Record(ctx, back))
	}
}

// succeed runs a workflow from its admission to its settlement.
func (w *world) succeed(id string, admit workflow.AdmitRun, calls ...call) {
	w.t.Helper()
	ctx := w.t.Context()
	journal := w.admit(id, admit)
	w.make(journal, calls...)
	require.NoError(w.t, journal.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: "done"}}}))
	_, err := journal.End(ctx, run.End{Output: json.RawMessage(`{"count":1}`), Usage: run.Usage{WallMS: 12, Calls: len(calls)}})
	require.NoError(w.t, err)
	w.did(w.commands.SettleRun(ctx, id, workflow.SettleRun{Run: admit.Run}, executor))
}

// fail runs a workflow into a failure.
func (w *world) fail(id string, admit workflow.AdmitRun, why failure.Failure, calls ...call) {
	w.t.Helper()
	ctx := w.t.Context()
	journal := w.admit(id, admit)
	w.make(journal, calls...)
	_, err := journal.End(ctx, run.End{Failure: &why})
	require.NoError(w.t, err)
	w.did(w.commands.SettleRun(ctx, id, workflow.SettleRun{
		Run: admit.Run, Failure: &why, Evidence: "it says so", Rehearsed: workflow.RehearsedReproduced,
		Task: "task-" + admit.Run, Thread: "thread-" + admit.Run, Item: "item-" + admit.Run,
	}, executor))
}

// because is a failure of a class that happens at a place of the script.
func because(class failure.Class, place string) failure.Failure {
	return failure.Failure{
		Class: class, Name: "TypeError", Message: "it broke at " + place, Stack: "at main", Body: "the whole answer",
		Host: "api.example.test", Strict: "strict " + place, Loose: "loose " + place,
	}
}

// propose submits a fix of the open task.
func (w *world) propose(id, task, proposal, comment string) {
	w.t.Helper()
	w.did(w.commands.ProposeFix(w.t.Context(), id, workflow.ProposeFix{
		Proposal: proposal, Task: task, Code: "function main() {} // " + proposal, Comment: comment,
		Fixer: workflow.Fixer{Kind: "templates", Version: "renamed/1"},
	}, commands.Meta{Actor: "maintainer:" + task}))
}

// judge hands in a verdict.
func (w *world) judge(id, proposal string, verdict workflow.Verdict, reasons ...string) {
	w.t.Helper()
	w.did(w.commands.JudgeFix(w.t.Context(), id, workflow.JudgeFix{Proposal: proposal, Verification: workflow.Verification{
		Verdict: verdict, FailingRun: "succeeded", Replayed: 3, Identical: 3, Reasons: reasons, Divergence: "$.total: want 3, got 4",
		GateVersion: "1", Certificate: "00",
	}}, commands.Meta{Actor: "system:maintainer"}))
}

func manual(id string) workflow.AdmitRun {
	return workflow.AdmitRun{Run: id, Trigger: workflow.TriggerManual, Repair: true, Input: json.RawMessage(`{"day":1}`)}
}

func continuation(id, of string) workflow.AdmitRun {
	return workflow.AdmitRun{Run: id, Trigger: workflow.TriggerContinuation, Continues: of}
}
