package repo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

func newDraftCommand(cli *terminal.CLI) *cobra.Command {
	var repository, agent, to string
	command := &cobra.Command{
		Use: "draft SENTENCE", Short: "Have a model propose a plan for you to edit", Args: terminal.Takes(1, 1),
		Long: `Have a model propose a plan for what you want: jobs, the files that each may touch, and checks. It is told the
names of the repository's files, which of them import which, and the beginning of README.md and of the files
that say how it is built. What it proposes is checked as 'kintsugi repo plan check' does, and it is asked up to
three times for a plan that passes. Nothing is begun: read the plan, edit it, and start it.

The plan is printed, or written to a new file (--to). Exit code 0, or 2 if the last proposal has faults still.`,
		Example: `  kintsugi repo plan draft "Give the shop a page of prices" --to plan.yaml --model gpt-5-mini`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			model, err := cli.LLM.Open()
			if err != nil {
				return err
			}
			if to != "" {
				if _, err := os.Lstat(to); err == nil {
					return fault.New(fault.Conflict, "%s is there already: name another file", to)
				}
			}
			dir, err := filepath.Abs(repository)
			if err != nil {
				return err
			}
			draft, err := app.DraftRepoPlan(c.Context(), model, args[0], dir, agent)
			if err != nil {
				return err
			}
			if to != "" {
				file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
				if err != nil {
					return err
				}
				_, err = io.WriteString(file, draft.Plan)
				if err := errors.Join(err, file.Close()); err != nil {
					return err
				}
			}
			if err := cli.Show(draft, func(w io.Writer) {
				if to == "" {
					fmt.Fprint(w, plain.Clean(draft.Plan))
					return
				}
				fmt.Fprintf(w, "A draft is in %s. Read and edit it, then: %s\n", plain.Line(to), cli.Command("repo plan check "+plain.Quoted(to)))
			}); err != nil {
				return err
			}
			if len(draft.Faults) == 0 {
				return nil
			}
			for _, one := range draft.Faults {
				fmt.Fprintf(cli.Err, "kintsugi: the draft has a fault: %s\n", plain.Line(one.String()))
			}
			return &terminal.ExitError{Code: terminal.ExitUsage}
		},
	}
	flags := command.Flags()
	flags.StringVar(&repository, "repository", ".", "a directory in the repository")
	flags.StringVar(&agent, "agent", "claude", "the agent of each job: a name ('kintsugi repo agents'), or a command that is told the task on its standard input")
	flags.StringVar(&to, "to", "", "write the plan to this file, which is not there yet")
	return command
}
