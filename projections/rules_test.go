package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Empty views show nothing: lists are empty, not nil, and every name is not found.
func TestQueriesOfAnEmptyLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.catchUp()
	for name, ask := range map[string]func() (any, error){
		"Workflows": func() (any, error) { return w.queries.Workflows(ctx, projections.WorkflowFilter{}) },
		"Scripts":   func() (any, error) { return w.queries.Scripts(ctx, "w") },
		"Runs":      func() (any, error) { return w.queries.Runs(ctx, projections.RunFilter{Workflow: "w", Limit: 3}) },
		"Threads":   func() (any, error) { return w.queries.Threads(ctx, "w", "") },
		"Fixes":     func() (any, error) { return w.queries.Fixes(ctx, projections.FixFilter{}) },
		"Notifications": func() (any, error) {
			return w.queries.Notifications(ctx, projections.NotificationFilter{Open: true, Operator: true})
		},
		"QueuedInputs":  func() (any, error) { return w.queries.QueuedInputs(ctx, "w") },
		"EventTriggers": func() (any, error) { return w.queries.EventTriggers(ctx, "w") },
		"Streams":       func() (any, error) { return w.queries.Streams(ctx, "w") },
	} {
		answer, err := ask()
		require.NoError(t, err, name)
		encoded, err := json.Marshal(answer)
		require.NoError(t, err)
		require.Equal(t, "[]", string(encoded), name)
	}
	for name, ask := range map[string]func() error{
		"Workflow":     func() error { _, err := w.queries.Workflow(ctx, "id-404"); return err },
		"Script":       func() error { _, err := w.queries.Script(ctx, "id-404", workflow.Version{Major: 1}); return err },
		"ActiveScript": func() error { _, err := w.queries.ActiveScript(ctx, "id-404"); return err },
		"Run":          func() error { _, err := w.queries.Run(ctx, "id-404"); return err },
		"Thread":       func() error { _, err := w.queries.Thread(ctx, "id-404"); return err },
		"Fix":          func() error { _, err := w.queries.Fix(ctx, "id-404"); return err },
		"Notification": func() error { _, err := w.queries.Notification(ctx, "id-404"); return err },
	} {
		err := ask()
		require.Equal(t, fault.NotFound, fault.KindOf(err), name)
		require.ErrorContains(t, err, "id-404", name)
	}
	local, err := w.queries.Local(ctx, "w")
	require.NoError(t, err)
	require.Equal(t, projections.Local{KV: map[string]json.RawMessage{}, Files: map[string]projections.LocalFile{}}, local)
}

