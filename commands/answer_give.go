package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/run"
)

// GiveAnswer answers the question that a run waits for, so that it can go on.
func (c *Commands) GiveAnswer(ctx context.Context, id string, answer run.GiveAnswer, meta Meta) error {
	return c.tellRun(ctx, id, answer, meta)
}
