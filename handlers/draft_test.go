package handlers_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/draft"
)

const day = 24 * time.Hour

// Three nodes, restarts and looks without end ask the owner of a draft once a week, and what a person does
// meanwhile counts.
func TestRule20TheOwnerOfADraftIsAskedOnceByAllNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nodes := make([]*node, 3)
	for i := range nodes {
		nodes[i] = w.open(nil)
		nodes[i].reactions = []handlers.Reaction{draft.NewArchiver(nodes[i].commands)}
		t.Cleanup(nodes[i].close)
	}
	n, ctx := nodes[0], t.Context()
	const drafts = 12
	ids := make([]string, drafts)
	for i := range ids {
		ids[i] = fmt.Sprintf("draft-%d", i)
		_, err := n.commands.CreateWorkflow(ctx, workflow.Create{ID: ids[i], Title: ids[i], Owner: []string{"ann", "bob"}[i%2]}, person())
		require.NoError(t, err)
	}
	_, err := n.commands.ChangeDraftArchiving(ctx, installation.ChangeDraftArchiving{Owner: "bob", On: true}, person())
	require.NoError(t, err)
	everywhere := func() {
		var all sync.WaitGroup
		for _, node := range nodes {
			for range 2 { // a restart: the loop knows nothing
				all.Go(func() { require.NoError(t, node.settle(ctx)) })
			}
		}
		all.Wait()
	}
	count := func(id, of string) (found int) {
		for _, name := range n.events(id, workflow.TypeWorkflowCreated) {
			if name == of {
				found++
			}
		}
		return found
	}
	everywhere()
	for week := range 4 {
		w.clock.advance(3 * day)
		everywhere()
		for _, id := range ids {
			require.Equal(t, week+1, count(id, workflow.TypeDraftPrompted), id)
		}
		if week == 0 {
			_, err := n.commands.ArchiveWorkflow(ctx, ids[10], workflow.Archive{}, person())
			require.NoError(t, err)
			_, err = n.commands.KeepDraft(ctx, ids[11], workflow.KeepDraft{}, person())
			require.NoError(t, err)
			ids = ids[:10]
		}
		w.clock.advance(4 * day)
	}
	require.Equal(t, 1, count("draft-10", workflow.TypeDraftPrompted))
	require.Equal(t, workflow.StatusDraft, n.state("draft-11").Status, "it was kept, and so its 30 days began later")
	w.clock.advance(4 * day)
	everywhere()
	for i, id := range ids {
		status := workflow.StatusDraft
		if i%2 == 1 {
			status = workflow.StatusArchived
		}
		require.Equal(t, status, n.state(id).Status, "%s: only bob opted in", id)
	}
}
