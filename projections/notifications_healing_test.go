package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Rule: each blocked subtask of a session is told of until that one is unblocked; a job of a plan is told of when it is held.
func TestBlockedSubtasksAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, by := t.Context(), commands.Meta{Actor: "system:healer"}
	on := func(id string, command session.Command) {
		t.Helper()
		w.did(w.commands.OnSession(ctx, id, command, by))
	}
	block := func(id, plan string, subtasks ...string) {
		t.Helper()
		policy := session.DefaultPolicy()
		policy.PerSession, policy.Allowed = 9, []session.Spell{session.MarkBlocked}
		on(id, session.Open{SessionOpened: session.SessionOpened{ID: id, Worktree: "/w", Host: "h", Plan: plan, Policy: policy}})
		for i, subtask := range subtasks {
			on(id, session.Invoke{Failure: session.Failure{Trigger: session.VerificationFailed, Subtask: subtask, Check: session.Check{Name: "c", Command: "c"}, Fingerprint: subtask}, Planner: session.Rules})
			on(id, session.ReportCheck{CheckRan: session.CheckRan{Healing: i + 1, Check: session.Check{Name: "c", Command: "c"}}}) // run again: it is not flaky
			on(id, session.StartSpell{Healing: i + 1, Spell: session.MarkBlocked, By: session.Rules})
			on(id, session.ApplySpell{SpellApplied: session.SpellApplied{Healing: i + 1, Cast: 1, Spell: session.MarkBlocked, Applied: true, Followup: "look"}})
			on(id, session.ReportCheck{CheckRan: session.CheckRan{Healing: i + 1, Check: session.Check{Name: "c", Command: "c"}, Clean: true}})
			on(id, session.Conclude{Healing: i + 1})
		}
	}
	told := func() (titles []string) {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true})
		require.NoError(t, err)
		for _, one := range list {
			titles = append(titles, one.Title)
		}
		return titles
	}
	block("s", "", "prices", "pages")
	block("p-job", "p", "job")
	require.ElementsMatch(t, []string{"A coding agent's session is blocked: s, prices", "A coding agent's session is blocked: s, pages"}, told())
	on("s", session.Unblock{Subtask: "prices"})
	require.Equal(t, []string{"A coding agent's session is blocked: s, pages"}, told())
}
