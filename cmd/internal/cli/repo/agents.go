package repo

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
)

func newAgentsCommand(cli *terminal.CLI) *cobra.Command {
	list := newAgentsListCommand(cli)
	group := terminal.Group("agents", "The coding agents that plans can name", list, newAgentsCheckCommand(cli))
	group.RunE = list.RunE
	return group
}

func newAgentsListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The agents that plans can name, and what is missing for each here", Args: terminal.Takes(0, 0),
		Long: `The coding agents that a job can name in the place of a command line ('agent: claude'), whether each is installed on this
machine, and with what it would sign in. Give a job the key of its service as a secret ('secrets: {ANTHROPIC_API_KEY: anthropic}'), or sign in
with the agent itself.`,
		RunE: func(*cobra.Command, []string) error {
			agents := app.CodingAgents()
			return cli.Show(agents, func(w io.Writer) {
				rows := make([][]string, len(agents))
				for i, one := range agents {
					sign := "needs one of " + strings.Join(one.Keys, ", ")
					if one.SignedIn {
						sign = "you are signed in"
					}
					installed := one.Program
					if installed == "" {
						installed = "not installed"
					}
					rows[i] = []string{one.Name, installed, sign}
				}
				terminal.Table(w, []string{"AGENT", "PROGRAM", "SIGN-IN"}, rows)
			})
		},
	}
}

func newAgentsCheckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "check [AGENT...]", Short: "Have each installed agent answer in one word, and say what is missing", Args: terminal.Takes(0, 10),
		Long: `Start each coding agent that is installed here, or those that are named, as a plan would, and have it answer in one word: whether this
version takes the arguments, is signed in, has credit, and reaches its model. It is started in an empty directory, with your sign-in or those of
its keys that are in your environment, and costs one short answer each.`,
		Example: "  kintsugi repo agents check\n  kintsugi repo agents check claude",
		RunE: func(c *cobra.Command, args []string) error {
			all := len(args) == 0
			if all {
				for _, one := range app.CodingAgents() {
					args = append(args, one.Name)
				}
			}
			tried := []app.TriedAgent{}
			for _, name := range args {
				one, err := app.TryAgent(c.Context(), name)
				if err != nil {
					return err
				}
				if one.Program != "" || !all {
					tried = append(tried, one)
				}
			}
			return cli.Show(tried, func(w io.Writer) {
				if len(tried) == 0 {
					fmt.Fprintln(w, "None of the agents is installed: see 'kintsugi repo agents'.")
				}
				for _, one := range tried {
					problem := "works"
					if !one.Works {
						problem = one.Problem
					}
					fmt.Fprintf(w, "%-10s %s\n", one.Name, plain.Line(problem))
				}
			})
		},
	}
}