// Filters and limits choose; lists of what happened begin with the newest.
func TestFiltersAndLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	play(w)

	runs := func(filter projections.RunFilter) (ids []string) {
		list, err := w.queries.Runs(ctx, filter)
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		return ids
	}
	require.Equal(t, []string{"r4", "r3", "r2", "r1"}, runs(projections.RunFilter{Workflow: "refunds"}))
	require.Equal(t, []string{"r4", "r3"}, runs(projections.RunFilter{Workflow: "refunds", Limit: 2}))
	require.Equal(t, []string{"r3", "r1"}, runs(projections.RunFilter{Workflow: "refunds", Major: 1, Status: projections.RunSucceeded}))
	require.Empty(t, runs(projections.RunFilter{Workflow: "refunds", Major: 2}))
	require.Equal(t, []string{"run-of-notes2"}, runs(projections.RunFilter{Status: projections.RunRunning}))

	workflows := func(filter projections.WorkflowFilter) (ids []string) {
		list, err := w.queries.Workflows(ctx, filter)
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		return ids
	}
	require.Equal(t, []string{"refunds", "triage", "digest", "rates", "notes", "draft", "notes2"}, workflows(projections.WorkflowFilter{}))
	require.Contains(t, workflows(projections.WorkflowFilter{Archived: true}), "old")
	require.Equal(t, []string{"old"}, workflows(projections.WorkflowFilter{Status: workflow.StatusArchived}))
	require.Equal(t, []string{"refunds", "notes2"}, workflows(projections.WorkflowFilter{Status: workflow.StatusActive}))

	recent, err := w.queries.Recent(ctx, "", []string{"refunds", "nothing"}, 2)
	require.NoError(t, err)
	require.Len(t, recent["refunds"], 2)
	require.Equal(t, "r4", recent["refunds"][0].ID)
	require.Empty(t, recent["nothing"])
	strangers, err := w.queries.Recent(ctx, "somebody", []string{"refunds"}, 2)
	require.NoError(t, err)
	require.Empty(t, strangers["refunds"])

	fixes := func(filter projections.FixFilter) (ids []string) {
		list, err := w.queries.Fixes(ctx, filter)
		require.NoError(t, err)
		for _, one := range list {
			ids = append(ids, one.Proposal)
		}
		return ids
	}
	require.Equal(t, []string{"p3", "p2", "p1"}, fixes(projections.FixFilter{Workflow: "refunds"}))
	require.Equal(t, []string{"p3"}, fixes(projections.FixFilter{State: projections.FixStale}))

	told := func(filter projections.NotificationFilter) (types []projections.NotificationType) {
		list, err := w.queries.Notifications(ctx, filter)
		require.NoError(t, err)
		for _, one := range list {
			types = append(types, one.Type)
		}
		return types
	}
	require.Equal(t, []projections.NotificationType{projections.NotifyEscalated, projections.NotifyFixWaiting},
		told(projections.NotificationFilter{Workflow: "digest"}))
	require.Equal(t, []projections.NotificationType{projections.NotifyEscalated},
		told(projections.NotificationFilter{Workflow: "digest", Open: true}), "one is resolved; the other was seen, and nothing goes on by that")
	require.Equal(t, []projections.NotificationType{projections.NotifyMaintenanceFailed},
		told(projections.NotificationFilter{Workflow: "rates", Open: true}))
	require.Equal(t, []projections.NotificationType{projections.NotifyMaintenanceFailed, projections.NotifyInternal},
		told(projections.NotificationFilter{Workflow: "rates", Open: true, Operator: true}))
	require.Equal(t, []projections.NotificationType{projections.NotifyInternal},
		told(projections.NotificationFilter{Type: projections.NotifyInternal}))
	require.Len(t, told(projections.NotificationFilter{Limit: 3}), 3)

	threads, err := w.queries.Threads(ctx, "refunds", projections.KindPlanner)
	require.NoError(t, err)
	require.Empty(t, threads)
	active, err := w.queries.ActiveScript(ctx, "triage")
	require.NoError(t, err)
	require.Equal(t, "1.0", active.Version, "the fix was withdrawn")
	first, err := w.queries.Script(ctx, "refunds", workflow.Version{Major: 1, Minor: 1})
	require.NoError(t, err)
	require.Equal(t, "p1", first.Proposal)
	one, err := w.queries.Run(ctx, "r3")
	require.NoError(t, err)
	require.Equal(t, "r2", one.Continues)
	require.Equal(t, workflow.TriggerContinuation, one.Trigger)
	require.JSONEq(t, `{"count":1}`, string(one.Output))
	require.Positive(t, one.Duration())
	failed, err := w.queries.Run(ctx, "r2")
	require.NoError(t, err)
	require.Equal(t, "it broke at a", failed.Failure.Message)
	require.Empty(t, failed.Failure.Stack+failed.Failure.Body, "the run's own page shows them")
}

// One maintainer thread for each failure tells what came of it: 1.0 → 1.1, by which fix.
func TestMaintainerThreads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play(w)
	threads, err := w.queries.Threads(t.Context(), "refunds", projections.KindMaintainer)
	require.NoError(t, err)
	require.Len(t, threads, 2)
	fixed, stale := threads[1], threads[0]
	require.Equal(t, []string{"r2", "1.0", "1.1", "fixed", "p1"}, []string{fixed.Run, fixed.Base, fixed.Version, fixed.Outcome, fixed.Proposal})
	require.Equal(t, "it broke at a", fixed.Failure.Message)
	require.Equal(t, []string{"r4", "1.1", "", "replanned", "p3"}, []string{stale.Run, stale.Base, stale.Version, stale.Outcome, stale.Proposal})
	one, err := w.queries.Thread(t.Context(), "thread-r2")
	require.NoError(t, err)
	require.Equal(t, fixed, one)
	of, err := w.queries.ThreadOf(t.Context(), "task-r2")
	require.NoError(t, err)
	require.Equal(t, fixed, of)
	var history []event.Recorded
	for recorded, err := range w.commands.History(t.Context(), []string{thread.Stream("thread-r2")}) {
		require.NoError(t, err)
		history = append(history, recorded)
	}
	entries := projections.ConversationOf(history)
	require.Len(t, entries, 6)
	require.Equal(t, "It broke.", entries[0].Message.Text)
	require.Equal(t, "unavailable", entries[1].Unavailable.Kind)
	require.Equal(t, "m-1", entries[2].Message.Usage.Model)
	require.Equal(t, "identical", entries[5].Candidate.Verdict)
	require.Equal(t, []any{"m-1", 1, "n1", ""}, []any{one.Model, one.Turns, one.Node, one.Missing}, "it answered in the end")
}

// A fix that comes after its task was left changes nothing of what the thread says.
func TestLateFix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "w")
	w.fail("w", manual("r1"), because(failure.Logic, "a"))
	w.save("w", "written anew")
	w.propose("w", "task-r1", "p1", "too late")
	w.catchUp()
	one, err := w.queries.Thread(t.Context(), "thread-r1")
	require.NoError(t, err)
	require.Equal(t, []string{"replanned", "", ""}, []string{one.Outcome, one.Proposal, one.Comment})
	fix, err := w.queries.Fix(t.Context(), "p1")
	require.NoError(t, err)
	require.Equal(t, []string{"stale", "replanned", "1.0"}, []string{string(fix.State), fix.Why, fix.Base})
}

