package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// atHost is a failure without a host of its own, as a script's error is: the last host that the
// run was in touch with stands for it.
func (w *world) failAfter(id, run, host, place string) {
	w.t.Helper()
	why := because(failure.Logic, place)
	why.Host = ""
	w.fail(id, manual(run), why, call{tool: "web.getJSON", args: `["https://elsewhere.test/x"]`, result: `1`},
		call{tool: "web.getJSON", args: `["https://` + host + `/orders"]`, result: `{}`}, call{tool: "kv.get", args: `["a"]`, result: `1`})
}

// Failures of several workflows are one group if host and kind of error are the same. A fix that was
// confirmed on one of them is found for the others, and never a fix for something else.
func TestFailuresAreGroupedByHostAndKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		w.create(id, "W "+id)
	}
	w.failAfter("a", "a1", "shop.test", "x")
	w.propose("a", "task-a1", "pa", "reads total_amount")
	w.judge("a", "pa", workflow.VerdictIdentical)
	related := func(of, run string) []string {
		w.catchUp()
		fixes, err := w.queries.RelatedFixes(t.Context(), of, run, 3)
		require.NoError(t, err)
		var ids []string
		for _, fix := range fixes {
			ids = append(ids, fix.Workflow+" "+fix.Proposal+" "+fix.Base+" "+fix.Version)
		}
		return ids
	}
	w.failAfter("b", "b1", "shop.test", "x")
	require.Empty(t, related("b", "b1"), "applied is not confirmed")
	w.succeed("a", continuation("a2", "a1"))
	w.failAfter("c", "c1", "bank.test", "x")
	w.failAfter("d", "d1", "shop.test", "y")
	require.Equal(t, []string{"a pa 1.0 1.1"}, related("b", "b1"))
	require.Empty(t, related("c", "c1"), "another host")
	require.Empty(t, related("d", "d1"), "another error")
	require.Empty(t, related("a", "a1"), "its own")

	groups, err := w.queries.Groups(t.Context(), projections.GroupFilter{})
	require.NoError(t, err)
	require.Len(t, groups, 3)
	var shop projections.Group
	for _, group := range groups {
		if len(group.Members) == 2 {
			shop = group
		}
	}
	require.Equal(t, "shop.test", shop.Host)
	require.Equal(t, 2, shop.Failures)
	require.Equal(t, 1, shop.Open, "a has recovered")
	require.Equal(t, projections.GroupMember{
		Workflow: "a", Title: "W a", Status: workflow.StatusActive, Run: "a1", Fix: "pa", FixState: projections.FixConfirmed, Version: "1.1", Comment: "reads total_amount",
	}, shop.Members[0])
	require.Equal(t, "b", shop.Members[1].Workflow)
	require.True(t, shop.Members[1].Open)
	w.save("b", "written anew")
	w.catchUp()
	groups, err = w.queries.Groups(t.Context(), projections.GroupFilter{})
	require.NoError(t, err)
	for _, group := range groups {
		if group.Host == "shop.test" && len(group.Members) == 2 {
			require.Zero(t, group.Open, "another script is another automation")
		}
	}
}

// Groups come in pages, those that are open first and then the newest; each counts all of its workflows and shows the
// first of them. A reader who sees only one owner's workflows is shown the groups of those workflows, with their figures.
func TestGroupsComeInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := projections.MostMembers + 2
	for n := range many {
		id := fmt.Sprintf("w%02d", n)
		w.create(id, id)
		w.failAfter(id, "run-"+id, "shop.test", "x")
	}
	w.did(w.commands.CreateWorkflow(t.Context(), workflow.Create{ID: "bobs", Title: "Bob's", Owner: "bob", Zone: "UTC", Intent: "Do it."}, ann))
	w.save("bobs", "first version")
	w.did(w.commands.ActivateWorkflow(t.Context(), "bobs", workflow.Activate{}, ann))
	w.failAfter("bobs", "run-bobs", "shop.test", "x")
	w.create("last", "Last")
	w.failAfter("last", "run-later", "bank.test", "y")
	groups := func(filter projections.GroupFilter) []projections.Group {
		w.catchUp()
		list, err := w.queries.Groups(t.Context(), filter)
		require.NoError(t, err)
		return list
	}
	all := groups(projections.GroupFilter{})
	require.Len(t, all, 2)
	require.Equal(t, "bank.test", all[0].Host, "the newest")
	require.Equal(t, []int{many + 1, many + 1, many + 1}, []int{all[1].Workflows, all[1].Open, all[1].Failures})
	require.Len(t, all[1].Members, projections.MostMembers)
	require.Equal(t, "w00", all[1].Members[0].Workflow)
	require.Equal(t, all[:1], groups(projections.GroupFilter{Limit: 1}))
	require.Equal(t, all[1:], groups(projections.GroupFilter{Limit: 1, After: all[0].ID}))
	require.Empty(t, groups(projections.GroupFilter{Limit: 1, After: all[1].ID}))

	bobs := groups(projections.GroupFilter{Owner: "bob"})
	require.Len(t, bobs, 1)
	require.Equal(t, []int{1, 1, 1}, []int{bobs[0].Workflows, bobs[0].Open, bobs[0].Failures})
	require.Equal(t, "bobs", bobs[0].Members[0].Workflow)
	w.save("last", "written anew")
	w.save("w00", "written anew")
	all = groups(projections.GroupFilter{})
	require.Len(t, all, 1, "nobody fails of the other one any more, and no fix came of it")
	require.Equal(t, []int{many + 1, many}, []int{all[0].Workflows, all[0].Open})
}

