package projections_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A key that has expired is one thing to mend, however many workflows fail of it and wherever in their scripts; another
// host's is another one. A script that says the same again is told of once, with how often.
func TestWhatAPersonMendsOnceIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := func(id, host, place string) {
		w.create(id, "W "+id)
		why := because(failure.Auth, place)
		why.Host = host
		w.fail(id, manual("run-"+id), why)
	}
	for i := range 3 {
		refused(fmt.Sprint("a", i), "shop.test", fmt.Sprint("place ", i))
	}
	refused("b", "bank.test", "place 0")
	w.create("says", "Says")
	for i := range 2 {
		w.succeed("says", manual(fmt.Sprint("s", i)), call{tool: "notify", args: `["Report","all well"]`})
	}
	open := func() []projections.Notification {
		w.catchUp()
		list, err := w.queries.Notifications(t.Context(), projections.NotificationFilter{Open: true})
		require.NoError(t, err)
		return list
	}
	list := open()
	require.Len(t, list, 3)
	says, bank, shop := list[0].Cause, list[1].Cause, list[2].Cause
	require.Equal(t, "Says: Report, 2 times", says.Sentence)
	require.Equal(t, "W b: Access was refused: bank.test", bank.Sentence)
	require.Equal(t, "Access was refused: shop.test, in 3 workflows", shop.Sentence)
	require.Equal(t, []int{3, 3}, []int{shop.Count, shop.Workflows})
	require.Equal(t, []string{projections.ActionSetSecret, workflow.ActionActivate}, shop.Actions)
	require.True(t, shop.First.Before(shop.Last))
	require.Equal(t, list[2].At, shop.Last)
	require.Equal(t, list[2].Also[1].At, shop.First)

	// The id is the cause's: it stays when one more fails of it, and when one of them is mended.
	refused("c", "shop.test", "elsewhere")
	require.Equal(t, shop.ID, open()[0].Cause.ID)
	require.Equal(t, 4, open()[0].Cause.Count)
	w.did(w.commands.ActivateWorkflow(t.Context(), "c", workflow.Activate{}, ann))
	w.did(w.commands.ActivateWorkflow(t.Context(), "a0", workflow.Activate{}, ann))
	list = open()
	require.Len(t, list, 3)
	require.Equal(t, shop.ID, list[2].Cause.ID)
	require.Equal(t, 2, list[2].Cause.Count)
}

// The counts of causes agree with all open notifications: for everybody and for each owner, of all types and of
// each, page by page, while they are told, acknowledged and resolved in any order.
func TestOpenCausesAreThoseOfOpenNotifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := sample.Write(t.Context(), w.log, sample.Config{Seed: 5, Events: 4_000, Workflows: 20})
	require.NoError(t, err)
	for i := range 32 {
		id := fmt.Sprint("mine-", i)
		w.create(id, id)
		class := failure.Logic
		switch i % 4 {
		case 0:
			w.did(w.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModeOff}}, ann))
		case 1:
			class = failure.Internal
		case 3:
			class = failure.Auth
		}
		w.fail(id, manual("of-"+id), because(class, "place"))
		if i%4 == 2 {
			w.did(w.commands.EndMaintenance(t.Context(), id, workflow.EndMaintenance{Task: "task-of-" + id, Explanation: "no"}, executor))
		}
	}
	q, c := w.queries, w.commands
	chance := rand.New(rand.NewPCG(1, 1))
	for round := range 4 {
		w.catchUp()
		all, err := q.Notifications(t.Context(), projections.NotificationFilter{Operator: true})
		require.NoError(t, err)
		workflows, err := q.Workflows(t.Context(), projections.WorkflowFilter{Archived: true})
		require.NoError(t, err)
		of := map[string]string{}
		for _, one := range workflows {
			of[one.ID] = one.Owner
		}
		open := slices.DeleteFunc(all, func(one projections.Notification) bool {
			return !one.Resolved.IsZero() || !one.Acknowledged.IsZero() && !one.StandsStill
		})
		types := map[projections.NotificationType]bool{"": true}
		for _, one := range open {
			types[one.Type] = true
		}
		if round == 0 {
			require.Subset(t, types, map[projections.NotificationType]bool{
				projections.NotifyError: true, projections.NotifyInternal: true, projections.NotifyEscalated: true,
				projections.NotifyMaintenanceFailed: true, projections.NotifyScriptMessage: true,
			})
		}

		for only := range types {
			for _, owner := range []string{"", "ann", "ben", "nobody"} {
				for _, operator := range []bool{false, true} {
					filter := projections.NotificationFilter{Open: true, Owner: owner, Type: only, Operator: operator}
					require.Equal(t, causesOf(open, of, filter), paged(t, q, filter), "%+v", filter)
				}
			}
		}
		for range len(open) / 3 { // some of them, also such that others stand for
			one := open[chance.IntN(len(open))]
			if chance.IntN(8) == 0 && one.Workflow != "" {
				_, err = c.ArchiveWorkflow(t.Context(), one.Workflow, workflow.Archive{}, ann)
			} else if one.Workflow != "" {
				_, err = c.AcknowledgeNotification(t.Context(), one.Workflow, workflow.AcknowledgeNotification{Notification: one.ID}, ann)
			}
			require.True(t, err == nil || fault.KindOf(err) != fault.Internal, err)
		}
	}
}

// told is a cause as a list shows it.
type told struct {
	Newest           string
	Count, Workflows int
	First, Last      time.Time
	Also             []string
}

// paged is all that a filter chooses, three at a time.
func paged(t *testing.T, q *projections.Queries, filter projections.NotificationFilter) (shown []told) {
	t.Helper()
	for filter.Limit = 3; ; {
		list, err := q.Notifications(t.Context(), filter)
		require.NoError(t, err)
		for _, one := range list {
			filter.Before = one.ID
			made := told{Newest: one.ID, Count: one.Cause.Count, Workflows: one.Cause.Workflows, First: one.Cause.First, Last: one.Cause.Last}
			for _, also := range one.Also {
				made.Also = append(made.Also, also.ID)
			}
			if whole, err := q.StandsFor(t.Context(), filter.Owner, one.ID); filter.Type == "" && filter.Owner == "" {
				require.NoError(t, err)
				require.Len(t, whole, made.Count-1)
			}
			shown = append(shown, made)
		}
		if len(list) < filter.Limit {
			return shown
		}
	}
}

// causesOf makes the same of all open notifications, the newest first.
func causesOf(open []projections.Notification, owners map[string]string, filter projections.NotificationFilter) (shown []told) {
	at := map[string]int{}
	workflows := map[[2]string]bool{}
	for _, one := range open {
		switch {
		case filter.Owner != "" && owners[one.Workflow] != filter.Owner, filter.Type != "" && one.Type != filter.Type,
			filter.Type == "" && !filter.Operator && one.Type == projections.NotifyInternal:
			continue
		}
		i, is := at[one.CauseID]
		if !is {
			i = len(shown)
			at[one.CauseID] = i
			shown = append(shown, told{Newest: one.ID, Last: one.At})
		} else if len(shown[i].Also) < 5 {
			shown[i].Also = append(shown[i].Also, one.ID)
		}
		shown[i].Count++
		shown[i].First = one.At
		if key := [2]string{one.CauseID, one.Workflow}; one.Workflow != "" && !workflows[key] {
			workflows[key] = true
			shown[i].Workflows++
		}
	}
	return shown
}
