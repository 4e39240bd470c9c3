package workflow

import (
	"context"
	"fmt"
	"io"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// admitRun only asks for a run: a server executes it.
func admitRun(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, admit workflow.AdmitRun) error {
	run := admit.Run
	if _, err := n.Commands.AdmitRun(ctx, id, admit, cli.Meta()); err != nil {
		return err
	}
	return cli.Show(map[string]string{"run": run}, func(w io.Writer) {
		fmt.Fprintf(w, "Admitted run %s. The server executes it: at once if one runs, else with the next 'kintsugi dev'.\n", run)
	})
}
