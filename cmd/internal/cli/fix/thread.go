package fix

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newThreadCommand(cli *terminal.CLI) *cobra.Command {
	var said bool
	command := &cobra.Command{
		Use: "thread FIX", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show everything that was done about a failure: candidates, verdicts, attempts, cost", Args: terminal.Takes(1, 1),
		Long: `Show everything that was done about one failure: what was tried and what the gate said of each
candidate, the fixes that came of it, what it cost and how it ended; with --said also the
conversation with the model. FIX may also be the failed run, or the task of a repair that handed nothing in.`,
		Example: `  kintsugi fix thread 3f0c… --said`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				shown, err := n.Fixes.Repair(c.Context(), args[0])
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeRepair(w, shown, said) })
			})
		},
	}
	command.Flags().BoolVar(&said, "said", false, "also what was said, message by message")
	return command
}

func writeRepair(w io.Writer, r app.Repair, said bool) {
	fmt.Fprintf(w, "Repair of %s, version %s: %s\n", plain.Line(r.WorkflowTitle), plain.Dash(r.Base), r.Outcome)
	if r.Failure != nil {
		fmt.Fprintf(w, "  run %s failed (%s): %s\n", r.Run, r.Failure.Class, plain.Line(r.Failure.String()))
	}
	if r.Attached > 0 {
		fmt.Fprintf(w, "  %d further failures joined it\n", r.Attached)
	}
	fmt.Fprintf(w, "  opened %s", terminal.Local(w, r.Opened).Format(time.DateTime))
	if !r.Closed.IsZero() {
		fmt.Fprintf(w, ", closed %s", terminal.Local(w, r.Closed).Format(time.DateTime))
	}
	fmt.Fprintf(w, "\n  cost %s: %d tokens, %d answers of %s\n", money.Text(money.FromUSD(r.CostUSD), money.USD), r.Tokens, r.Turns, cmp.Or(plain.Line(r.Model), "no model"))
	if r.Missing != "" {
		fmt.Fprintf(w, "  %s\n", plain.Line(r.Missing))
	}
	if r.Explanation != "" {
		fmt.Fprintf(w, "  %s\n", plain.Wrapped(r.Explanation, "  ", 96))
	}
	for _, one := range r.Candidates {
		fmt.Fprintf(w, "\nCandidate %d of %s: %s\n  %s: %s\n", one.Candidate, plain.Line(one.Fixer), one.Verdict, plain.Line(one.Comment), cmp.Or(plain.Line(one.Divergence), "nothing came out otherwise"))
		for _, reason := range one.Reasons {
			fmt.Fprintf(w, "  %s\n", plain.Wrapped(reason, "  ", 96))
		}
		fmt.Fprint(w, plain.Clean(one.Diff))
	}
	if len(r.Attempts) > 0 {
		fmt.Fprintln(w, "\nHanded in")
	}
	for _, one := range r.Attempts {
		fmt.Fprintf(w, "  %s  %s, attempt %d of %d, %s: kintsugi fix show %s\n", one.State, plain.Line(one.Change()), one.Attempt, one.Budget, plain.Dash(one.Version), one.Proposal)
	}
	if said {
		fmt.Fprintln(w, "\nSaid")
		for _, one := range r.Conversation {
			writeEntry(w, one)
		}
	}
}

func writeEntry(w io.Writer, one projections.ThreadEntry) {
	line := func(who, text string) {
		fmt.Fprintf(w, "  %s %-9s %s\n", terminal.Local(w, one.At).Format(time.TimeOnly), who, plain.Indented(text, "                     "))
	}
	switch {
	case one.Message != nil:
		line(one.Message.Role, one.Message.Text)
	case one.Invoked != nil:
		line("calls", one.Invoked.Tool+" "+plain.Short(string(one.Invoked.Args), 300))
	case one.Resulted != nil:
		line("answer", plain.Short(cmp.Or(one.Resulted.Error, string(one.Resulted.Result)), 300))
	case one.Candidate != nil:
		line("judged", fmt.Sprintf("candidate %d: %s", one.Candidate.Candidate, one.Candidate.Verdict))
	case one.Unavailable != nil:
		line("no answer", one.Unavailable.Model+": "+one.Unavailable.Kind+" "+one.Unavailable.Detail)
	}
}
