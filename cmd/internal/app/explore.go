package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Explore lends an explorer and its worker processes to fn.
func (n *Node) Explore(logger *slog.Logger, fn func(*rehearsal.Explorer) error) (err error) {
	pool := NewPool(logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	return fn(&rehearsal.Explorer{
		Commands: n.Commands, Sandbox: pool, Local: n, Recordings: n, Secrets: n.Secrets, Now: n.Now, NewID: NewID, Logger: logger,
	})
}

// LastSuccess is the newest run of a workflow that succeeded, nil for none.
func (n *Node) LastSuccess(ctx context.Context, id string) (*run.State, error) {
	runs, err := n.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	state, err := n.Commands.LoadRun(ctx, runs[0].ID)
	return &state, err
}
