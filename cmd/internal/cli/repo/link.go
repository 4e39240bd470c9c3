package repo

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

func newLinkCommand(cli *terminal.CLI) *cobra.Command {
	command := &cobra.Command{
		Use: "link PLAN JOB", Short: "Make a link by which a person answers for a job that is held, without a token", Args: terminal.Takes(2, 2),
		Long: `Make a link by which a person answers for a job that is held, without a token. It shows what the job was
to do, what it is held for and what it changed; nothing happens until they press a button, and a link answers
once, for this checkpoint. Whoever has it answers in the person's name: send it to them alone.`,
		Example: `  kintsugi repo plan link shop prices --for ann@example.com --public-url https://kintsugi.example.com`,
	}
	return cli.MakesLink(command, "answered", func(ctx context.Context, n *app.Node, args []string) (app.Link, error) {
		id, err := n.Plans.Resolve(ctx, args[0])
		if err != nil {
			return app.Link{}, err
		}
		of, err := n.Plans.Get(ctx, id)
		if err != nil {
			return app.Link{}, err
		}
		for _, job := range of.Jobs {
			if job.ID == args[1] && job.Checkpoint != nil {
				return app.Link{Plan: id, Job: job.ID, Checkpoint: job.Checkpoint.Checkpoint}, nil
			}
		}
		return app.Link{}, fault.New(fault.Conflict, "plan %s has no job %q that is held: see 'kintsugi repo plan show %s'", id, args[1], id)
	})
}
