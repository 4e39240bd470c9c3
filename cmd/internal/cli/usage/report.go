package usage

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newListCommand(cli *terminal.CLI) *cobra.Command {
	var filter projections.UsageFilter
	command := &cobra.Command{Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show what was used and what it cost, by day and workflow", Args: terminal.Takes(0, 0)}
	command.Long = `Show what was used, by day and workflow: runs that ended, how long they took, their calls, the
tokens of models and what they cost in US dollars. A day is one of the workflow's own time zone, and
the figures of a day are those of what ended on it. Without --from it begins with this month.`
	command.Example = `  kintsugi usage list --from 2026-03-01 --to 2026-03-31
  kintsugi usage list --owner ann -o json`
	command.RunE = func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) (err error) {
			if filter.Workflow != "" {
				if filter.Workflow, err = n.Resolve.Workflow(c.Context(), filter.Workflow); err != nil {
					return err
				}
			}
			if filter.Owner, err = cli.OwnerAsked(filter.Owner); err != nil {
				return err
			}
			shown, err := n.Owners.Usage(c.Context(), filter)
			if err != nil {
				return err
			}
			return cli.Show(shown, func(w io.Writer) { writeReport(w, shown) })
		})
	}
	flags := command.Flags()
	flags.StringVar(&filter.Workflow, "workflow", "", "only of this workflow")
	flags.StringVar(&filter.Owner, "owner", "", "only of the workflows of this owner")
	flags.StringVar(&filter.From, "from", "", "the first day, like 2026-03-01; default that of this month")
	flags.StringVar(&filter.To, "to", "", "the last day; default today")
	return command
}

func writeReport(w io.Writer, r app.UsageReport) {
	if len(r.Days) == 0 {
		fmt.Fprintf(w, "Nothing was used from %s to %s.\n", r.From, r.To)
		return
	}
	figures := func(runs, failed int, ms int64, calls int, tokens, micros int64) []string {
		return []string{
			strconv.Itoa(runs), strconv.Itoa(failed), (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String(), strconv.Itoa(calls),
			strconv.FormatInt(tokens, 10), money.Text(micros, money.USD),
		}
	}
	var rows [][]string
	for _, one := range r.Days {
		rows = append(rows, append([]string{one.Day, cmp.Or(one.WorkflowTitle, one.Workflow)}, figures(one.Runs, one.Failed, one.RunMS, one.Calls, one.Tokens, one.Micros)...))
	}
	t := r.Total
	rows = append(rows, append([]string{"total", ""}, figures(t.Runs, t.Failed, t.RunMS, t.Calls, t.Tokens, t.Micros)...))
	terminal.Table(w, []string{"DAY", "WORKFLOW", "RUNS", "FAILED", "TIME", "CALLS", "TOKENS", "COST"}, rows)
}
