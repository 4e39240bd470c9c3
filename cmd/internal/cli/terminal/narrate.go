package terminal

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// narrate tells people on standard error what happens to a workflow from a position on,
// until the returned function is called: it tells the rest and ends.
func (cli *CLI) narrate(ctx context.Context, n *app.Node, id string, from eventlog.Position) (stop func()) {
	if cli.Format != FormatText {
		return func() {}
	}
	tell := func(ctx context.Context) {
		for record, err := range n.Log.All(ctx, from, eventlog.Everything) {
			if err != nil {
				return // this only narrates; the call that waits for the outcome returns the error
			}
			from = record.Position
			if record.Stream != workflow.Stream(id) {
				continue
			}
			if e, err := n.Codec.Decode(record.Type, record.SchemaVersion, record.Payload); err == nil {
				fmt.Fprintf(cli.Err, "  %-26s %s\n", record.Type, plain.Clean(plain.Short(projections.Line(e, n.Zone()), 160)))
			}
		}
	}
	ctx = context.WithoutCancel(ctx)
	end := app.EachTime(ctx, n.Log, func(ctx context.Context) error {
		tell(ctx)
		return nil
	})
	return func() {
		end()
		tell(ctx)
	}
}
