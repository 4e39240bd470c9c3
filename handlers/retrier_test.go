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
