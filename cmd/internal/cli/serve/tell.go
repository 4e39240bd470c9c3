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
)

// tellings are the events of workflows that a server prints, in words.
var tellings = map[string]string{
	workflow.TypeRunFailed:                 "run failed",
	workflow.TypeMaintenanceEntered:        "mending",
	workflow.TypeFixHeld:                   "a fix waits for you",
	workflow.TypeDecisionDelegated:         "waits for somebody else",
	workflow.TypeDecisionReminded:          "still waits for you",
	workflow.TypeFixApplied:                "fix applied",
	workflow.TypeFixConfirmed:              "fixed",
	workflow.TypeFixRegressed:              "the fix did not help",
	workflow.TypeEscalated:                 "handed to you",
	workflow.TypeAuthErrorClassified:       "waits for you",
	workflow.TypePermissionErrorClassified: "waits for you",
	workflow.TypeRetriesExhausted:          "given up for now",
	workflow.TypeOutageReported:            "the other side does not answer",
	workflow.TypeOutageEnded:               "the outage is over",
	workflow.TypeQuestionAsked:             "asks you",
}

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
			words, told := tellings[record.Type]
			id, of := strings.CutPrefix(record.Stream, workflow.StreamPrefix)
			if !told || !of {
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
			fmt.Fprintf(cli.Err, "%s  %s: %s: %s\n", n.Now().Format(time.TimeOnly), plain.Clean(plain.Short(title, 40)), words, plain.Clean(plain.Short(plain.FirstLine(app.Describe(e, n.Zone())), 160)))
		}
		return nil
	}), nil
}
