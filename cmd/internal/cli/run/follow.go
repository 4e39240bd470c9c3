package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// follow shows what there is, and what comes, until look says that this was all or somebody ends it, which is how it ends.
func follow(ctx context.Context, cli *terminal.CLI, n *app.Node, look func(context.Context) (more bool, err error)) error {
	if cli.Format == terminal.FormatJSON {
		return fault.New(fault.Invalid, "--follow shows one thing after the other: use -o jsonl, or text")
	}
	hint, release := n.Log.Wake()
	defer release()
	for {
		more, err := look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil || !more:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-hint:
		}
	}
}

// followList shows the runs chosen, the oldest first, and again each that is new or has come to another status.
func followList(ctx context.Context, cli *terminal.CLI, n *app.Node, filter projections.RunFilter) error {
	seen := map[string]projections.RunStatus{}
	return follow(ctx, cli, n, func(ctx context.Context) (bool, error) {
		if err := n.Views.CatchUp(ctx); err != nil {
			return false, err
		}
		list, err := n.Queries.Runs(ctx, filter)
		if err != nil {
			return false, err
		}
		slices.Reverse(list)
		list = slices.DeleteFunc(list, func(one projections.Run) bool {
			known := seen[one.ID] == one.Status
			seen[one.ID] = one.Status
			return known
		})
		titles, err := projections.TitlesOf(ctx, n.Queries, list, func(r projections.Run) string { return r.Workflow })
		if err != nil || len(list) == 0 {
			return true, err
		}
		return true, cli.Show(list, func(w io.Writer) {
			for _, one := range list {
				fmt.Fprintf(w, "%s  %s  %-9s  %s", terminal.Local(w, one.Admitted).Format(time.DateTime), one.ID, one.Status, plain.Line(titles[one.Workflow]))
				if why := whatOf(w, one); why != "" {
					fmt.Fprintf(w, "  %s", plain.Line(why))
				}
				fmt.Fprintln(w)
			}
		})
	})
}

// followLog shows what a run has logged, and what it logs, until it has ended.
func followLog(ctx context.Context, cli *terminal.CLI, n *app.Node, id string) error {
	shown := 0
	return follow(ctx, cli, n, func(ctx context.Context) (bool, error) {
		state, err := n.Commands.LoadRun(ctx, id)
		if fault.KindOf(err) == fault.NotFound { // it has not started
			return true, nil
		}
		if err != nil {
			return false, err
		}
		lines := state.Log[shown:]
		shown = len(state.Log)
		return !state.Ended, cli.Show(lines, func(w io.Writer) { writeLines(w, lines) })
	})
}
