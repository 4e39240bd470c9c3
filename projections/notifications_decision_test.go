package projections_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A person who is told of a fix that waits sees until when, what happens then, whether half of that is over, and for whom it is to
// decide; and whom it was given to finds it among what was given to them.
func TestANotificationSaysWhoDecidesUntilWhen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	settings := workflow.Settings{AutoFix: workflow.ModePropose, DecideWithinMS: time.Minute.Milliseconds()}
	set := func() { w.did(w.commands.ChangeSettings(ctx, "w", workflow.ChangeSettings{Settings: settings}, ann)) }
	one := func() projections.Notification {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyFixWaiting})
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0]
	}
	given := func(to string, open bool) []projections.Notification {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: open, DelegatedTo: to})
		require.NoError(t, err)
		return list
	}
	w.create("w", "w")
	set()
	w.failAfter("w", "r", "shop.test", "x")
	w.propose("w", "task-r", "p", "reads total_amount")
	w.judge("w", "p", workflow.VerdictIdentical)
	waits := one()
	require.Equal(t, waits.At.Add(time.Minute), waits.Due)
	require.Equal(t, workflow.DeadlineDecline, waits.OnDeadline)
	require.Zero(t, waits.Reminded)

	for range 40 { // the clock goes on by a second each time
		w.did(w.commands.RemindOfDecision(ctx, "w", executor))
	}
	reminded := one()
	require.Equal(t, 30*time.Second, reminded.Reminded.Sub(waits.At).Round(10*time.Second))

	settings.DecideWithinMS, settings.OnDeadline = time.Hour.Milliseconds(), workflow.DeadlineAcceptIfProven
	set()
	require.Equal(t, waits.At.Add(time.Hour), one().Due)
	require.Equal(t, workflow.DeadlineAcceptIfProven, one().OnDeadline)
	settings.DecideWithinMS, settings.OnDeadline = 0, ""
	set()
	require.Zero(t, one().Due)

	w.did(w.commands.DelegateDecision(ctx, "w", workflow.DelegateDecision{Notification: waits.ID, Proposal: "p", To: "ben", Note: "you know it"}, ann))
	to := one()
	require.Equal(t, []any{"ben", "person:ann", "you know it"}, []any{to.DelegatedTo, to.DelegatedBy, to.DelegationNote})
	require.NotZero(t, to.Delegated)
	require.Len(t, given("ben", true), 1)
	require.Empty(t, given("ann", true))
	w.did(w.commands.DeclineFix(ctx, "w", workflow.DeclineFix{Proposal: "p"}, ann))
	require.Empty(t, given("ben", true))
	require.Len(t, given("ben", false), 1)
}
