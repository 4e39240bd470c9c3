package app

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Calls are what a run did call by call, read from its own stream.
func (n *Node) Calls(ctx context.Context, id string) (projections.Calls, error) {
	history, err := n.streamOf(ctx, run.Stream(id))
	return projections.CallsOf(history), err
}

// streamOf is all of one stream.
func (n *Node) streamOf(ctx context.Context, stream string) (history []event.Recorded, err error) {
	for one, err := range n.Commands.History(ctx, []string{stream}) {
		if err != nil {
			return nil, err
		}
		history = append(history, one)
	}
	return history, nil
}
