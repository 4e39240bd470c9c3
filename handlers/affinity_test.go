package handlers_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// affinities notes by whom a worker process may have been used before, for each execution.
type affinities struct {
	sandbox.Runner
	mu   sync.Mutex
	seen []string
}

func (a *affinities) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	a.mu.Lock()
	a.seen = append(a.seen, execution.Affinity)
	a.mu.Unlock()
	return a.Runner.Run(ctx, execution, host)
}

// A worker process serves one script of one owner, so that a script can only reach what its own author wrote.
func TestAWorkerServesOneScriptOfOneOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noted := &affinities{Runner: w.pool}
	w.pool = noted
	n := w.open(nil)
	defer n.close()
	affinityOf := func(owner, code string) string {
		t.Helper()
		id := uuid.NewString()
		_, err := n.commands.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: "Orders", Owner: owner, Intent: "File orders"}, person())
		require.NoError(t, err)
		_, err = n.commands.SaveScript(t.Context(), id, workflow.SaveScript{ScriptID: uuid.NewString(), Code: code, Comment: "first", Origin: workflow.OriginPerson}, person())
		require.NoError(t, err)
		_, err = n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
		require.NoError(t, err)
		noted.seen = nil
		n.runs(id, `{}`)
		require.Len(t, noted.seen, 1)
		require.NotEmpty(t, noted.seen[0])
		return noted.seen[0]
	}
	const one, other = `function main() { return 1 }`, `function main() { return 2 }`
	first := affinityOf("ann", one)
	require.Equal(t, first, affinityOf("ann", one), "another workflow of the same owner with the same script")
	require.NotEqual(t, first, affinityOf("ann", other))
	require.NotEqual(t, first, affinityOf("ben", one))
}
