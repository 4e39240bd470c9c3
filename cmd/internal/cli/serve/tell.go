package serve

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// tellAll tells what happens to all workflows from now on, a line each, until stop.
func tellAll(ctx context.Context, cli *terminal.CLI, n *app.Node) (stop func(), err error) {
	from, err := n.Log.Head(ctx)
	if err != nil {
		return nil, err
	}
	return app.EachTime(ctx, n.Log, func(ctx context.Context) error {
		for record, err := range n.Log.All(ctx, from, eventlog.Everything) {
			if err != nil {
				return nil // only told: the next hint looks again, and who depends on the log gets the error
			}
			from = record.Position
			label := projections.Label(record.Type)
			id, of := strings.CutPrefix(record.Stream, workflow.StreamPrefix)
			if label == "" || !of {
				continue
			}
			e, err := n.Codec.Decode(record.Type, record.SchemaVersion, record.Payload)
			if err != nil {
				continue // the reader that needs the event reports that it cannot be read
			}
			title := id
			if state, err := n.Commands.LoadWorkflow(ctx, id); err == nil {
				title = state.Title
			}
			fmt.Fprintf(cli.Err, "%s  %s: %s: %s\n", n.Now().Format(time.TimeOnly), plain.Clean(plain.Short(title, 40)), label, plain.Clean(plain.Short(plain.FirstLine(projections.Line(e, n.Zone())), 160)))
		}
		return nil
	}), nil
}
