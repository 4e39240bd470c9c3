package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Work under way follows from what has begun: work before waiting, and waiting only while nothing else moves.
func TestTheAgentStatusFollowsFromWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, planner := t.Context(), commands.Meta{Actor: "planner:plan"}
	is := func(want projections.AgentStatus, why string) {
		t.Helper()
		w.catchUp()
		one, err := w.queries.Workflow(ctx, "w")
		require.NoError(t, err)
		require.Equal(t, want, one.Agent, why)
	}
	w.create("w", "Orders")
	is(projections.AgentIdle, "nothing has begun")
	journal := w.admit("w", manual("asks"))
	is(projections.AgentRunning, "a run is admitted")
	require.NoError(t, journal.Record(ctx, run.RecordCall{Seq: 1, Tool: "ask", Args: []byte(`["Which?"]`), Effect: run.EffectWrite}))
	require.NoError(t, journal.Record(ctx, run.AwaitAnswer{Seq: 1, Question: "Which?"}))
	require.NoError(t, journal.Flush(ctx))
	is(projections.AgentWaiting, "its run stands still")
	w.did(w.commands.OpenPlannerTask(ctx, "w", workflow.OpenPlannerTask{Task: "plan", Thread: "talk", Ask: "File orders"}, ann))
	is(projections.AgentPlanning, "work comes before what waits")
	w.did(w.commands.AskQuestion(ctx, "w", workflow.AskQuestion{Question: "q1", Task: "plan", Text: "Which?"}, planner))
	w.did(w.commands.WaitPlannerTask(ctx, "w", workflow.WaitPlannerTask{Task: "plan"}, planner))
	is(projections.AgentWaiting, "the planner asks")
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q1", Answer: "a"}, ann))
	is(projections.AgentPlanning, "it was answered")
	w.did(w.commands.ClosePlannerTask(ctx, "w", workflow.ClosePlannerTask{Task: "plan", Outcome: "done"}, planner))
	is(projections.AgentWaiting, "the run asks still")
	_, err := journal.End(ctx, run.End{Output: []byte("1")})
	require.NoError(t, err)
	w.did(w.commands.SettleRun(ctx, "w", workflow.SettleRun{Run: "asks"}, executor))
	is(projections.AgentIdle, "the run has ended")

	w.did(w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
	w.fail("w", manual("r1"), because(failure.Logic, "a"))
	is(projections.AgentMending, "its maintainer works")
	w.did(w.commands.AskQuestion(ctx, "w", workflow.AskQuestion{Question: "q2", Task: "task-r1", Text: "Where?"}, executor))
	is(projections.AgentWaiting, "its maintainer asks")
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q2", Answer: "there"}, ann))
	w.propose("w", "task-r1", "p1", "guess")
	is(projections.AgentMending, "a fix is judged")
	w.judge("w", "p1", workflow.VerdictIdentical)
	is(projections.AgentWaiting, "a fix is held")
	w.did(w.commands.DeclineFix(ctx, "w", workflow.DeclineFix{Proposal: "p1"}, ann))
	is(projections.AgentWaiting, "it was handed to its person")
	w.did(w.commands.ArchiveWorkflow(ctx, "w", workflow.Archive{}, ann))
	is(projections.AgentIdle, "nobody waits for what is archived")
}