// A confirmed fix confirms the fixes below it, but a fix that did not do stays one.
func TestConfirmationOfFixesBuiltOnEachOther(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]struct {
		class failure.Class // what the run after the first fix fails with
		state projections.FixState
	}{
		"it did not do":      {failure.Logic, projections.FixRegressed},
		"it was not tried":   {failure.Network, projections.FixConfirmed},
		"it was interrupted": {failure.Internal, projections.FixConfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create("w", "w")
			w.did(w.commands.ChangeSettings(t.Context(), "w", workflow.ChangeSettings{Settings: workflow.Settings{MaxActive: 2}}, ann))
			w.fail("w", manual("r1"), because(failure.Logic, "a"))
			w.propose("w", "task-r1", "p1", "first")
			w.judge("w", "p1", workflow.VerdictIdentical)
			w.fail("w", continuation("r2", "r1"), because(first.class, "b"))
			failed := "r2"
			if first.class != failure.Logic {
				failed = "r3"
				w.fail("w", manual("r3"), because(failure.Logic, "b"))
			}
			w.propose("w", "task-"+failed, "p2", "second")
			w.judge("w", "p2", workflow.VerdictIdentical)
			w.succeed("w", continuation("r4", failed))
			w.catchUp()
			for proposal, state := range map[string]projections.FixState{"p1": first.state, "p2": projections.FixConfirmed} {
				fix, err := w.queries.Fix(t.Context(), proposal)
				require.NoError(t, err)
				require.Equal(t, state, fix.State, proposal)
			}
			state, err := w.commands.LoadWorkflow(t.Context(), "w")
			require.NoError(t, err)
			agree(t, w, "w", state)
		})
	}
}

// A workflow's keys and files are what its journaled local writes made of them.
func TestLocalState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "w")
	w.create("other", "other")
	w.succeed("w", manual("r1"),
		call{tool: "kv.set", args: `["a",{"html":"<b>&</b>","n":1.50}]`},
		call{tool: "kv.set", args: `["none"]`},
		call{tool: "kv.set", args: `["b",1]`},
		call{tool: "kv.set", args: `["b",[2]]`},
		call{tool: "kv.set", args: `["deleted",1]`},
		call{tool: "kv.delete", args: `["deleted"]`},
		call{tool: "kv.delete", args: `["never there"]`},
		call{tool: "kv.set", args: `["failed",1]`, fails: true},
		call{tool: "kv.get", args: `["b"]`, result: `[2]`},
		call{tool: "files.append", args: `["log.txt","one\n"]`},
		call{tool: "files.append", args: `["./log.txt","two\u0000\n"]`},
		call{tool: "files.write", args: `["a/../a//b.txt","old"]`},
		call{tool: "files.write", args: `["a/b.txt","new"]`},
		call{tool: "files.write", args: `["removed.txt","x"]`},
		call{tool: "files.remove", args: `["removed.txt"]`},
		call{tool: "files.write", args: `["empty.txt",""]`},
		call{tool: "web.postJSON", args: `["https://api.example.test/",{"a":1}]`},
		call{tool: "kv.set", args: `["\u0000",4]`})
	w.succeed("w", manual("r2"),
		call{tool: "files.append", args: `["log.txt","said by r1"]`, from: "r1"},
		call{tool: "kv.set", args: `["b","said by r1"]`, from: "r1"})
	w.succeed("other", manual("r3"), call{tool: "kv.set", args: `["a","of another workflow"]`})
	// A call that was made and never came back changed nothing.
	journal := w.admit("w", manual("r4"))
	require.NoError(t, journal.Record(ctx, run.RecordCall{Seq: 1, Tool: "kv.set", Args: json.RawMessage(`["b",3]`), Effect: run.EffectWrite}))
	require.NoError(t, journal.Flush(ctx))
	w.catchUp()

	local, err := w.queries.Local(ctx, "w")
	require.NoError(t, err)
	require.Equal(t, map[string]json.RawMessage{
		"a": json.RawMessage(`{"html":"<b>&</b>","n":1.50}`), "none": json.RawMessage(`null`), "b": json.RawMessage(`[2]`),
		"\x00": json.RawMessage(`4`),
	}, local.KV)
	ms := noon.UnixMilli()
	require.Equal(t, map[string]projections.LocalFile{
		"log.txt":   {Text: "one\ntwo\x00\n", ModifiedMS: ms + 100},
		"a/b.txt":   {Text: "new", ModifiedMS: ms + 120},
		"empty.txt": {Text: "", ModifiedMS: ms + 150},
	}, local.Files)
}

