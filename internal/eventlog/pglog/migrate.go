package pglog

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/kintsugi-run/kintsugi/internal/database/pgschema"
	"github.com/kintsugi-run/kintsugi/migrations"
)

// migrate brings the tables to the version of this program. It refuses tables that are newer.
func migrate(ctx context.Context, t *target, logger *slog.Logger) error {
	steps, err := fs.Sub(migrations.Log, "log")
	if err == nil {
		plan := pgschema.Plan{What: "the event log", Schema: "kintsugi", Steps: steps, Logger: logger}
		err = plan.Up(ctx, t.config.ConnConfig, t.conn)
	}
	if err != nil {
		return fmt.Errorf("prepare the tables of the event log in database %q: %w", t.config.ConnConfig.Database, err)
	}
	return nil
}
