package handlers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
)

// Runs of a workflow that are to be tried again at the same time take turns: that another one is under
// way is no failure.
func TestRetriesThatAreDueTogetherTakeTurns(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(orders, workflow.Settings{MaxActive: 2})
	n.outside.answer("/orders", 200, oldOrders(1, 2))
	n.outside.answer("/done", 503, `{}`)
	n.runs(id, `{"day":"2026-03-01"}`, `{"day":"2026-03-02"}`)
	_, err := n.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: []string{n.outside.host()}}}, person())
	require.NoError(t, err)
	n.clock.advance(time.Minute)
	due := execution.NewRetrier(n.commands, n.clock.now).Due(id, n.state(id))
	require.Len(t, due, 2)
	for _, work := range due {
		require.NoError(t, work.Do(t.Context()))
	}
	require.Len(t, n.state(id).Admitted, 1)

	n.outside.answer("/done", 200, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, n.state(id).Retries)
	require.Equal(t, 4, n.outside.count("POST /done"))
}

// While the other side does not answer people hear of it once, after the time that settings give it, whichever life of the server
// comes to it; and when it answers again that it is over.
func TestAnOutageIsReportedByTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil).inputs()
	id := n.create(`async function main() { return (await web.getJSON('BASE/orders')).length }`, workflow.Settings{OutageAfterMS: (2 * time.Hour).Milliseconds()})
	n.outside.answer("/orders", 503, `{}`)
	n.send(id, "one", `{}`)
	began := n.clock.now()
	for n.clock.now().Sub(began) < 5*time.Hour {
		require.NoError(t, n.settle(t.Context()))
		reported := n.events(id, workflow.TypeOutageReported)
		require.Equal(t, n.clock.now().Sub(began) >= 2*time.Hour, len(reported) > 0, "after %s", n.clock.now().Sub(began))
		n.clock.advance(10 * time.Minute)
		if len(n.state(id).Retries) == 0 { // in the pause between two rounds of tries, the next life goes on
			n.close()
			n = w.open(nil).inputs()
		}
	}
	defer n.close()
	require.True(t, n.state(id).Outage.Told)
	require.NotContains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeRetriesExhausted, "nothing is given up")
	n.outside.answer("/orders", 200, `[]`)
	n.clock.advance(time.Hour)
	require.NoError(t, n.settle(t.Context()))
	over := n.events(id, workflow.TypeOutageReported)
	require.Equal(t, []string{workflow.TypeRunSucceeded, workflow.TypeRecovered, workflow.TypeOutageEnded}, over[len(over)-3:])
	require.NotContains(t, over[1:], workflow.TypeOutageReported)
	require.Empty(t, n.state(id).Queue)
}
