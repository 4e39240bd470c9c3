// Package run has the commands on runs.
package run

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi run'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("run", "Look at runs", newListCommand(cli), newShowCommand(cli), newLogsCommand(cli), newForkCommand(cli), newExemptCommand(cli), newTrustCommand(cli),
		newRetryCommand(cli), newContinueCommand(cli), newRestartCommand(cli), newLeaveCommand(cli), newCancelCommand(cli), newRepairCommand(cli))
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	filter := projections.RunFilter{Limit: 50}
	var of, since, until string
	var labels []string
	var follows bool
	command := &cobra.Command{Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List runs, the newest first", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) (err error) {
			chosen, err := workflow.ParseLabels(labels)
			if err != nil {
				return err
			}
			between, err := app.ParseBetween(since, until, n.Now())
			if err != nil {
				return err
			}
			filter.Labels, filter.Since, filter.Until = chosen.Texts(), between.From, between.Before
			if of != "" {
				if filter.Workflow, err = n.Resolve.Workflow(c.Context(), of); err != nil {
					return err
				}
			}
			filter.Owner = n.Owner
			if follows {
				return followList(c.Context(), cli, n, filter)
			}
			list, err := n.Queries.Runs(c.Context(), filter)
			if err != nil {
				return err
			}
			titles, err := projections.TitlesOf(c.Context(), n.Queries, list, func(r projections.Run) string { return r.Workflow })
			if err != nil {
				return err
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No runs.")
					return
				}
				now := terminal.Local(w, time.Now())
				rows := make([][]string, len(list))
				for i, one := range list {
					rows[i] = []string{one.ID, titles[one.Workflow], one.Version, string(one.Trigger), string(one.Status), plain.Ago(one.Admitted, now), fmt.Sprint(one.Usage.Calls), whatOf(w, one)}
				}
				terminal.Table(w, []string{"ID", "WORKFLOW", "VERSION", "TRIGGER", "STATUS", "ADMITTED", "CALLS", "FAILURE"}, rows)
			})
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "only runs of this workflow")
	command.Flags().StringArrayVar(&labels, "label", nil, "only those with this label, like team=billing; several choose those that have all")
	command.Flags().StringVar(&since, "since", "", "only those that were admitted from then on: how long ago (2h, 7d), a day, a time or a weekday")
	command.Flags().StringVar(&until, "until", "", "only those that were admitted before then")
	command.Flags().StringVar(&filter.Error, "error", "", "only those that failed with this text in their failure")
	terminal.Choose(command.Flags(), &filter.Status, "status", "only those in this status",
		projections.RunAdmitted, projections.RunRunning, projections.RunAsking, projections.RunInDoubt, projections.RunSucceeded, projections.RunFailed, projections.RunCancelled)
	command.Flags().IntVar(&filter.Limit, "limit", 50, "at most so many; 0 for all")
	command.Flags().BoolVar(&follows, "follow", false, "go on with those that come, and those that come to another status, until Ctrl-C")
	return command
}

// whatOf is what there is to say of a run in a list.
func whatOf(w io.Writer, one projections.Run) string {
	switch {
	case !one.DelayedSince.IsZero():
		return fmt.Sprintf("waits since %s: %s; tried again at %s", plain.Ago(one.DelayedSince, terminal.Local(w, time.Now())), one.DelayedBy, terminal.Local(w, one.NextTry).Format(time.TimeOnly))
	case one.Status == projections.RunCancelled:
		return one.Cancelled
	case one.Failure != nil:
		return string(one.Failure.Class) + ": " + one.Failure.String()
	case one.Exempted != "":
		return "left out of proofs: " + one.Exempted
	case len(one.Suspected) > 0 && !one.Trusted:
		return "looks wrong: " + one.Suspected[0]
	}
	return ""
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	var calls bool
	command := &cobra.Command{Use: "show RUN", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show a run: what it called, what came back, how it ended", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Run(c.Context(), args[0])
			if err != nil {
				return err
			}
			if calls {
				return showCalls(c.Context(), cli, n, id)
			}
			shown, err := n.Runs.Get(c.Context(), id)
			if err != nil {
				return err
			}
			return cli.Show(shown, func(w io.Writer) {
				writeRun(w, shown)
				if shown.Unfinished != nil {
					terminal.WriteUnfinished(w, []app.Unfinished{*shown.Unfinished})
				}
				if shown.Retriable {
					fmt.Fprintf(w, "\nIt is over. To have it tried again: kintsugi run retry %s\n", shown.ID)
				}
				if shown.Repairable {
					fmt.Fprintf(w, "\nIts failure is its own. To have the workflow mended of it: kintsugi run repair %s\n", shown.ID)
				}
				if shown.Retry != nil {
					fmt.Fprintln(w)
					terminal.WriteRetry(w, *shown.Retry)
				}
				if len(shown.Changed) > 0 {
					fmt.Fprintln(w, "\nWhat changed since the runs that succeeded")
					terminal.WriteChanged(w, shown.Changed, "")
				}
			})
		})
	}}
	command.Flags().BoolVar(&calls, "calls", false, "as a waterfall: when each call went out, for how long, and what became of it")
	return command
}

