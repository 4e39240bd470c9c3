package workflow

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// admitRun only asks for a run: a server executes it.
func admitRun(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, admit workflow.AdmitRun) error {
	run := admit.Run
	if _, err := n.Commands.AdmitRun(ctx, id, admit, cli.Meta()); err != nil {
		return err
	}
	return showAdmitted(cli, run)
}

// runWithin admits a run, and tells what became of it within some time.
func runWithin(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, admit workflow.AdmitRun, wait time.Duration) error {
	if wait < 0 || wait > longestWait {
		return fault.New(fault.Invalid, "--wait %s is no time to wait: give one from 0s to %s, or leave it out to wait as long as it takes", wait, longestWait)
	}
	ended, err := cli.RunWithin(ctx, n, id, admit, wait)
	if err != nil || ended {
		return err
	}
	return showAdmitted(cli, admit.Run)
}

// longestWait is how long --wait may be, as in the API.
const longestWait = time.Minute

func showAdmitted(cli *terminal.CLI, run string) error {
	return cli.Show(map[string]string{"run": run}, func(w io.Writer) {
		fmt.Fprintf(w, "Admitted run %s. The server executes it: at once if one runs, else with the next 'kintsugi dev'.\n", run)
	})
}