// The fixes of one cause are all found from any of them, also those of workflows that the group does not show.
func TestTheFixesOfOneCauseAreFoundFromEachOfThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	held := func(id, host string) {
		w.create(id, id)
		w.did(w.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
		w.failAfter(id, id+"1", host, "x")
		w.propose(id, "task-"+id+"1", "p"+id, "reads total_amount")
		w.judge(id, "p"+id, workflow.VerdictIdentical)
	}
	many := projections.MostMembers + 2
	var want []string
	for n := range many {
		id := fmt.Sprintf("w%02d", n)
		held(id, "shop.test")
		want = append([]string{"p" + id}, want...)
	}
	held("else", "bank.test")
	found := func(filter projections.FixFilter) (ids []string) {
		w.catchUp()
		fixes, err := w.queries.Fixes(t.Context(), filter)
		require.NoError(t, err)
		for _, fix := range fixes {
			ids = append(ids, fix.Proposal)
		}
		return ids
	}
	for _, of := range []string{want[0], want[many-1]} {
		require.Equal(t, want, found(projections.FixFilter{SameCause: of, State: projections.FixHeld}))
	}
	require.Equal(t, want[3:5], found(projections.FixFilter{SameCause: want[0], Before: want[2], Limit: 2}))
	require.Equal(t, []string{"pelse"}, found(projections.FixFilter{SameCause: "pelse"}))
	require.Empty(t, found(projections.FixFilter{SameCause: "none"}))
}

// People hear once of what many workflows fail of. A notice that waits for a decision stays told though it was seen.
func TestOneNotificationForOneCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	held := func(id string) {
		w.create(id, id)
		w.did(w.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}}, ann))
		w.failAfter(id, id+"1", "shop.test", "x")
		w.propose(id, "task-"+id+"1", "p"+id, "reads total_amount")
		w.judge(id, "p"+id, workflow.VerdictIdentical)
	}
	open := func(filter projections.NotificationFilter) []projections.Notification {
		w.catchUp()
		filter.Open = true
		list, err := w.queries.Notifications(t.Context(), filter)
		require.NoError(t, err)
		return list
	}
	held("a")
	held("b")
	held("c")
	list := open(projections.NotificationFilter{})
	require.Len(t, list, 1)
	require.Equal(t, "c", list[0].Workflow)
	require.Len(t, list[0].Also, 2)
	require.Equal(t, "pb", list[0].Also[0].Proposal)
	require.Len(t, open(projections.NotificationFilter{Workflow: "a"}), 1, "who asks for a workflow is told of it")
	for id, of := range map[string]string{list[0].ID: "c", list[0].Also[0].ID: "b", list[0].Also[1].ID: "a"} {
		w.did(w.commands.AcknowledgeNotification(t.Context(), of, workflow.AcknowledgeNotification{Notification: id}, ann))
	}
	require.Len(t, open(projections.NotificationFilter{Workflow: "a"}), 1)
	held("d")
	list = open(projections.NotificationFilter{})
	require.Len(t, list, 1)
	require.Equal(t, "d", list[0].Workflow)
	require.Len(t, list[0].Also, 3)
}

// An escalation shows the best that the maintainer had, and why it did not pass; the recorded run
// that is in the way is named only if a person can exempt it.
func TestAnEscalationShowsTheBestCandidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("w", "w")
	w.succeed("w", manual("r1"))
	w.fail("w", manual("r2"), because(failure.Logic, "a"))
	maintainer := executor
	maintainer.Actor = "maintainer:task-r2"
	w.did(w.commands.OpenThread(t.Context(), thread.Open{Thread: "thread-r2", Workflow: "w", Kind: thread.KindMaintainer, Task: "task-r2"}, maintainer))
	for _, c := range []thread.JudgeCandidate{
		{Fixer: "templates a/1", Comment: "first", Verdict: "different", Divergence: "run r2 fails", Diverges: "r2"},
		{Fixer: "templates b/1", Comment: "second", Verdict: "different", Divergence: "run r1, output $: want 1, got 2", Diverges: "r1"},
		{Fixer: "model m", Comment: "third", Verdict: "different", Divergence: "run r1, output $: want 1, got 3", Diverges: "r1", Reasons: []string{"constant output"}},
	} {
		w.did(w.commands.JudgeCandidate(t.Context(), "thread-r2", c, maintainer))
	}
	best := func() *projections.Candidate {
		w.catchUp()
		best, err := w.queries.BestCandidate(t.Context(), "task-r2")
		require.NoError(t, err)
		return best
	}
	require.Equal(t, &projections.Candidate{
		Fixer: "model m", Comment: "third", Verdict: "different", Why: []string{"run r1, output $: want 1, got 3", "constant output"}, Exempt: "r1",
	}, best())
	w.did(w.commands.EndMaintenance(t.Context(), "w", workflow.EndMaintenance{Task: "task-r2", Explanation: "no"}, maintainer))
	w.catchUp()
	list, err := w.queries.Notifications(t.Context(), projections.NotificationFilter{Open: true})
	require.NoError(t, err)
	require.Equal(t, best(), list[0].Candidate)
	w.did(w.commands.ExemptRun(t.Context(), "w", workflow.ExemptRun{Run: "r1", Reason: "it counted twice"}, ann))
	require.Empty(t, best().Exempt)
	none, err := w.queries.BestCandidate(t.Context(), "task-none")
	require.NoError(t, err)
	require.Nil(t, none)
}