// People hear of refused access at once, and once until somebody did something about it.
func TestErrorIsToldOnceUntilResolved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Rates")
	errorsTold := func() (open, all int) {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Type: projections.NotifyError})
		require.NoError(t, err)
		for _, one := range list {
			require.Equal(t, "Rates", one.WorkflowTitle)
			if one.Resolved.IsZero() {
				open++
			}
		}
		return open, len(list)
	}
	w.did(w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: workflow.Settings{MaxActive: 2}}, ann))
	first, second := w.admit("w", manual("r1")), w.admit("w", manual("r2"))
	for _, journal := range []*commands.RunJournal{first, second} {
		why := because(failure.Auth, "a")
		_, err := journal.End(ctx, run.End{Failure: &why})
		require.NoError(t, err)
		w.did(w.commands.SettleRun(ctx, "w", workflow.SettleRun{Run: journal.State().Run, Failure: &why}, executor))
	}
	open, all := errorsTold()
	require.Equal(t, []int{1, 1}, []int{open, all}, "two runs, one message")

	w.did(w.commands.ActivateWorkflow(ctx, "w", workflow.Activate{}, ann))
	open, all = errorsTold()
	require.Equal(t, []int{0, 1}, []int{open, all})

	w.fail("w", manual("r3"), because(failure.Auth, "a"))
	open, all = errorsTold()
	require.Equal(t, []int{1, 2}, []int{open, all}, "it is back")
}

// A network failure that does not pass is told once per fingerprint, until a run succeeds.
func TestExhaustedRetriesAreToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Rates")
	at := int64(0)
	record := func(events ...string) {
		for _, name := range events {
			at++
			w.appendRaw("workflow-w", name, map[string]string{
				workflow.TypeRunFailed:        fmt.Sprintf(`{"run":"r%d","failure":{"message":"no route","host":"api.example.test"}}`, at),
				workflow.TypeRetriesExhausted: fmt.Sprintf(`{"run":"r%d","strict":"s","attempts":8}`, at-1),
				workflow.TypeRecovered:        `{"run":"r"}`,
			}[name])
		}
	}
	record(workflow.TypeRunFailed, workflow.TypeRetriesExhausted, workflow.TypeRunFailed, workflow.TypeRetriesExhausted)
	w.catchUp()
	list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "No answer after 8 tries: api.example.test", list[0].Title)
	require.Equal(t, "no route", list[0].Text)
	require.Equal(t, "r1", list[0].Run)

	record(workflow.TypeRecovered)
	w.catchUp()
	list, err = w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Empty(t, list)

	record(workflow.TypeRunFailed, workflow.TypeRetriesExhausted)
	w.catchUp()
	list, err = w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// A half-done run is asked about until it is answered: no save and no activation closes that.
func TestUnfinishedRunIsToldUntilAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "W")
	open := func() (runs []string) {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyUnfinished, Open: true})
		require.NoError(t, err)
		for _, one := range list {
			require.Equal(t, "A run stopped half done, after 1 write", one.Title)
			require.Equal(t, []string{projections.ActionContinue, projections.ActionRestart, projections.ActionLeave}, one.Actions)
			runs = append(runs, one.Run)
		}
		return runs
	}
	halfDone := func(admit workflow.AdmitRun) {
		w.admit("w", admit)
		why := because(failure.Internal, "x")
		w.did(w.commands.SettleRun(ctx, "w", workflow.SettleRun{Run: admit.Run, Failure: &why, Writes: 1}, executor))
	}
	halfDone(manual("a"))
	halfDone(manual("b"))
	w.save("w", "next")
	w.did(w.commands.PauseWorkflow(ctx, "w", workflow.Pause{}, ann))
	w.did(w.commands.ActivateWorkflow(ctx, "w", workflow.Activate{}, ann))
	require.Equal(t, []string{"b", "a"}, open())
	w.did(w.commands.LeaveRun(ctx, "w", workflow.LeaveRun{Run: "a"}, ann))
	require.Equal(t, []string{"b"}, open())
	w.did(w.commands.ContinueRun(ctx, "w", workflow.ContinueRun{Run: "b"}, ann))
	require.Empty(t, open())
	halfDone(workflow.AdmitRun{Run: "c", Trigger: workflow.TriggerRetry, Continues: "b"})
	require.Equal(t, []string{"c"}, open(), "what goes on with it is asked about in its place")
	w.did(w.commands.AdmitRun(ctx, "w", workflow.AdmitRun{Run: "d", Trigger: workflow.TriggerManual, Restarts: "c"}, ann))
	require.Empty(t, open())
}

