package app

import (
	"context"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Calls are what a run did call by call, read from its own stream.
func (r *Runs) Calls(ctx context.Context, id string) (projections.Calls, error) {
	history, err := streamOf(ctx, r.Commands, run.Stream(id))
	return projections.CallsOf(history), err
}

// streamOf is all of one stream.
func streamOf(ctx context.Context, commands *commands.Commands, stream string) (history []event.Recorded, err error) {
	for one, err := range commands.History(ctx, []string{stream}) {
		if err != nil {
			return nil, err
		}
		history = append(history, one)
	}
	return history, nil
}
