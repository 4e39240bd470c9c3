package usage

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
)

func newBalanceCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "balance [OWNER]", Annotations: terminal.RemoteOwned(installation.Read), Short: "What agents may spend for an owner, and whether they wait", Args: terminal.Takes(0, 1),
		Long: `Show an owner's limit and balance, and what agents have spent. Without either nothing is limited
but by 'kintsugi autofix cap'. Without OWNER it is yours.`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				owner, err := cli.OwnerAsked(ownerOf(cli, args))
				if err != nil {
					return err
				}
				return showAccount(c.Context(), cli, n, owner)
			})
		},
	}
}

func newLimitCommand(cli *terminal.CLI) *cobra.Command {
	var perMonth string
	command := &cobra.Command{
		Use: "limit [OWNER]", Annotations: terminal.Remote(installation.Admin), Short: "Limit what agents may spend for an owner in a month", Args: terminal.Takes(0, 1),
		Long: `Limit what agents may spend on the workflows of an owner in a calendar month, counted in UTC. At
the limit the owner's repairs and planners wait until the next month begins or the limit is
raised, and the owner is told once; runs go on.`,
		Example: `  kintsugi usage limit ann --per-month 20
  kintsugi usage limit ann --per-month 0   # none`,
		RunE: func(c *cobra.Command, args []string) error {
			if perMonth == "" {
				return fault.New(fault.Invalid, "name the limit: --per-month 20, or --per-month 0 for none")
			}
			micros, err := money.Parse(perMonth)
			if err != nil {
				return err
			}
			return change(c.Context(), cli, ownerOf(cli, args), func(n *app.Node, owner string) (commands.Result, error) {
				return n.Commands.SetLimit(c.Context(), owner, account.SetLimit{PerMonthMicros: micros, Currency: money.USD}, cli.Meta())
			})
		},
	}
	command.Flags().StringVar(&perMonth, "per-month", "", "US dollars in a month; 0 for no limit")
	return command
}

func newTopUpCommand(cli *terminal.CLI) *cobra.Command {
	var reference string
	command := &cobra.Command{
		Use: "top-up OWNER AMOUNT", Annotations: terminal.Remote(installation.Admin), Short: "Add to an owner's balance what was paid", Args: terminal.Takes(2, 2),
		Long: `Add to an owner's balance what was paid, in US dollars. The first top-up opens the balance: what
agents spend on the owner's workflows from then on is taken from it. At zero they wait until the
next top-up; runs go on. A payment is counted once, by its --reference.`,
		Example: `  kintsugi usage top-up ann 25 --reference "invoice 2026-031"`,
		RunE: func(c *cobra.Command, args []string) error {
			if reference == "" {
				return fault.New(fault.Invalid, "name what was paid, so that it is counted once: --reference \"invoice 2026-031\"")
			}
			micros, err := money.Parse(args[1])
			if err != nil {
				return err
			}
			return change(c.Context(), cli, args[0], func(n *app.Node, owner string) (commands.Result, error) {
				return n.Owners.TopUp(c.Context(), cli.Actor(), owner, reference, micros, money.USD)
			})
		},
	}
	command.Flags().StringVar(&reference, "reference", "", "what the payment is called in the books")
	return command
}

// change also shows what is so now.
func change(ctx context.Context, cli *terminal.CLI, owner string, change func(*app.Node, string) (commands.Result, error)) error {
	return cli.With(ctx, func(n *app.Node) error {
		result, err := change(n, owner)
		if err != nil {
			return err
		}
		if err := n.Views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		return showAccount(ctx, cli, n, owner)
	})
}

func showAccount(ctx context.Context, cli *terminal.CLI, n *app.Node, owner string) error {
	shown, err := n.Owners.Account(ctx, owner)
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) { writeAccount(w, shown) })
}

func writeAccount(w io.Writer, a app.Account) {
	text := func(micros int64) string { return money.Text(micros, money.USD) }
	fmt.Fprintf(w, "Owner       %s\n", plain.Line(a.Owner))
	limit := "no limit"
	if a.LimitMicros > 0 {
		limit = "limit " + text(a.LimitMicros)
	}
	fmt.Fprintf(w, "This month  %s, %s\n", text(a.MonthMicros), limit)
	if a.Opened.IsZero() {
		fmt.Fprintln(w, "Balance     none: what agents spend is paid otherwise")
	} else {
		fmt.Fprintf(w, "Balance     %s: %s paid, %s spent since %s\n", text(a.LeftMicros), text(a.PaidMicros), text(a.SpentMicros), terminal.Local(w, a.Opened).Format(time.DateOnly))
	}
	for _, one := range a.Open {
		fmt.Fprintf(w, "To pay      %s until %s: %s\n", money.Text(one.Micros, one.Currency), terminal.Local(w, one.Until).Format("2006-01-02 15:04"), plain.Line(one.Link))
	}
	if a.Stopped != "" {
		fmt.Fprintf(w, "Agents wait: %s. Runs go on.\n", plain.Line(a.Stopped))
	}
}
