package rehearsal

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Written are the writes that a run, and those that it goes on with, made or may have made, in their order: a run that begins
// again from the start makes them again.
func Written(ctx context.Context, c *commands.Commands, id string) (written []Entry, err error) {
	of, err := c.LoadRun(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("what run %s wrote: %w", id, err)
	}
	entries, err := Chain(ctx, c, of, func(entries []Entry, _ run.State) []Entry { return entries }, Never)
	for _, entry := range entries {
		if entry.Effect == sandbox.Write && entry.Error == nil {
			written = append(written, entry)
		}
	}
	return written, err
}

// Chain is what a run did, and behind it what of the runs that it goes on with it did not come to repeat. keep chooses of what one
// run did, and idempotent is as for [PastOf].
func Chain(
	ctx context.Context, c *commands.Commands, s run.State, keep func([]Entry, run.State) []Entry, idempotent func(sandbox.Call) bool,
) ([]Entry, error) {
	entries := keep(PastOf(s, idempotent), s)
	if s.Continues == "" {
		return entries, nil
	}
	before, err := c.LoadRun(ctx, s.Continues)
	if err != nil {
		return nil, fmt.Errorf("the run that %s continues: %w", s.Run, err)
	}
	older, err := Chain(ctx, c, before, keep, idempotent)
	if err != nil {
		return nil, err
	}
	return append(entries, LeftOf(older, entries, s.Run)...), nil
}
