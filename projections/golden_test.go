package projections_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

var update = flag.Bool("update", false, "write the golden files anew")

// play is a history with something of everything: a fix that is applied and confirmed, one
// that is stale, one that is held and declined, one that is held, corrected, accepted and
// regresses; an escalation that withdraws it; failures of each class; messages; local state.
func play(w *world) {
	ctx := w.t.Context()
	w.create("refunds", "Daily refunds")
	w.succeed("refunds", manual("r1"),
		call{tool: "web.getJSON", args: `["https://api.example.test/refunds"]`, result: `{"data":[]}`},
		call{tool: "kv.set", args: `["last",{"day":1}]`},
		call{tool: "files.write", args: `["./out//refunds.csv","id\n"]`},
		call{tool: "notify", args: `["Refunds","none today"]`})

	// A fix that is applied and confirmed.
	w.fail("refunds", manual("r2"), because(failure.Logic, "a"),
		call{tool: "kv.set", args: `["last",{"day":2}]`},
		call{tool: "notify", args: `["Refunds","again"]`})
	w.discuss("refunds", "thread-r2", "task-r2")
	w.propose("refunds", "task-r2", "p1", "Refunds now read latest_charge\nbecause the API moved it")
	w.judge("refunds", "p1", workflow.VerdictIdentical)
	w.succeed("refunds", continuation("r3", "r2"),
		call{tool: "kv.set", args: `["last",{"day":2}]`, from: "r2"},
		call{tool: "notify", args: `["Refunds","again"]`, from: "r2"},
		call{tool: "files.append", args: `["out/refunds.csv","r_1\n"]`},
		call{tool: "kv.set", args: `["gone",1]`},
		call{tool: "kv.delete", args: `["gone"]`},
		call{tool: "kv.set", args: `["refused",1]`, fails: true})

	// A fix that a person's save overtakes, and one that changes what worked.
	w.fail("refunds", manual("r4"), because(failure.Limit, "b"))
	w.propose("refunds", "task-r4", "p2", "Stop earlier")
	w.judge("refunds", "p2", workflow.VerdictDifferent)
	w.propose("refunds", "task-r4", "p3", "Stop even earlier")
	w.save("refunds", "written anew")
	w.judge("refunds", "p3", workflow.VerdictIdentical)

	// A fix that waits, is corrected, accepted, and does not help.
	w.create("triage", "Issue triage")
	w.did(w.commands.ChangeSettings(ctx, "triage", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
	w.did(w.commands.ChangeSchedule(ctx, "triage", workflow.ChangeSchedule{Spec: "@daily"}, ann))
	w.fail("triage", manual("t1"), because(failure.Logic, "c"))
	w.propose("triage", "task-t1", "p4", "Guess the label")
	w.judge("triage", "p4", workflow.VerdictUnverifiable, "removed call")
	w.did(w.commands.CorrectFix(ctx, "triage", workflow.CorrectFix{Proposal: "p4", Note: "do not guess"}, ann))
	w.propose("triage", "task-t1", "p5", "Read the label")
	w.judge("triage", "p5", workflow.VerdictIdentical)
	w.did(w.commands.AcceptFix(ctx, "triage", workflow.AcceptFix{Proposal: "p5", Reason: "looks right"}, ann))
	w.fail("triage", continuation("t2", "t1"), because(failure.Logic, "c"))

	// A fix that is declined.
	w.create("digest", "Mail digest")
	w.did(w.commands.ChangeSettings(ctx, "digest", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
	w.fail("digest", manual("d1"), because(failure.Logic, "d"))
	w.propose("digest", "task-d1", "p6", "Drop the mail")
	w.judge("digest", "p6", workflow.VerdictIdentical)
	w.did(w.commands.DeclineFix(ctx, "digest", workflow.DeclineFix{Proposal: "p6", Reason: "no"}, ann))

	// Access that is refused, a failure of ours, a pause, a fix that nobody found.
	w.create("rates", "Exchange rates")
	w.fail("rates", manual("e1"), because(failure.Auth, "e"))
	w.did(w.commands.ActivateWorkflow(ctx, "rates", workflow.Activate{}, ann))
	w.fail("rates", manual("e2"), because(failure.Permission, "e"))
	w.did(w.commands.ActivateWorkflow(ctx, "rates", workflow.Activate{}, ann))
	w.fail("rates", manual("e3"), because(failure.Internal, "e"))
	w.fail("rates", manual("e4"), because(failure.Logic, "f"))
	w.did(w.commands.EndMaintenance(ctx, "rates", workflow.EndMaintenance{Task: "task-e4", Explanation: "The rate is gone."}, executor))
	w.create("notes", "Release notes")
	w.did(w.commands.PauseWorkflow(ctx, "notes", workflow.Pause{}, ann))
	w.create("old", "Old one")
	w.did(w.commands.ArchiveWorkflow(ctx, "old", workflow.Archive{}, ann))
	w.did(w.commands.CreateWorkflow(ctx, workflow.Create{ID: "draft", Title: "Draft"}, ann))

	// Work under way.
	w.make(w.admit("notes2", w.created("notes2")), call{tool: "kv.set", args: `["under way",true]`})
	w.catchUp()
	told, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: "digest"})
	require.NoError(w.t, err)
	w.did(w.commands.AcknowledgeNotification(ctx, "digest", workflow.AcknowledgeNotification{Notification: told[0].ID}, ann))
	w.did(w.commands.ExemptRun(ctx, "refunds", workflow.ExemptRun{Run: "r1", Reason: "it counted twice"}, ann))
	playAgents(w)
	w.catchUp()
}

// created makes a workflow and says how to start a run of it.
func (w *world) created(id string) workflow.AdmitRun {
	w.create(id, id)
	return manual("run-of-" + id)
}

// discuss fills a thread.
func (w *world) discuss(id, threadID, task string) {
	ctx, by := w.t.Context(), commands.Meta{Actor: "maintainer:" + task}
	w.did(w.commands.OpenThread(ctx, thread.Open{Thread: threadID, Workflow: id, Kind: "maintainer", Task: task, Title: "Mend it"}, by))
	w.did(w.commands.AppendMessage(ctx, threadID, thread.AppendMessage{Role: "user", Text: "It broke."}, by))
	w.did(w.commands.ClaimThread(ctx, threadID, thread.Claim{Node: "n1", LeaseUntil: noon}, by))
	w.did(w.commands.MissModel(ctx, threadID, thread.MissModel{Model: "m", Kind: "unavailable", Status: 503, RetryAt: noon}, by))
	w.did(w.commands.AppendAnswer(ctx, threadID, thread.AppendAnswer{Text: "I look.", Usage: thread.Usage{Model: "m-1", Input: 4, Output: 1, CostUSD: 0.25}}, by))
	w.did(w.commands.InvokeTool(ctx, threadID, thread.InvokeTool{Call: "c1", Tool: "read", Args: json.RawMessage(`{"run":"r1"}`)}, by))
	w.did(w.commands.ReturnTool(ctx, threadID, thread.ReturnTool{Call: "c1", Result: json.RawMessage(`{"ok":true}`)}, by))
	w.did(w.commands.JudgeCandidate(ctx, threadID, thread.JudgeCandidate{
		Fixer: "templates", Comment: "c", Diff: "-a\n+b", Verdict: "identical",
	}, by))
	w.did(w.commands.CloseThread(ctx, threadID, thread.Close{Outcome: "proposed", Tokens: 7, CostUSD: 0.5}, by))
}

// views is everything that the read models say.
func views(t *testing.T, q *projections.Queries) []byte {
	t.Helper()
	ctx := t.Context()
	all := map[string]any{}
	add := func(name string, answer any, err error) {
		require.NoError(t, err, name)
		all[name] = answer
	}
	list, err := q.Workflows(ctx, projections.WorkflowFilter{Archived: true})
	add("workflows", list, err)
	runs, err := q.Runs(ctx, projections.RunFilter{})
	add("runs", runs, err)
	fixes, err := q.Fixes(ctx, projections.FixFilter{})
	add("fixes", fixes, err)
	told, err := q.Notifications(ctx, projections.NotificationFilter{Operator: true})
	add("notifications", told, err)
	groups, err := q.Groups(ctx, projections.GroupFilter{})
	add("groups", groups, err)
	spent, err := q.Spent(ctx, noon)
	add("spent", spent, err)
	tallies, err := q.Tallies(ctx)
	add("tallies", tallies, err)
	waiting, err := q.Waiting(ctx)
	add("waiting", waiting, err)
	for name, ask := range agentQuestions(q) {
		answer, err := ask(ctx)
		add("agents: "+name, answer, err)
	}
	for _, one := range list {
		for name, ask := range map[string]func(context.Context, string) (any, error){
			"streams": func(ctx context.Context, id string) (any, error) { return q.Streams(ctx, id) },
			"scripts": func(ctx context.Context, id string) (any, error) { return q.Scripts(ctx, id) },
			"threads": func(ctx context.Context, id string) (any, error) { return q.Threads(ctx, id, "") },
			"local":   func(ctx context.Context, id string) (any, error) { return q.Local(ctx, id) },
		} {
			answer, err := ask(ctx, one.ID)
			add(name+" of "+one.ID, answer, err)
		}
	}
	encoded, err := json.MarshalIndent(all, "", "  ")
	require.NoError(t, err)
	return append(encoded, '\n')
}

// The look of a history changes only on purpose: run the test with -update, and read
// the difference.
func TestGoldenHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play(w)
	got := views(t, w.queries)
	golden := filepath.Join("testdata", "history.golden.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// The read models are the log and nothing else: built again, they say the same.
func TestRebuildSaysTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	play(w)
	before := views(t, w.queries)
	require.NoError(t, w.store.Rebuild(t.Context()))
	require.Equal(t, string(before), string(views(t, w.queries)))
}
