package run

import (
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

func newForkCommand(cli *terminal.CLI) *cobra.Command {
	var from int
	var result, input string
	command := &cobra.Command{
		Use: "fork RUN", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("@input", "@result")), Short: "Start a new run in the middle of another one", Args: terminal.Takes(1, 1),
		Long: `Start a new run where another one was before a call: the calls before it answer from that run's
journal and are not made again. From there on everything is done for real, on the active version.
What becomes of it stays with it: its keys and files are as they were before that call, the workflow
keeps its own, and a failure is neither repaired nor tried again.
The numbers of calls are those of 'kintsugi run show'.`,
		Example: `  kintsugi run fork 0197f2 --from-call 4
  kintsugi run fork 0197f2 --from-call 4 --result @answer.json`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Run(c.Context(), args[0])
				if err != nil {
					return err
				}
				forked, err := n.Runs.Forkable(c.Context(), id, from)
				if err != nil {
					return err
				}
				fork := workflow.Fork{Run: id, FromCall: from}
				if fork.Result, err = cli.ReadInput("--result", result); err != nil {
					return err
				}
				admit := workflow.AdmitRun{Run: app.NewID(), Trigger: workflow.TriggerFork, Fork: &fork}
				if admit.Input, err = cli.ReadInput("--input", input); err != nil {
					return err
				}
				return cli.RunAdmitted(c.Context(), n, forked.Workflow, admit)
			})
		},
	}
	flags := command.Flags()
	flags.IntVar(&from, "from-call", 0, "the first call that is made anew")
	flags.StringVar(&result, "result", "", "what that call answers instead: JSON, @FILE, or -")
	flags.StringVar(&input, "input", "", "another input: JSON, @FILE, or -")
	_ = command.MarkFlagRequired("from-call")
	command.MarkFlagsMutuallyExclusive("result", "input")
	return command
}
