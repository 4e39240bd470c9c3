package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AcknowledgeNotification records that the person has seen a notification.
func (c *Commands) AcknowledgeNotification(ctx context.Context, id string, command workflow.AcknowledgeNotification, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
