package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// decideRun is a command that says what becomes of an unfinished run.
func decideRun(a *app, use, short, long string, decide func(ctx context.Context, n *node, id, run string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			run, err := n.resolveRun(c.Context(), args[0])
			if err != nil {
				return err
			}
			row, err := n.queries.Run(c.Context(), run)
			if err != nil {
				return err
			}
			return decide(c.Context(), n, row.Workflow, run)
		})
	}}
}

func newRunContinueCommand(a *app) *cobra.Command {
	return decideRun(a, "continue RUN", "Have a half-done run go on with the active version, or one that waits for its retry try now",
		`Have a run that failed half done go on with the version that is active now, and wait for what
becomes of it; a run that waits for its retry tries now instead. Its journal answers what it had done, so nothing is written twice: the version must
repeat what was written, in order, before it writes anything else. If it does not, the run ends
there, nothing more was written, and you are asked again.

Exit codes as of 'kintsugi workflow run'.`,
		func(ctx context.Context, n *node, id, run string) error {
			return a.attend(ctx, n, id, run, false, func() (commands.Result, error) {
				return n.commands.ContinueRun(ctx, id, workflow.ContinueRun{Run: run}, meta())
			})
		})
}

func newRunRestartCommand(a *app) *cobra.Command {
	return decideRun(a, "restart RUN", "Start a half-done run again from the beginning, with the same input",
		`Start a run that failed half done again from the beginning, on the version that is active now and
with the same input, and wait for what becomes of it. What it had written is written again.

Exit codes as of 'kintsugi workflow run'.`,
		func(ctx context.Context, n *node, id, run string) error {
			return a.runAdmitted(ctx, n, id, workflow.AdmitRun{Run: newID(), Trigger: workflow.TriggerManual, Restarts: run})
		})
}

func newRunLeaveCommand(a *app) *cobra.Command {
	var note string
	command := decideRun(a, "leave RUN", "Leave a half-done run as it is; give up one that waits for its retry", "", func(ctx context.Context, n *node, id, run string) error {
		result, err := n.commands.LeaveRun(ctx, id, workflow.LeaveRun{Run: run, Note: note}, meta())
		if err != nil {
			return err
		}
		if err := n.views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		return a.show(map[string]string{"run": run, "workflow": id, "note": note}, func(w io.Writer) {
			fmt.Fprintf(w, "Run %s stays as it is.\n", run)
		})
	})
	command.Flags().StringVar(&note, "note", "", "why, or what you did about it, for the history")
	return command
}

// shownUnfinished is a half-done run as people see it.
type shownUnfinished struct {
	Run     string `json:"run"`
	Version string `json:"version"` // that it failed on
	Writes  int    `json:"writes"`  // that it had made
	Problem string `json:"problem"`
	Asked   bool   `json:"asked"` // it waits for a decision; else something goes on with it by itself
}

func (u shownUnfinished) writes() string {
	if u.Writes == 1 {
		return "1 write"
	}
	return fmt.Sprintf("%d writes", u.Writes)
}

func unfinishedOf(s workflow.State) []shownUnfinished {
	shown := []shownUnfinished{}
	for run, u := range s.Unfinished {
		shown = append(shown, shownUnfinished{Run: run, Version: u.Info.Version.String(), Writes: u.Info.Writes, Problem: u.Problem, Asked: u.Asked})
	}
	slices.SortFunc(shown, func(a, b shownUnfinished) int {
		if a.Run < b.Run {
			return -1
		}
		return 1
	})
	return shown
}

// writeRetry says when a failed run is tried again, and what else can become of it.
func writeRetry(w io.Writer, retry workflow.Retry) {
	fmt.Fprintf(w, "Run %s is tried again at %s, if 'kintsugi dev' runs then. 'kintsugi run continue %[1]s' tries now, 'kintsugi run leave %[1]s' gives it up.\n",
		retry.Run, retry.At.Local().Format(time.DateTime))
}

// writeUnfinished says what can become of the runs that wait for a decision.
func writeUnfinished(w io.Writer, runs []shownUnfinished) {
	for _, one := range runs {
		if !one.Asked {
			continue
		}
		fmt.Fprintf(w, "\nRun %s is half done, after %s on version %s: kintsugi run continue, restart or leave %s\n", one.Run, one.writes(), one.Version, one.Run)
	}
}
