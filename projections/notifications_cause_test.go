package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
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
