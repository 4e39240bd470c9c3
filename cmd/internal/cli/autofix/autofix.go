// Package autofix has the commands that stop all repairs at once, and cap what agents spend.
package autofix

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// NewCommand is 'kintsugi autofix'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("autofix", "Stop all repairs at once, cap what agents spend",
		newOffCommand(cli), newOnCommand(cli), newStatusCommand(cli), newCapCommand(cli))
}

// forAll refuses a switch of all workflows that does not say so.
func forAll(flags *pflag.FlagSet, all *bool) func() error {
	flags.BoolVar(all, "all", false, "of all workflows, on every node; without it nothing is done")
	return func() error {
		if !*all {
			return fault.New(fault.Invalid, "this is for all workflows at once: say --all. For one: kintsugi workflow settings WORKFLOW --auto-fix")
		}
		return nil
	}
}

func newOffCommand(cli *terminal.CLI) *cobra.Command {
	var stop installation.StopRepairs
	var all bool
	var checked func() error
	command := &cobra.Command{
		Use: "off", Annotations: terminal.Remote(installation.Admin), Short: "Stop all repairs of all workflows, now", Args: terminal.Takes(0, 0),
		Long: `Stop all repairs of all workflows, on every node that has this store. A repair under way ends
before its next step, and nothing of it is applied. Runs go on; failures are recorded and open a
task, as always, and tasks wait until 'kintsugi autofix on --all'. No budget is spent, and nothing
is handed to you because of it.`,
		Example: `  kintsugi autofix off --all --reason "the gateway moves today"`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checked(); err != nil {
				return err
			}
			return changeAutofix(c.Context(), cli, func(n *app.Node) (commands.Result, error) {
				return n.Commands.StopRepairs(c.Context(), stop, cli.Meta())
			})
		},
	}
	checked = forAll(command.Flags(), &all)
	command.Flags().StringVar(&stop.Reason, "reason", "", "why, for people who find them stopped")
	return command
}

func newOnCommand(cli *terminal.CLI) *cobra.Command {
	var resume installation.ResumeRepairs
	var all bool
	var checked func() error
	command := &cobra.Command{
		Use: "on", Annotations: terminal.Remote(installation.Admin), Short: "Let repairs go on; what waited is worked on", Args: terminal.Takes(0, 0),
		Example: `  kintsugi autofix on --all`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checked(); err != nil {
				return err
			}
			return changeAutofix(c.Context(), cli, func(n *app.Node) (commands.Result, error) {
				return n.Commands.ResumeRepairs(c.Context(), resume, cli.Meta())
			})
		},
	}
	checked = forAll(command.Flags(), &all)
	command.Flags().StringVar(&resume.Reason, "reason", "", "why, for the history")
	return command
}

func newCapCommand(cli *terminal.CLI) *cobra.Command {
	var perDay, perMonth, perFix float64
	command := &cobra.Command{
		Use: "cap", Annotations: terminal.Remote(installation.Admin), Short: "Cap what agents may spend in a day, a month, a fix", Args: terminal.Takes(0, 0),
		Long: `Cap what all agents together may spend, in US dollars as the price table of models counts them. A
model whose price is unknown counts nothing, which is said: name its price with --llm-prices.
At a cap no repair starts or goes on, and no model is asked, until the next day or month begins in
UTC or the cap is raised; you are told once. Calls that are out at that moment are still paid.

--per-fix is for one repair of one workflow, with all its corrections: at it the model is asked no
more, and you get what was found so far.`,
		Example: `  kintsugi autofix cap --per-day 5 --per-month 60
  kintsugi autofix cap --per-fix 0.50
  kintsugi autofix cap --per-day 0      # none`,
		RunE: func(c *cobra.Command, _ []string) error {
			var change installation.ChangeSpendCap
			if c.Flags().Changed("per-day") {
				change.PerDayUSD = &perDay
			}
			if c.Flags().Changed("per-month") {
				change.PerMonthUSD = &perMonth
			}
			if c.Flags().Changed("per-fix") {
				change.PerFixUSD = &perFix
			}
			return changeAutofix(c.Context(), cli, func(n *app.Node) (commands.Result, error) {
				return n.Commands.ChangeSpendCap(c.Context(), change, cli.Meta())
			})
		},
	}
	command.Flags().Float64Var(&perDay, "per-day", 0, "US dollars in a day, counted in UTC; 0 for no cap")
	command.Flags().Float64Var(&perMonth, "per-month", 0, "US dollars in a month; 0 for no cap")
	command.Flags().Float64Var(&perFix, "per-fix", 0, "US dollars in one repair; 0 for no cap")
	return command
}

func newStatusCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "status", Annotations: terminal.Remote(installation.Read), Short: "Whether repairs go on, what agents have spent, what waits", Args: terminal.Takes(0, 0),
		Example: `  kintsugi autofix status -o json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error { return showAutofix(c.Context(), cli, n) })
		},
	}
}

// changeAutofix also shows what is so now. A data directory is not made for it.
func changeAutofix(ctx context.Context, cli *terminal.CLI, change func(*app.Node) (commands.Result, error)) error {
	return cli.With(ctx, func(n *app.Node) error {
		result, err := change(n)
		if err != nil {
			return err
		}
		if err := n.Views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		return showAutofix(ctx, cli, n)
	})
}

func showAutofix(ctx context.Context, cli *terminal.CLI, n *app.Node) error {
	shown, err := n.Fixes.Autofix(ctx)
	if err != nil {
		return err
	}
	unpriced, err := cli.LLM.Unpriced()
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		switch shown.Repairs {
		case "off":
			fmt.Fprintf(w, "Repairs are off on all workflows: by %s %s.\n", terminal.BriefActor(shown.By), plain.Ago(shown.Since, n.Now()))
		case "capped":
			fmt.Fprintln(w, "Repairs wait: agents have spent what they may.")
		default:
			fmt.Fprintln(w, "Repairs are on.")
		}
		if shown.Reason != "" {
			fmt.Fprintf(w, "  %s\n", plain.Wrapped(shown.Reason, "  ", 96))
		}
		fmt.Fprintf(w, "Spent today       %s\nSpent this month  %s\n",
			spending(shown.SpentDayUSD, shown.PerDayUSD), spending(shown.SpentMonthUSD, shown.PerMonthUSD))
		if shown.PerFixUSD > 0 {
			fmt.Fprintf(w, "In one fix        $%.2f at most\n", shown.PerFixUSD)
		}
		for _, one := range shown.Uncounted {
			fmt.Fprintf(w, "Not counted       %d tokens of %s this month, at no price or one that is unknown: --llm-prices names it\n", one.Tokens, plain.Line(one.Model))
		}
		if unpriced != "" {
			fmt.Fprintf(w, "Careful: %s\n", plain.Line(unpriced))
		}
		for _, id := range shown.Waiting {
			fmt.Fprintf(w, "Waits: workflow %s\n", id)
		}
		switch shown.Repairs {
		case "off":
			fmt.Fprintln(w, "Go on with: kintsugi autofix on --all")
		case "capped":
			fmt.Fprintln(w, "Go on at once with: kintsugi autofix cap --per-day USD --per-month USD")
		}
	})
}

func spending(usd, most float64) string {
	if most == 0 {
		return fmt.Sprintf("$%.2f, no cap", usd)
	}
	return fmt.Sprintf("$%.2f of $%.2f", usd, most)
}
