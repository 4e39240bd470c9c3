package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// ReportSpend hands in what agents have spent; a cap that it reaches is recorded once.
func (c *Commands) ReportSpend(ctx context.Context, command installation.ReportSpend, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