// A write in doubt is told once, with what it was, until somebody has said what became of it;
// meanwhile its run is listed as what it is.
func TestWriteInDoubtIsToldUntilResolved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	w.save("w", "first")
	journal := w.admit("w", workflow.AdmitRun{Run: "r", Trigger: workflow.TriggerManual})
	record := func(command run.Command) {
		require.NoError(t, journal.Record(ctx, command))
		require.NoError(t, journal.Flush(ctx))
		w.catchUp()
	}
	status := func() projections.RunStatus {
		listed, err := w.queries.Runs(ctx, projections.RunFilter{Workflow: "w"})
		require.NoError(t, err)
		return listed[0].Status
	}
	open := func() []projections.Notification {
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
		require.NoError(t, err)
		return list
	}
	record(run.RecordCall{Seq: 1, Tool: "web.postJSON", Args: []byte(`["https://api.test/orders",{}]`), Effect: run.EffectWrite})
	record(run.DoubtEffect{Seq: 1})
	record(run.DoubtEffect{Seq: 1})
	require.Equal(t, projections.RunInDoubt, status())
	told := open()
	require.Len(t, told, 1)
	require.Equal(t, projections.NotifyInDoubt, told[0].Type)
	require.Equal(t, "Did this happen? A write to api.test/orders", told[0].Title)
	require.Equal(t, "r", told[0].Run)
	require.Equal(t, 1, told[0].Call)
	require.Equal(t, []string{projections.ActionHappened, projections.ActionDidNot, projections.ActionSkip}, told[0].Actions)

	record(run.ResolveEffect{Seq: 1, How: run.ResolvedHappened})
	require.Equal(t, projections.RunRunning, status())
	require.Empty(t, open())
}

// A question is told until it is answered; meanwhile its run is listed as what it is.
func TestQuestionIsToldUntilAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	w.save("w", "first")
	journal := w.admit("w", workflow.AdmitRun{Run: "r", Trigger: workflow.TriggerManual})
	record := func(command run.Command) projections.RunStatus {
		require.NoError(t, journal.Record(ctx, command))
		require.NoError(t, journal.Flush(ctx))
		w.catchUp()
		listed, err := w.queries.Runs(ctx, projections.RunFilter{Workflow: "w"})
		require.NoError(t, err)
		return listed[0].Status
	}
	record(run.RecordCall{Seq: 1, Tool: "ask", Args: []byte(`["Which?"]`), Effect: run.EffectWrite})
	require.Equal(t, projections.RunAsking, record(run.AwaitAnswer{Seq: 1, Question: "Which?\nSay it.", Options: []string{"a", "b"}}))
	told, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Equal(t, projections.NotifyQuestion, told[0].Type)
	require.Equal(t, "Which?", told[0].Title)
	require.Equal(t, "Say it.", told[0].Text)
	require.Equal(t, []string{"a", "b"}, told[0].Options)
	require.Equal(t, 1, told[0].Call)
	require.Equal(t, projections.RunRunning, record(run.GiveAnswer{Answer: "a"}))
	told, err = w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Empty(t, told)
}

// A script's message is told once: not again by the run that continues it, not if it
// failed, and not if it was said elsewhere, long ago.
func TestScriptMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "w")
	w.succeed("w", manual("r1"),
		call{tool: "notify", args: `["Title","text"]`},
		call{tool: "notify", args: `["Only a title"]`},
		call{tool: "notify", args: `["Null",null]`},
		call{tool: "notify", args: `["Failed","x"]`, fails: true},
		call{tool: "notify", args: `["Said before","x"]`, from: "r0"})
	w.succeed("w", workflow.AdmitRun{Run: "r2", Trigger: workflow.TriggerImport}, call{tool: "notify", args: `["Long ago","x"]`})
	w.catchUp()
	list, err := w.queries.Notifications(ctx, projections.NotificationFilter{})
	require.NoError(t, err)
	var said []string
	for _, one := range slices.Backward(list) {
		require.Equal(t, projections.NotifyScriptMessage, one.Type)
		require.Equal(t, "r1", one.Run)
		said = append(said, one.Title+"|"+one.Text)
	}
	require.Equal(t, []string{"Title|text", "Only a title|", "Null|"}, said)
}

// A notification is acknowledged by the first who does it.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "w")
	w.succeed("w", manual("r1"), call{tool: "notify", args: `["Title"]`})
	w.catchUp()
	list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Len(t, list, 1)
	for _, actor := range []string{"person:ann", "person:ben"} {
		w.did(w.commands.AcknowledgeNotification(ctx, "w",
			workflow.AcknowledgeNotification{Notification: list[0].ID}, commands.Meta{Actor: actor}))
	}
	w.catchUp()
	one, err := w.queries.Notification(ctx, list[0].ID)
	require.NoError(t, err)
	require.Equal(t, "person:ann", one.Acknowledger)
	list, err = w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Empty(t, list)
}

