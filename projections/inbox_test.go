package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// in gives the state of each open item of a workflow, by kind.
func (w *world) in(id string) map[string]projections.InboxState {
	w.t.Helper()
	w.catchUp()
	items, err := w.queries.Inbox(w.t.Context(), projections.InboxFilter{Workflow: id})
	require.NoError(w.t, err)
	states := map[string]projections.InboxState{}
	for _, item := range items {
		states[item.Kind] = item.State
	}
	return states
}

// An item goes from queued to working when its agent begins, waits for a person, and is done
// when its task is left.
func TestTheInboxFollowsATaskFromAgentToPersonAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	planner := commands.Meta{Actor: "planner:plan"}
	w.did(w.commands.OpenPlannerTask(ctx, "w", workflow.OpenPlannerTask{Task: "plan", Thread: "talk", Ask: "File orders\nevery day"}, ann))
	require.Equal(t, map[string]projections.InboxState{"planner": projections.InboxQueued}, w.in("w"))
	w.did(w.commands.OpenThread(ctx, thread.Open{Thread: "talk", Workflow: "w", Kind: thread.KindPlanner, Task: "plan"}, planner))
	require.Equal(t, projections.InboxWorking, w.in("w")["planner"])
	w.did(w.commands.MissModel(ctx, "talk", thread.MissModel{Model: "m", Kind: "quota"}, planner))
	require.Equal(t, projections.InboxQueued, w.in("w")["planner"], "nobody works on it until the model is asked again")
	w.did(w.commands.AppendMessage(ctx, "talk", thread.AppendMessage{Role: "assistant", Text: "Well."}, planner))
	require.Equal(t, projections.InboxWorking, w.in("w")["planner"])
	for _, question := range []string{"q1", "q2"} {
		w.did(w.commands.AskQuestion(ctx, "w", workflow.AskQuestion{Question: question, Task: "plan", Text: "Which?"}, planner))
	}
	w.did(w.commands.WaitPlannerTask(ctx, "w", workflow.WaitPlannerTask{Task: "plan"}, planner))
	require.Equal(t, projections.InboxWaiting, w.in("w")["planner"])
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q1", Answer: "a"}, ann))
	require.Equal(t, projections.InboxWaiting, w.in("w")["planner"], "a question is open still")
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q2", Answer: "b"}, ann))
	require.Equal(t, projections.InboxQueued, w.in("w")["planner"])
	w.did(w.commands.AppendMessage(ctx, "talk", thread.AppendMessage{Role: "assistant", Text: "I see."}, planner))
	require.Equal(t, projections.InboxWorking, w.in("w")["planner"])
	w.did(w.commands.WaitPlannerTask(ctx, "w", workflow.WaitPlannerTask{Task: "plan"}, planner))
	w.did(w.commands.TellPlanner(ctx, "w", workflow.TellPlanner{Task: "plan", Text: "go on"}, ann))
	require.Equal(t, projections.InboxQueued, w.in("w")["planner"])

	w.did(w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
	w.fail("w", manual("r1"), because(failure.Logic, "a"))
	require.Equal(t, projections.InboxQueued, w.in("w")["maintainer"])
	w.did(w.commands.ClosePlannerTask(ctx, "w", workflow.ClosePlannerTask{Task: "plan", Outcome: "done"}, planner))
	w.did(w.commands.OpenThread(ctx, thread.Open{Thread: "thread-r1", Workflow: "w", Kind: thread.KindMaintainer, Task: "task-r1"}, executor))
	require.Equal(t, map[string]projections.InboxState{"planner": projections.InboxDone, "maintainer": projections.InboxWorking}, w.in("w"))
	w.did(w.commands.AskQuestion(ctx, "w", workflow.AskQuestion{Question: "q3", Task: "task-r1", Text: "Where is it now?"}, executor))
	require.Equal(t, projections.InboxWaiting, w.in("w")["maintainer"])
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q3", Answer: "there"}, ann))
	require.Equal(t, projections.InboxQueued, w.in("w")["maintainer"])
	w.propose("w", "task-r1", "p1", "guess")
	w.judge("w", "p1", workflow.VerdictIdentical)
	require.Equal(t, projections.InboxWaiting, w.in("w")["maintainer"])
	w.did(w.commands.CorrectFix(ctx, "w", workflow.CorrectFix{Proposal: "p1", Note: "do not guess"}, ann))
	require.Equal(t, projections.InboxQueued, w.in("w")["maintainer"])
	w.save("w", "written anew")
	require.Equal(t, projections.InboxDone, w.in("w")["maintainer"])

	items, err := w.queries.Inbox(ctx, projections.InboxFilter{Workflow: "w"})
	require.NoError(t, err)
	require.Equal(t, "plan", items[0].Task, "the oldest first")
	require.Equal(t, "File orders", items[0].Title)
	require.Equal(t, "Orders", items[0].WorkflowTitle)
	require.Equal(t, "done", items[0].Outcome)
	require.Equal(t, "item-r1", items[1].ID)
	require.Equal(t, workflow.ExitReplanned, items[1].Outcome)
	open, err := w.queries.Inbox(ctx, projections.InboxFilter{Open: true})
	require.NoError(t, err)
	require.Empty(t, open)
	require.NotNil(t, open)
}

// A question of an agent is told until it is answered or its task ends, and so is a planner that
// stopped, until there is another one.
func TestPeopleHearOfThePlannersQuestionsAndOfItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	planner := commands.Meta{Actor: "planner:plan"}
	open := func() (told []projections.Notification) {
		w.catchUp()
		told, err := w.queries.Notifications(ctx, projections.NotificationFilter{Workflow: "w", Open: true})
		require.NoError(t, err)
		return told
	}
	w.did(w.commands.OpenPlannerTask(ctx, "w", workflow.OpenPlannerTask{Task: "plan", Thread: "talk", Ask: "File orders"}, ann))
	for _, question := range []string{"q1", "q2"} {
		w.did(w.commands.AskQuestion(ctx, "w", workflow.AskQuestion{
			Question: question, Task: "plan", Text: "Which account?\nThere are two.", Options: []string{"a", "b"},
		}, planner))
	}
	told := open()
	require.Len(t, told, 2)
	require.Equal(t, projections.NotifyQuestion, told[0].Type)
	require.Equal(t, "q2", told[0].Question)
	require.Equal(t, "plan", told[0].Task)
	require.Equal(t, "Which account?", told[0].Title)
	require.Equal(t, "There are two.", told[0].Text)
	require.Equal(t, []string{projections.ActionAnswer}, told[0].Actions)
	w.did(w.commands.AnswerQuestion(ctx, "w", workflow.AnswerQuestion{Question: "q1", Answer: "a"}, ann))
	require.Len(t, open(), 1)
	w.did(w.commands.ClosePlannerTask(ctx, "w", workflow.ClosePlannerTask{Task: "plan", Outcome: "20 turns are used up", Stopped: true}, planner))
	told = open()
	require.Len(t, told, 1)
	require.Equal(t, projections.NotifyPlannerStopped, told[0].Type)
	require.Equal(t, "20 turns are used up\nAsk again: kintsugi plan w \"what you want\"", told[0].Text)
	w.did(w.commands.OpenPlannerTask(ctx, "w", workflow.OpenPlannerTask{Task: "plan2", Thread: "talk2", Ask: "Again"}, ann))
	require.Empty(t, open())
}