func writeRun(w io.Writer, shown app.RunView) {
	row, title, s := shown.Run, shown.Title, shown.State
	fmt.Fprintf(w, "Run       %s\nWorkflow  %s (%s)\nVersion   %s\nTrigger   %s\nStatus    %s\n", row.ID, plain.Line(title), row.Workflow, row.Version, row.Trigger, row.Status)
	if !row.DelayedSince.IsZero() {
		fmt.Fprintf(w, "Waits     since %s: %s. It is tried again at %s, and nothing of it is lost.\n",
			terminal.Local(w, row.DelayedSince).Format(time.DateTime), plain.Line(row.DelayedBy), terminal.Local(w, row.NextTry).Format(time.DateTime))
	}
	if len(row.Labels) > 0 {
		fmt.Fprintf(w, "Labels    %s\n", plain.Line(strings.Join(row.Labels.Texts(), ", ")))
	}
	if row.Continues != "" {
		fmt.Fprintf(w, "Continues %s\n", row.Continues)
	}
	if s.Started() {
		fmt.Fprintf(w, "Input     %s\nClock     %s\n", plain.Line(plain.Short(string(s.Input), 200)), s.Clock.Format(time.RFC3339Nano))
	}
	if len(s.Calls) > 0 {
		fmt.Fprintln(w, "\nCalls")
	}
	for _, call := range s.Calls {
		answer := plain.Short(cmp.Or(string(call.Result), "nothing"), 100)
		switch {
		case call.Error != nil:
			answer = call.Error.Name + ": " + call.Error.Message
		case !call.Returned:
			answer = "never came back"
		}
		if found := resolvedText(call.Resolved); found != "" {
			answer += "  (" + found + ")"
		}
		from := ""
		if call.From != "" {
			from = "  (answered by run " + call.From + ")"
		}
		fmt.Fprintf(w, "  %3d %-5s %s %s%s\n            → %s\n", call.Seq, call.Effect, plain.Line(call.Tool), plain.Line(plain.Short(string(call.Args), 100)), from, plain.Line(answer))
	}
	if f := s.Failure; f != nil {
		fmt.Fprintf(w, "\nFailed (%s): %s\n", f.Class, plain.Indented(f.String(), "  "))
		if f.Stack != "" {
			fmt.Fprintf(w, "  %s\n", plain.Indented(f.Stack, "  "))
		}
	}
	writeSuspicion(w, row, s)
	if row.Status == projections.RunCancelled {
		writeCancelled(w, row, shown.Writes)
	} else if s.Failure == nil && s.Ended {
		fmt.Fprintf(w, "\nOutput\n%s\n", plain.Clean(string(s.Output)))
	}
	if len(s.Log) > 0 {
		fmt.Fprintf(w, "\n%d lines of log: kintsugi run logs %s\n", len(s.Log), row.ID)
	}
}

// writeSuspicion says what makes a run look wrong that did not fail by itself.
func writeSuspicion(w io.Writer, row projections.Run, s run.State) {
	if s.Suspicion == nil {
		return
	}
	head := "It succeeded, and looks wrong: it is no evidence for repairs"
	if s.Failure != nil {
		head = "It was stopped before it wrote, because it looks wrong"
	}
	fmt.Fprintf(w, "\n%s\n", head)
	for _, one := range s.Suspicion.Suspects {
		fmt.Fprintf(w, "  %s\n", plain.Indented(plain.Line(one.Text), "  "))
	}
	if len(s.Suspicion.Write) > 0 {
		fmt.Fprintf(w, "It would have written\n  %s\n", plain.Line(plain.Short(string(s.Suspicion.Write), 400)))
	}
	switch {
	case row.Trusted:
		fmt.Fprintln(w, "A person has said that it is right.")
	case row.Exempted == "" && s.Failure == nil:
		fmt.Fprintf(w, "If it is right: kintsugi run trust %s\nIf not:         kintsugi run exempt %s --reason \"what was wrong\"\n", row.ID, row.ID)
	default:
		fmt.Fprintf(w, "If it is right: kintsugi run trust %s\n", row.ID)
	}
}

// resolvedText says of a write that was in doubt what it was resolved to: the answer is not the host's.
func resolvedText(how string) string {
	switch how {
	case run.ResolvedHappened:
		return "in doubt, and resolved: it happened"
	case run.ResolvedDidNot:
		return "in doubt, and resolved: it did not happen"
	case run.ResolvedSkip:
		return "in doubt, and resolved: go on as if it had happened"
	}
	return ""
}

func newLogsCommand(cli *terminal.CLI) *cobra.Command {
	var follows bool
	command := &cobra.Command{Use: "logs RUN", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show what a run logged", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Run(c.Context(), args[0])
			if err != nil {
				return err
			}
			if follows {
				return followLog(c.Context(), cli, n, id)
			}
			lines, err := n.Runs.Log(c.Context(), id)
			if err != nil {
				return err
			}
			return cli.Show(lines, func(w io.Writer) { writeLines(w, lines) })
		})
	}}
	command.Flags().BoolVar(&follows, "follow", false, "go on with what it logs until it has ended")
	return command
}

func writeLines(w io.Writer, lines []run.LogLine) {
	for _, one := range lines {
		fmt.Fprintf(w, "%-5s %s\n", one.Level, plain.Indented(one.Text, "      "))
	}
}
