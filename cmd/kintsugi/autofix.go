package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newAutofixCommand(a *app) *cobra.Command {
	return group("autofix", "Stop all repairs at once, cap what agents spend",
		newAutofixOffCommand(a), newAutofixOnCommand(a), newAutofixStatusCommand(a), newAutofixCapCommand(a))
}

// allowance is what people allow agents, for all workflows at once.
func (n *node) allowance() *agents.Installation {
	return &agents.Installation{Commands: n.commands, Spending: n, Now: n.now}
}

// Spent implements [agents.Spending].
func (n *node) Spent(ctx context.Context, since time.Time) (float64, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return 0, err
	}
	return n.queries.Spent(ctx, since)
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

func newAutofixOffCommand(a *app) *cobra.Command {
	var stop installation.StopRepairs
	var all bool
	var checked func() error
	command := &cobra.Command{
		Use: "off", Short: "Stop all repairs of all workflows, now", Args: takes(0, 0),
		Long: `Stop all repairs of all workflows, on every node that has this store. A repair under way ends
before its next step, and nothing of it is applied. Runs go on; failures are recorded and open a
task, as always, and tasks wait until 'kintsugi autofix on --all'. No budget is spent, and nothing
is handed to you because of it.`,
		Example: `  kintsugi autofix off --all --reason "the gateway moves today"`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checked(); err != nil {
				return err
			}
			return a.changeAutofix(c.Context(), func(n *node) (commands.Result, error) {
				return n.commands.StopRepairs(c.Context(), stop, meta())
			})
		},
	}
	checked = forAll(command.Flags(), &all)
	command.Flags().StringVar(&stop.Reason, "reason", "", "why, for whoever finds them stopped")
	return command
}

func newAutofixOnCommand(a *app) *cobra.Command {
	var resume installation.ResumeRepairs
	var all bool
	var checked func() error
	command := &cobra.Command{
		Use: "on", Short: "Let repairs go on; what waited is worked on", Args: takes(0, 0),
		Example: `  kintsugi autofix on --all`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checked(); err != nil {
				return err
			}
			return a.changeAutofix(c.Context(), func(n *node) (commands.Result, error) {
				return n.commands.ResumeRepairs(c.Context(), resume, meta())
			})
		},
	}
	checked = forAll(command.Flags(), &all)
	command.Flags().StringVar(&resume.Reason, "reason", "", "why, for the history")
	return command
}

func newAutofixCapCommand(a *app) *cobra.Command {
	var perDay, perMonth, perFix float64
	command := &cobra.Command{
		Use: "cap", Short: "Cap what agents may spend in a day, a month, a fix", Args: takes(0, 0),
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
			return a.changeAutofix(c.Context(), func(n *node) (commands.Result, error) {
				return n.commands.ChangeSpendCap(c.Context(), change, meta())
			})
		},
	}
	command.Flags().Float64Var(&perDay, "per-day", 0, "US dollars in a day, counted in UTC; 0 for no cap")
	command.Flags().Float64Var(&perMonth, "per-month", 0, "US dollars in a month; 0 for no cap")
	command.Flags().Float64Var(&perFix, "per-fix", 0, "US dollars in one repair; 0 for no cap")
	return command
}

func newAutofixStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Whether repairs go on, what agents have spent, what waits", Args: takes(0, 0),
		Example: `  kintsugi autofix status -o json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(n *node) error { return a.showAutofix(c.Context(), n) })
		},
	}
}

// changeAutofix also shows what is so now. A data directory is not made for it.
func (a *app) changeAutofix(ctx context.Context, change func(*node) (commands.Result, error)) error {
	return a.with(ctx, func(n *node) error {
		result, err := change(n)
		if err != nil {
			return err
		}
		if err := n.views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		return a.showAutofix(ctx, n)
	})
}

// autofix is what is so for all workflows.
type autofix struct {
	Repairs       string    `json:"repairs"` // on, off, capped
	Reason        string    `json:"reason,omitempty"`
	By            string    `json:"by,omitempty"` // who switched last
	Since         time.Time `json:"since,omitzero"`
	PerDayUSD     float64   `json:"per_day_usd"` // caps; 0 is none
	PerMonthUSD   float64   `json:"per_month_usd"`
	PerFixUSD     float64   `json:"per_fix_usd"`
	SpentDayUSD   float64   `json:"spent_day_usd"`
	SpentMonthUSD float64   `json:"spent_month_usd"`
	// Uncounted is what models used this month whose price is unknown, or nothing.
	Uncounted []projections.Uncounted `json:"uncounted"`
	Until     time.Time               `json:"until,omitzero"` // a reached cap holds
	Waiting   []string                `json:"waiting"`        // workflows whose repair waits for it
}

func (a *app) showAutofix(ctx context.Context, n *node) error {
	shown, err := n.autofix(ctx)
	if err != nil {
		return err
	}
	unpriced, err := a.llm.unpriced()
	if err != nil {
		return err
	}
	return a.show(shown, func(w io.Writer) {
		switch shown.Repairs {
		case "off":
			fmt.Fprintf(w, "Repairs are off on all workflows: by %s %s.\n", briefActor(shown.By), ago(shown.Since, n.now()))
		case "capped":
			fmt.Fprintln(w, "Repairs wait: agents have spent what they may.")
		default:
			fmt.Fprintln(w, "Repairs are on.")
		}
		if shown.Reason != "" {
			fmt.Fprintf(w, "  %s\n", wrapped(shown.Reason, "  ", 96))
		}
		fmt.Fprintf(w, "Spent today       %s\nSpent this month  %s\n",
			spending(shown.SpentDayUSD, shown.PerDayUSD), spending(shown.SpentMonthUSD, shown.PerMonthUSD))
		if shown.PerFixUSD > 0 {
			fmt.Fprintf(w, "In one fix        $%.2f at most\n", shown.PerFixUSD)
		}
		for _, one := range shown.Uncounted {
			fmt.Fprintf(w, "Not counted       %d tokens of %s this month, at no price or one that is unknown: --llm-prices names it\n", one.Tokens, line(one.Model))
		}
		if unpriced != "" {
			fmt.Fprintf(w, "Careful: %s\n", line(unpriced))
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

// warnOfUnpriced says that a cap does not hold the model.
func (a *app) warnOfUnpriced(ctx context.Context, n *node, logger *slog.Logger) error {
	unpriced, err := a.llm.unpriced()
	if err != nil || unpriced == "" {
		return err
	}
	state, err := n.commands.LoadInstallation(ctx)
	if err == nil && state.Capped() {
		logger.Warn(unpriced)
	}
	return err
}

func spending(usd, most float64) string {
	if most == 0 {
		return fmt.Sprintf("$%.2f, no cap", usd)
	}
	return fmt.Sprintf("$%.2f of $%.2f", usd, most)
}

func (n *node) autofix(ctx context.Context) (autofix, error) {
	state, err := n.commands.LoadInstallation(ctx)
	if err != nil {
		return autofix{}, err
	}
	now := n.now()
	spent, err := agents.SpentNow(ctx, n, now)
	if err != nil {
		return autofix{}, err
	}
	uncounted, err := n.queries.Uncounted(ctx, installation.Month.Start(now))
	if err != nil {
		return autofix{}, err
	}
	shown := autofix{
		Repairs: "on", Reason: state.Reason, PerDayUSD: state.PerDayUSD, PerMonthUSD: state.PerMonthUSD, PerFixUSD: state.PerFixUSD,
		SpentDayUSD: spent.DayUSD, SpentMonthUSD: spent.MonthUSD, Uncounted: uncounted, Waiting: []string{},
	}
	if reached := state.Reached(spent, now); len(reached) > 0 {
		shown.Repairs, shown.Until = "capped", reached[0].Until
		shown.Reason = reached[0].String()
	}
	if state.Off {
		shown.Repairs, shown.Reason = "off", state.Reason
	}
	for one, err := range n.commands.History(ctx, []string{installation.Stream}) {
		if err != nil {
			return autofix{}, err
		}
		switch one.Event.(type) {
		case installation.RepairsStopped, installation.RepairsResumed:
			shown.By, shown.Since = one.Metadata.Actor, one.Metadata.RecordedAt
		}
	}
	if shown.Repairs == "on" {
		return shown, nil
	}
	repaired, err := n.queries.Workflows(ctx, projections.WorkflowFilter{Status: workflow.StatusMaintenance})
	if err != nil {
		return autofix{}, err
	}
	for _, one := range repaired {
		shown.Waiting = append(shown.Waiting, one.ID)
	}
	return shown, nil
}

// repairThread is where a repair that is wanted is worked on, empty if none is.
func repairThread(of workflow.State) string {
	if !of.MaintainerWanted() {
		return ""
	}
	return of.Maintenance.Thread
}

// repairWaits says why the repair on a thread cannot go on now, if that is so and there is one.
func (n *node) repairWaits(ctx context.Context, of string) (why string, err error) {
	if of == "" {
		return "", nil
	}
	shown, err := n.autofix(ctx)
	switch {
	case err != nil:
		return "", err
	case shown.Repairs == "off" && shown.Reason == "":
		return "all repairs are switched off. See: kintsugi autofix status", nil
	case shown.Repairs == "off":
		return "all repairs are switched off: " + shown.Reason + ". See: kintsugi autofix status", nil
	case shown.Repairs != "on":
		return shown.Reason + ". See: kintsugi autofix status", nil
	}
	said, err := n.commands.LoadThread(ctx, of)
	if fault.KindOf(err) == fault.NotFound { // nobody has begun
		return "", nil
	}
	if m := said.Missing; err == nil && m != nil {
		why = fmt.Sprintf("the model %s does not answer (%s): %s. It is asked again at %s, if 'kintsugi dev' runs then. See: kintsugi llm check",
			m.Model, m.Kind, m.Detail, m.RetryAt.Local().Format(time.DateTime))
	}
	return why, err
}
