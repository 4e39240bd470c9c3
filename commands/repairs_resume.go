package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// ResumeRepairs ends a stop of all repairs: tasks that waited are worked on.
func (c *Commands) ResumeRepairs(ctx context.Context, command installation.ResumeRepairs, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
