package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// StopRepairs stops all repairs of all workflows, on every node.
func (c *Commands) StopRepairs(ctx context.Context, command installation.StopRepairs, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
