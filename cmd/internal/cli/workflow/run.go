package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

func runWorkflow(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, input json.RawMessage) error {
	return cli.RunAdmitted(ctx, n, id, workflow.AdmitRun{Run: app.NewID(), Trigger: workflow.TriggerManual, Input: input})
}

// admitRun only asks for a run: a server executes it.
func admitRun(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, input json.RawMessage) error {
	run := app.NewID()
	if _, err := n.Commands.AdmitRun(ctx, id, workflow.AdmitRun{Run: run, Trigger: workflow.TriggerManual, Input: input}, cli.Meta()); err != nil {
		return err
	}
	return cli.Show(map[string]string{"run": run}, func(w io.Writer) {
		fmt.Fprintf(w, "Admitted run %s. The server executes it: at once if one runs, else with the next 'kintsugi dev'.\n", run)
	})
}