// appendRaw puts an event into the log that did not come through the pipeline.
func (w *world) appendRaw(stream, name, payload string) {
	w.t.Helper()
	link := hashchain.Link{Stream: stream, ID: uuid.NewString(), Type: name, SchemaVersion: 1, Payload: []byte(payload)}
	var previous hashchain.Hash
	for record, err := range w.log.Stream(w.t.Context(), stream, 0) {
		require.NoError(w.t, err)
		link.Revision = record.Revision + 1
		_, previous, err = hashchain.Unseal(record.Metadata)
		require.NoError(w.t, err)
	}
	link.Metadata = fmt.Appendf(nil, `{"event_id":%q,"schema_version":1,"subject":"workflow:w","recorded_at":"2026-03-01T13:00:00Z"}`, link.ID)
	w.append(stream, link.Revision, eventlog.Event{
		ID: link.ID, Type: name, SchemaVersion: 1, Payload: link.Payload, Metadata: hashchain.Seal(link.Metadata, hashchain.Next(previous, link)),
	})
}

func (w *world) append(stream string, revision int64, one eventlog.Event) {
	w.t.Helper()
	_, err := w.log.Append(w.t.Context(), stream, eventlog.At(revision-1), []eventlog.Event{one})
	require.NoError(w.t, err)
}

// An event that no projection understands is skipped; the rest goes on.
func TestUnknownEventsAreSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "Before")
	w.appendRaw("workflow-w", "FromTheFuture", `{"a":1}`)
	w.appendRaw("workflow-w", "FromTheFuture", `[]`)
	w.appendRaw("workflow-w", workflow.TypeIntentChanged, `{"title":"After","intent":"x"}`)
	w.catchUp()
	one, err := w.queries.Workflow(t.Context(), "w")
	require.NoError(t, err)
	require.Equal(t, "After", one.Title)
	streams, err := w.queries.Streams(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, streams, 1)
	require.Equal(t, 6, streams[0].Events)
}

// Streams that others keep in the log are none of ours, whatever their events are named and
// claim to be about.
func TestStreamsOfOthersAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "Ours")
	w.appendRaw("w", workflow.TypeIntentChanged, `{"title":"Theirs","intent":"x"}`)
	w.appendRaw("w", run.TypeToolCalled, `{"seq":1,"tool":"kv.set","args":["a",1]}`)
	w.appendRaw("w", workflow.TypeWorkflowPaused, `unreadable`)
	_, err := w.log.Append(t.Context(), "orders-1", eventlog.NoStream{}, []eventlog.Event{{
		ID: uuid.NewString(), Type: workflow.TypeWorkflowCreated, SchemaVersion: 1, Metadata: []byte("no JSON"),
	}})
	require.NoError(t, err)
	w.catchUp()
	list, err := w.queries.Workflows(t.Context(), projections.WorkflowFilter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "Ours", list[0].Title)
	streams, err := w.queries.Streams(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, streams, 1)
	require.Equal(t, "workflow-w", streams[0].Name)
	require.Equal(t, 3, streams[0].Events)
}

// A stream that cannot be read is set aside and told to the operator once: what it said before stays, what it says after
// means nothing, and nothing else is touched by it.
func TestAStreamThatCannotBeReadIsSetAside(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]struct {
		put    func(w *world)
		reason string
	}{
		"no event": {func(w *world) { w.appendRaw("workflow-w", workflow.TypeWorkflowPaused, `{"reason":7}`) }, "cannot unmarshal"},
		"no chain": {func(w *world) {
			w.append("workflow-w", 3, eventlog.Event{
				ID: uuid.NewString(), Type: workflow.TypeFixApplied, SchemaVersion: 1, Payload: []byte("{}"), Metadata: []byte(`{"a":1}`),
			})
		}, "does not end with"},
		"another chain": {func(w *world) {
			w.append("workflow-w", 3, eventlog.Event{
				ID: uuid.NewString(), Type: workflow.TypeWorkflowPaused, SchemaVersion: 1, Payload: []byte("{}"), Metadata: hashchain.Seal([]byte(`{"a":1}`), hashchain.Hash{}),
			})
		}, "is broken at revision 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create("w", "Before")
			w.catchUp()
			bad.put(w)
			w.appendRaw("run-r", run.TypeLogWritten, `{}`)
			w.create("other", "Other")
			w.catchUp()
			aside, err := w.store.Aside(t.Context())
			require.NoError(t, err)
			require.Len(t, aside, 1)
			require.Equal(t, "workflow-w", aside[0].Stream)
			require.Equal(t, int64(3), aside[0].Revision)
			require.Contains(t, aside[0].Reason, bad.reason)
			list, err := w.queries.Workflows(t.Context(), projections.WorkflowFilter{})
			require.NoError(t, err)
			require.Len(t, list, 2)
			told, err := w.queries.Notifications(t.Context(), projections.NotificationFilter{Operator: true, Open: true})
			require.NoError(t, err)
			require.Len(t, told, 1)
			require.Equal(t, "A workflow stands still, its history cannot be read: w", told[0].Title)
			require.Contains(t, told[0].Text, bad.reason)
			require.Empty(t, told[0].Workflow, "the operator answers it")
		})
	}
}

