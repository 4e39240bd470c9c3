package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// ChangeSpendCap changes what agents may spend in a day or a month.
func (c *Commands) ChangeSpendCap(ctx context.Context, command installation.ChangeSpendCap, meta Meta) (Result, error) {
	return c.onInstallation(ctx, command, meta)
}
