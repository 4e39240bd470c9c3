package commands

import (
	"context"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// WorkflowAfter yields the events of a workflow's own stream after a revision, -1 for all. An event
// that cannot be read is an error that names it, and the last.
func (c *Commands) WorkflowAfter(ctx context.Context, id string, revision int64) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for record, err := range c.log.Stream(ctx, WorkflowStream(id), revision+1) {
			var recorded event.Recorded
			if err != nil {
				err = fmt.Errorf("commands: read %s: %w", WorkflowStream(id), err)
			} else {
				recorded, err = c.open(record)
			}
			if !yield(recorded, err) || err != nil {
				return
			}
		}
	}
}
