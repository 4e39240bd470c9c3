package handlers_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Reactions have no part in a rebuild of the views: after a repair, ten rebuilds with everything that is due in between
// send nothing and record nothing.
func TestTenRebuildsRepeatNoEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	id := n.create(orders, workflow.Settings{})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Contains(t, n.events(id, workflow.TypeRunFailed), workflow.TypeFixConfirmed)
	head, err := n.log.Head(t.Context())
	require.NoError(t, err)
	n.close()

	sent := func() (map[string]int, []string) {
		w.outside.mu.Lock()
		defer w.outside.mu.Unlock()
		return maps.Clone(w.outside.hits), append([]string(nil), w.outside.bodies...)
	}
	hits, bodies := sent()
	require.NotEmpty(t, bodies)
	for range 10 {
		n = w.open(nil)
		require.NoError(t, n.views.Rebuild(t.Context()))
		require.NoError(t, n.settle(t.Context()))
		at, err := n.log.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, head, at)
		n.close()
	}
	nowHits, nowBodies := sent()
	require.Equal(t, hits, nowHits)
	require.Equal(t, bodies, nowBodies)
}