// While the other side does not answer, a workflow is said to be trying again, until it is tried, given up, or asked about.
func TestAWorkflowIsSaidToBeTryingAgainWhileTheOtherSideDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	is := func(want projections.AgentStatus, why string) {
		t.Helper()
		w.catchUp()
		one, err := w.queries.Workflow(ctx, "w")
		require.NoError(t, err)
		require.Equal(t, want, one.Agent, why)
	}
	down := func(want ...string) { // what is told of services that do not answer: each once, with the workflows that wait for it
		t.Helper()
		all, err := w.queries.Outages(ctx, "")
		require.NoError(t, err)
		told := []string{}
		for _, one := range all {
			require.False(t, one.Next.IsZero())
			told = append(told, fmt.Sprintf("%s: %d %v", one.Host, one.Runs, one.Workflows))
		}
		require.ElementsMatch(t, want, told)
	}
	w.create("w", "Orders")
	w.fail("w", manual("r1"), because(failure.Network, "a"))
	is(projections.AgentRetrying, "the run by hand is tried again")
	w.create("v", "Stock")
	w.fail("v", manual("s1"), because(failure.Network, "a"))
	w.catchUp()
	down("api.example.test: 2 [{w Orders} {v Stock}]")
	w.did(w.commands.ArchiveWorkflow(ctx, "v", workflow.Archive{}, ann))
	w.catchUp()
	down("api.example.test: 1 [{w Orders}]")
	w.did(w.commands.PauseWorkflow(ctx, "w", workflow.Pause{}, ann))
	is(projections.AgentIdle, "nothing is tried while it is paused")
	down()
	w.did(w.commands.ActivateWorkflow(ctx, "w", workflow.Activate{}, ann))
	is(projections.AgentRetrying, "it is tried again from now on")
	w.did(w.commands.LeaveRun(ctx, "w", workflow.LeaveRun{Run: "r1"}, ann))
	is(projections.AgentIdle, "its person gave it up")

	w.fail("w", workflow.AdmitRun{Run: "r2", Trigger: workflow.TriggerWebhook}, because(failure.Network, "a"))
	is(projections.AgentRetrying, "so is the run of an input")
	w.did(w.commands.ContinueRun(ctx, "w", workflow.ContinueRun{Run: "r2"}, ann))
	is(projections.AgentRetrying, "it is to be tried now")
	w.fail("w", workflow.AdmitRun{Run: "r3", Trigger: workflow.TriggerRetry, Continues: "r2"}, because(failure.Network, "a"))
	is(projections.AgentRetrying, "it failed again")
	w.save("w", "another version")
	is(projections.AgentIdle, "another script has another way")

	w.fail("w", manual("r4"), because(failure.Internal, "a"))
	is(projections.AgentIdle, "another trouble is another side's")

	w.fail("w", manual("t0"), because(failure.Network, "a"))
	for try := range 8 {
		is(projections.AgentRetrying, "it is tried again")
		w.did(w.commands.ContinueRun(ctx, "w", workflow.ContinueRun{Run: fmt.Sprintf("t%d", try)}, ann))
		w.fail("w", workflow.AdmitRun{Run: fmt.Sprintf("t%d", try+1), Trigger: workflow.TriggerRetry, Continues: fmt.Sprintf("t%d", try)}, because(failure.Network, "a"))
	}
	is(projections.AgentSilent, "it is tried no more, and nothing of it is well")
	w.catchUp()
	down()
	w.save("w", "yet another version")
	is(projections.AgentIdle, "another script has another way")
}

// A draft is as old as the newest work on it; what is active, archived or restored is no draft.
func TestDraftsAreListedByWhenTheyWereTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("active", "Active")
	for _, id := range []string{"a", "b", "c", "d"} {
		w.did(w.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: id, Owner: "ann"}, ann))
	}
	w.did(w.commands.KeepDraft(ctx, "a", workflow.KeepDraft{}, ann))
	w.did(w.commands.ArchiveWorkflow(ctx, "b", workflow.Archive{}, ann))
	w.did(w.commands.ArchiveWorkflow(ctx, "d", workflow.Archive{}, ann))
	w.did(w.commands.RestoreWorkflow(ctx, "d", workflow.Restore{}, ann))
	w.catchUp()
	listed := func(filter projections.DraftFilter) (ids []string) {
		found, err := w.queries.Drafts(ctx, filter)
		require.NoError(t, err)
		for _, one := range found {
			ids = append(ids, one.ID)
		}
		return ids
	}
	require.Equal(t, []string{"c", "a", "d"}, listed(projections.DraftFilter{}), "d was restored, and is a draft again")
	require.Equal(t, []string{"c"}, listed(projections.DraftFilter{Limit: 1}))
	kept, err := w.queries.Workflow(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, listed(projections.DraftFilter{Untouched: kept.Touched.Add(-time.Microsecond)}))
	require.Empty(t, listed(projections.DraftFilter{Owner: "bob"}))
}