// No stream is set aside for a payload that is erased under its digest: the rest is shown, and how much is
// gone.
func TestErasedPayloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play(w)
	const rounds = 5 // each erases every fifth event, beginning with another one
	for round := range rounds {
		store, err := readmodel.Open(t.Context(), readmodel.Config{
			Dir: t.TempDir(), Log: erased{Log: w.log, every: rounds, from: round}, Projections: projections.All(w.codec),
		})
		require.NoError(t, err)
		require.NoError(t, store.CatchUp(t.Context()))
		aside, err := store.Aside(t.Context())
		require.NoError(t, err)
		require.Empty(t, aside)
		streams, err := projections.NewQueries(store).Streams(t.Context(), "refunds")
		require.NoError(t, err)
		gone := 0
		for _, stream := range streams {
			gone += stream.Erased
		}
		require.Positive(t, gone)
		require.NoError(t, store.Close())
	}
}

// erased is a log of which some payloads were erased.
type erased struct {
	eventlog.Log
	every, from int
}

func (l erased) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if number, _ := record.Position.Number(); number%int64(l.every) == int64(l.from) {
				record.Payload = eventlog.Erased(record.Payload)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// A workflow looks like what decides about it: whatever happens, its rows say what the folded
// state says.
func TestRowsAgreeWithState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		number++
		id := fmt.Sprintf("w%d", number)
		ctx := t.Context()
		w.create(id, id)
		names := 0
		state, err := w.commands.LoadWorkflow(ctx, id)
		require.NoError(t, err)
		for range rapid.IntRange(8, 20).Draw(r, "steps") {
			before, err := w.log.Head(ctx)
			require.NoError(t, err)
			names++
			randomStep(r, w, id, fmt.Sprintf("%s-%d", id, names), state)
			if after, err := w.log.Head(ctx); err == nil && after == before {
				continue // it was refused
			}
			state, err = w.commands.LoadWorkflow(ctx, id)
			require.NoError(t, err)
			w.catchUp()
			agree(t, w, id, state)
		}
	})
}

// randomStep asks for something that may be refused.
func randomStep(r *rapid.T, w *world, id, name string, state workflow.State) {
	ctx := w.t.Context()
	c := w.commands
	proposal := ""
	if state.Maintenance != nil && len(state.Maintenance.Proposals) > 0 {
		proposal = state.Maintenance.Proposals[len(state.Maintenance.Proposals)-1]
	}
	switch rapid.IntRange(0, 13).Draw(r, "step") {
	case 0:
		_, _ = c.PauseWorkflow(ctx, id, workflow.Pause{}, ann)
	case 1, 2:
		_, _ = c.ActivateWorkflow(ctx, id, workflow.Activate{}, ann)
	case 3:
		w.trySave(id, name)
	case 4:
		if rapid.Bool().Draw(r, "archive") {
			_, _ = c.ArchiveWorkflow(ctx, id, workflow.Archive{}, ann)
		} else {
			_, _ = c.RestoreWorkflow(ctx, id, workflow.Restore{}, ann)
		}
	case 5, 6, 7:
		admit := workflow.AdmitRun{Run: name, Trigger: workflow.TriggerManual}
		if state.Continuation != nil {
			admit.Trigger, admit.Continues = workflow.TriggerContinuation, state.Continuation.Run
		}
		_, _ = c.AdmitRun(ctx, id, admit, executor)
	case 8, 9, 10:
		for admitted := range state.Admitted {
			settle := workflow.SettleRun{Run: admitted, Task: "task-" + name, Thread: "thread-" + name, Item: "item-" + name}
			if rapid.Bool().Draw(r, "fails") {
				why := because(rapid.SampledFrom([]failure.Class{
					failure.Logic, failure.Logic, failure.Limit, failure.Network, failure.Auth, failure.Permission, failure.Internal,
				}).Draw(r, "class"), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "place"))
				settle.Failure = &why
			}
			_, _ = c.SettleRun(ctx, id, settle, executor)
			break
		}
	case 11:
		if state.Maintenance != nil {
			_, _ = c.ProposeFix(ctx, id, workflow.ProposeFix{
				Proposal: "p-" + name, Task: state.Maintenance.Task, Code: "function main() {} // " + name, Comment: name,
			}, executor)
		}
	case 12:
		_, _ = c.JudgeFix(ctx, id, workflow.JudgeFix{Proposal: proposal, Verification: workflow.Verification{
			Verdict: rapid.SampledFrom([]workflow.Verdict{workflow.VerdictIdentical, workflow.VerdictDifferent}).Draw(r, "verdict"),
			Reasons: rapid.SampledFrom([][]string{nil, nil, {"a reason"}}).Draw(r, "reasons"),
		}}, executor)
	case 13:
		switch rapid.IntRange(0, 4).Draw(r, "answer") {
		case 0:
			_, _ = c.AcceptFix(ctx, id, workflow.AcceptFix{Proposal: proposal}, ann)
		case 1:
			_, _ = c.DeclineFix(ctx, id, workflow.DeclineFix{Proposal: proposal}, ann)
		case 2:
			_, _ = c.CorrectFix(ctx, id, workflow.CorrectFix{Proposal: proposal}, ann)
		case 3:
			_, _ = c.WithdrawFixes(ctx, id, workflow.WithdrawFixes{}, ann)
		case 4:
			if state.Maintenance != nil {
				_, _ = c.EndMaintenance(ctx, id, workflow.EndMaintenance{Task: state.Maintenance.Task}, executor)
			}
		}
	}
}

