package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// The use of a workflow is counted once, by day: runs with their time and calls when they end, and what agents cost in
// whole millionths of a dollar. It is the same meter that caps and balances are compared with.
func TestUsageIsCountedByWorkflowAndDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("a", "First")
	w.create("b", "Second")
	w.succeed("a", manual("r1"), call{tool: "kv.set", args: `["k",1]`}, call{tool: "kv.set", args: `["k",2]`})
	w.fail("a", manual("r2"), because(failure.Auth, "x"))
	imported := manual("r3")
	imported.Trigger = workflow.TriggerImport
	journal := w.admit("b", imported)
	_, err := journal.End(ctx, run.End{Output: json.RawMessage(`1`), Usage: run.Usage{WallMS: 99, Calls: 9}})
	require.NoError(t, err)
	for _, of := range []string{"a", "b"} {
		w.did(w.commands.OpenThread(ctx, thread.Open{Thread: "t-" + of, Workflow: of, Kind: thread.KindPlanner, Task: "k-" + of}, executor))
		for range 3 {
			w.did(w.commands.AppendAnswer(ctx, "t-"+of, thread.AppendAnswer{Text: "…", Usage: thread.Usage{Model: "m", Input: 10, Output: 1, CostUSD: 0.1}}, executor))
		}
	}
	w.did(w.commands.CloseThread(ctx, "t-b", thread.Close{Outcome: "done", CostUSD: 0.5}, executor))
	w.catchUp()
	used := func(filter projections.UsageFilter) []projections.Usage {
		list, err := w.queries.Usage(ctx, filter)
		require.NoError(t, err)
		return list
	}
	first := projections.Usage{Workflow: "a", WorkflowTitle: "First", Day: "2026-03-01", Owner: "ann", Runs: 2, Failed: 1, RunMS: 12, Calls: 2, Tokens: 33, Micros: 300_000}
	second := projections.Usage{Workflow: "b", WorkflowTitle: "Second", Day: "2026-03-01", Owner: "ann", Tokens: 33, Micros: 500_000}
	require.Equal(t, []projections.Usage{first, second}, used(projections.UsageFilter{}))
	require.Equal(t, []projections.Usage{second}, used(projections.UsageFilter{Workflow: "b", From: "2026-03-01", To: "2026-03-01"}))
	require.Len(t, used(projections.UsageFilter{Owner: "ann"}), 2)
	require.Empty(t, used(projections.UsageFilter{Owner: "bob"}))
	require.Empty(t, used(projections.UsageFilter{From: "2026-03-02"}))
	require.Empty(t, used(projections.UsageFilter{To: "2026-02-28"}))
	require.Equal(t, []projections.Usage{first}, used(projections.UsageFilter{Limit: 1}))
	require.Equal(t, []projections.Usage{second}, used(projections.UsageFilter{Limit: 1, After: first.ID()}))
	require.Empty(t, used(projections.UsageFilter{Limit: 1, After: second.ID()}))
	byDay := func(filter projections.UsageFilter) []projections.UsageOfDay {
		list, err := w.queries.UsageByDay(ctx, filter)
		require.NoError(t, err)
		for i := range list {
			list[i].Owner = ""
		}
		return list
	}
	both := []projections.UsageOfDay{{Day: "2026-03-01", Runs: 2, Failed: 1, RunMS: 12, Calls: 2, Tokens: 66, Micros: 800_000}}
	require.Equal(t, both, byDay(projections.UsageFilter{Limit: 1}), "of all, whatever the page")
	require.Equal(t, both, byDay(projections.UsageFilter{Owner: "ann", From: "2026-03-01"}))
	require.Equal(t, []projections.UsageOfDay{{Day: "2026-03-01", Tokens: 33, Micros: 500_000}}, byDay(projections.UsageFilter{Workflow: "b"}))
	for _, none := range []projections.UsageFilter{{Owner: "bob"}, {Owner: "bob", Workflow: "a"}, {From: "2026-03-02"}, {To: "2026-02-28"}} {
		require.Empty(t, byDay(none))
	}
	micros, err := w.queries.SpentFor(ctx, "ann", noon)
	require.NoError(t, err)
	usd, err := w.queries.Spent(ctx, noon)
	require.NoError(t, err)
	require.Equal(t, first.Micros+second.Micros, micros)
	require.InDelta(t, float64(micros)/1e6, usd, 1e-9)
}

// A day is the workflow's own: noon in Greenwich is tomorrow on Kiritimati.
func TestADayIsOneOfTheWorkflowsZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, zone := range map[string]string{"far": "Pacific/Kiritimati", "near": "Europe/Berlin"} {
		w.did(w.commands.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: id, Owner: "ann", Zone: zone, Intent: "Do it."}, ann))
		w.did(w.commands.OpenThread(t.Context(), thread.Open{Thread: "t-" + id, Workflow: id, Kind: thread.KindPlanner, Task: "k-" + id}, executor))
		w.did(w.commands.AppendAnswer(t.Context(), "t-"+id, thread.AppendAnswer{Text: "…", Usage: thread.Usage{Model: "m", Input: 1}}, executor))
	}
	w.catchUp()
	list, err := w.queries.Usage(t.Context(), projections.UsageFilter{})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []string{"near", "2026-03-01", "far", "2026-03-02"}, []string{list[0].Workflow, list[0].Day, list[1].Workflow, list[1].Day})
}
