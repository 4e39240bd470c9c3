package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// AcknowledgeNotice records that the operator has seen a notification that is of no workflow.
func (c *Commands) AcknowledgeNotice(ctx context.Context, command installation.AcknowledgeNotice, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