// The owner of many drafts hears of them once, until somebody works on them; each question takes the place of the last.
func TestTheOwnerOfDraftsIsToldOfAllOfThemTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, tender := t.Context(), commands.Meta{Actor: "system:draft"}
	now := noon
	later := commands.New(commands.Config{
		Log: w.log, Codec: w.codec, CheckScript: func(string) error { return nil }, NewID: uuid.NewString,
		Now: func() time.Time { return now },
	})
	for _, id := range []string{"a", "b", "c", "d"} {
		w.did(w.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: id, Owner: map[bool]string{true: "bob", false: "ann"}[id == "d"]}, ann))
	}
	prompt := func(after time.Duration) []projections.Notification {
		now = now.Add(after)
		for _, id := range []string{"a", "b", "c", "d"} {
			w.did(later.TendDraft(ctx, id, workflow.TendDraft{Archive: true}, tender))
		}
		w.catchUp()
		told, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
		require.NoError(t, err)
		return told
	}
	require.Empty(t, prompt(2*24*time.Hour))
	told := prompt(2 * 24 * time.Hour)
	require.Len(t, told, 2, "one for each owner")
	require.Equal(t, "d", told[0].Workflow)
	require.Len(t, told[1].Also, 2)
	require.Equal(t, []string{projections.ActionKeepDraft, projections.ActionArchiveDraft}, told[1].Actions)
	w.did(w.commands.ArchiveWorkflow(ctx, "d", workflow.Archive{}, ann))
	w.did(later.KeepDraft(ctx, "a", workflow.KeepDraft{}, ann))
	told = prompt(0)
	require.Len(t, told, 1)
	require.Len(t, told[0].Also, 1)
	told = prompt(27 * 24 * time.Hour)
	require.Len(t, told, 1)
	require.Len(t, told[0].Also, 2, "a week later the new question stands for the old one")
	require.Contains(t, told[0].Text, "It is archived by itself on 2026-04-08.")
}

// A list can be had in each of its orders, page by page: everything is on one page, and that where it belongs, though what
// it is sorted by changes while somebody reads on.
func TestWorkflowsAreListedInEachOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, one := range [][2]string{{"a", "beta"}, {"b", "Alpha"}, {"c", "alpha 2"}, {"d", "Ärger"}, {"e", "beta"}} {
		w.create(one[0], one[1])
	}
	for _, id := range []string{"d", "b", "e", "a", "c"} {
		w.did(w.commands.ChangeIntent(t.Context(), id, workflow.ChangeIntent{Intent: "touched"}, ann))
	}
	w.did(w.commands.PauseWorkflow(t.Context(), "c", workflow.Pause{}, ann))
	w.fail("a", manual("r1"), because(failure.Auth, "no key"))
	w.did(w.commands.ArchiveWorkflow(t.Context(), "e", workflow.Archive{}, ann))
	w.catchUp()
	read := func(filter projections.WorkflowFilter, meanwhile func()) (ids []string) {
		for filter.Limit = 2; ; {
			list, err := w.queries.Workflows(t.Context(), filter)
			require.NoError(t, err)
			for _, one := range list {
				ids = append(ids, one.ID)
			}
			if len(list) < filter.Limit {
				return ids
			}
			filter.After = filter.Place(list[len(list)-1])
			meanwhile()
			meanwhile = func() {}
		}
	}
	nothing := func() {}
	require.Equal(t, []string{"b", "c", "a", "d"}, read(projections.WorkflowFilter{Order: projections.ByTitle}, nothing))
	require.Equal(t, []string{"b", "c", "a", "e", "d"}, read(projections.WorkflowFilter{Order: projections.ByTitle, Archived: true}, nothing))
	require.Equal(t, []string{"a", "b", "d", "c"}, read(projections.WorkflowFilter{Order: projections.ByTrouble}, nothing))
	require.Equal(t, []string{"a", "b", "d", "c", "e"}, read(projections.WorkflowFilter{Order: projections.ByTrouble, Archived: true}, nothing))
	require.Equal(t, []string{"e"}, read(projections.WorkflowFilter{Order: projections.ByTrouble, Status: workflow.StatusArchived}, nothing))
	require.Equal(t, []string{"a", "c", "b", "d"}, read(projections.WorkflowFilter{Order: projections.ByUpdated}, func() {
		w.did(w.commands.ChangeIntent(t.Context(), "c", workflow.ChangeIntent{Intent: "again"}, ann))
		w.catchUp()
	}))
	for _, order := range []projections.WorkflowOrder{projections.ByUpdated, projections.ByTrouble} {
		_, err := w.queries.Workflows(t.Context(), projections.WorkflowFilter{Order: order, After: "a"})
		require.ErrorContains(t, err, "take the next of the page before")
	}
}