func (w *world) trySave(id, comment string) {
	_, _ = w.commands.SaveScript(w.t.Context(), id, workflow.SaveScript{
		Code: "function main() {} // " + comment, Comment: comment, Origin: workflow.OriginPerson,
	}, ann)
}

// agree compares rows with the state.
func agree(t *testing.T, w *world, id string, state workflow.State) {
	t.Helper()
	ctx := t.Context()
	row, err := w.queries.Workflow(ctx, id)
	require.NoError(t, err)
	require.Equal(t, state.Status, row.Status)
	require.Equal(t, state.Active.String(), row.Version)
	require.Equal(t, len(state.Admitted), row.Running)
	require.Equal(t, len(state.Versions), row.Versions)
	task, held := "", ""
	if m := state.Maintenance; m != nil {
		task = m.Task
		if m.Held != nil {
			held = m.Held.Proposal
		}
	}
	require.Equal(t, []string{task, held}, []string{row.OpenTask, row.HeldFix})

	scripts, err := w.queries.Scripts(ctx, id)
	require.NoError(t, err)
	require.Len(t, scripts, len(state.Versions))
	for _, script := range scripts {
		require.Equal(t, script.Version == state.Active.String(), script.Active, script.Version)
	}
	for _, fix := range state.Fixes {
		script, err := w.queries.Script(ctx, id, fix.Version)
		require.NoError(t, err)
		require.Equal(t, fix.Confirmed, script.Confirmed, fix.Version)
		require.False(t, script.Withdrawn, fix.Version)
	}
	fixes, err := w.queries.Fixes(ctx, projections.FixFilter{Workflow: id})
	require.NoError(t, err)
	for _, fix := range fixes {
		proposal, there := state.Proposal(fix.Proposal)
		require.True(t, there)
		switch fix.State {
		case projections.FixConfirmed, projections.FixRegressed, projections.FixWithdrawn:
			require.Contains(t, []workflow.ProposalState{workflow.ProposalApplied, workflow.ProposalAccepted}, proposal.State)
		default:
			require.Equal(t, string(proposal.State), string(fix.State))
		}
	}
	waiting, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Type: projections.NotifyFixWaiting, Open: true})
	require.NoError(t, err)
	require.Equal(t, held != "", len(waiting) == 1, "exactly a held fix waits")
	escalated, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Open: true})
	require.NoError(t, err)
	open := slices.ContainsFunc(escalated, func(n projections.Notification) bool {
		return n.Type == projections.NotifyEscalated || n.Type == projections.NotifyMaintenanceFailed
	})
	require.Equal(t, state.Escalation != nil, open, "exactly an escalation needs somebody")
}

// People are told that something is fixed when the run that it was mended for has succeeded, in the words
// of what was applied; if the fix goes, so does the word.
func TestFixedIsSaidWhenItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "w")
	w.fail("w", manual("r1"), because(failure.Logic, "a"))
	w.propose("w", "task-r1", "p1", "Read the total")
	v := workflow.Verification{Verdict: workflow.VerdictIdentical, FailingRun: "succeeded"}
	w.did(w.commands.JudgeFix(t.Context(), "w", workflow.JudgeFix{Proposal: "p1", ScriptID: "s-p1", Verification: v, Alternatives: []workflow.Alternative{
		{Code: "function main() { return 7 }", Comment: "Read the sum"},
	}}, executor))
	told := func() []projections.Notification {
		w.catchUp()
		list, err := w.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: "w", Type: projections.NotifyFixed, Open: true})
		require.NoError(t, err)
		return list
	}
	w.did(w.commands.AcceptFix(t.Context(), "w", workflow.AcceptFix{Proposal: "p1", ScriptID: "s-p1", Alternative: 1}, ann))
	require.Empty(t, told(), "nothing has shown yet that it is")
	fix, err := w.queries.Fix(t.Context(), "p1")
	require.NoError(t, err)
	require.Equal(t, "Read the sum", fix.Change())
	w.succeed("w", continuation("r2", "r1"))
	require.Len(t, told(), 1)
	require.Equal(t, "Fixed: Read the sum", told()[0].Title)
	w.did(w.commands.RollbackScript(t.Context(), "w", workflow.Rollback{To: workflow.Version{Major: 1}, ScriptID: "s-back"}, ann))
	require.Empty(t, told())
}
