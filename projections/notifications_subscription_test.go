package projections_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Rule: the operator hears once of a subscription whose events are given up, until none waits, and of one that its target ended; not
// of what a person paused.
func TestWhatIsNotDeliveredIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, by, ann := t.Context(), commands.Meta{Actor: "system:publisher"}, commands.Meta{Actor: "person:ann"}
	w.did(w.commands.AddSubscription(ctx, "shop", subscription.Add{Definition: subscription.Definition{Target: "exec:/bin/true", Payload: subscription.Full, Lanes: subscription.Block, GiveUpSeconds: 60}}, ann))
	told := func() (texts []string) {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true, Operator: true})
		require.NoError(t, err)
		for _, one := range list {
			texts = append(texts, one.Title+"\n"+one.Text)
		}
		return texts
	}
	for _, id := range []string{"e1", "e2"} {
		w.did(w.commands.GiveUpDelivery(ctx, "shop", subscription.GiveUp{
			Event: subscription.Place{EventID: id, Position: id, Stream: workflow.StreamPrefix + id}, Type: workflow.TypeRunFailed, Lane: id, Attempts: 7, Reason: "it answers 500",
		}, by))
	}
	letters := "Events could not be delivered to shop\nit answers 500\nIt was given up after 7 attempts. Deliver it now, or do without: kintsugi subscription dead-letters list shop"
	require.Equal(t, []string{letters}, told())
	w.did(w.commands.SettleRetried(ctx, "shop", subscription.Retried{EventID: "e1"}, ann))
	require.Equal(t, []string{letters}, told())
	w.did(w.commands.DropDeadLetter(ctx, "shop", subscription.Drop{EventID: "e2"}, ann))
	require.Empty(t, told())

	fails := subscription.NoteFailing{Event: subscription.Place{EventID: "e3"}, Type: workflow.TypeRunFailed, Reason: "it answers 500", Attempts: 3, GivesUpAt: time.Date(2026, 3, 4, 8, 0, 0, 0, time.UTC)}
	w.did(w.commands.NoteFailing(ctx, "shop", fails, by))
	require.Equal(t, []string{"shop does not take events\nit answers 500\nIt is tried again until 2026-03-04 08:00 UTC; then the event is a dead letter. " +
		"See what came back, and try it: kintsugi subscription deliveries shop --failed, kintsugi subscription test shop"}, told())
	w.did(w.commands.NoteRecovered(ctx, "shop", by))
	require.Empty(t, told())
	w.did(w.commands.NoteFailing(ctx, "shop", fails, by))
	require.Len(t, told(), 1)

	w.did(w.commands.PauseSubscription(ctx, "shop", subscription.Pause{Reason: "it is gone"}, by))
	require.Equal(t, []string{"Nothing is delivered to shop any more\nit is gone\nOnce it can be delivered to again: kintsugi subscription resume shop"}, told())
	w.did(w.commands.ResumeSubscription(ctx, "shop", ann))
	require.Empty(t, told())
	w.did(w.commands.PauseSubscription(ctx, "shop", subscription.Pause{}, ann))
	require.Empty(t, told())
}
