package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A model that refuses is told to the operator once, whatever number of workflows ask it, until it
// answers again; one that is only busy is not told at all.
func TestAModelThatRefusesIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, by := t.Context(), commands.Meta{Actor: "maintainer:t"}
	for _, id := range []string{"a", "b"} {
		w.create(id, id)
		w.did(w.commands.OpenThread(ctx, thread.Open{Thread: "th-" + id, Workflow: id, Kind: thread.KindMaintainer, Task: "t-" + id}, by))
	}
	miss := func(id, kind string) {
		w.did(w.commands.MissModel(ctx, "th-"+id, thread.MissModel{Model: "m", Kind: kind, Code: "insufficient_quota", Detail: "no money", RetryAt: noon}, by))
	}
	told := func() []projections.Notification {
		w.catchUp()
		list, err := w.queries.Notifications(ctx, projections.NotificationFilter{Open: true, Operator: true})
		require.NoError(t, err)
		return list
	}
	miss("a", "unavailable")
	require.Empty(t, told())
	miss("a", "quota")
	miss("a", "quota")
	miss("b", "quota")
	require.Len(t, told(), 1)
	require.Equal(t, "The model m does not answer: quota", told()[0].Title)
	require.Contains(t, told()[0].Text, "no money")
	w.did(w.commands.AppendAnswer(ctx, "th-b", thread.AppendAnswer{Text: "here", Usage: thread.Usage{Model: "m"}}, by))
	require.Empty(t, told())
	miss("b", "refused")
	require.Len(t, told(), 1)
}
