// Package repo has the commands on git repositories in which coding agents work.
package repo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/basics/yamlfile"
	"github.com/kintsugi-run/kintsugi/internal/coding/planfile"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi repo'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("repo", "Coding agents at work in git repositories", newAgentsCommand(cli),
		terminal.Group("plan", "Plans whose jobs stay inside the files that they may touch",
			newDraftCommand(cli), newCheckCommand(cli), newStartCommand(cli), newListCommand(cli), newShowCommand(cli), newDiffCommand(cli),
			newAcceptCommand(cli), newRelaunchCommand(cli), newRetryCommand(cli), newLinkCommand(cli), newStopCommand(cli), newDropCommand(cli),
			newAddCommand(cli), newTakeCommand(cli), newCleanCommand(cli), newCancelCommand(cli), newSchemaCommand(cli)))
}

// read reads a plan from a file; a repository that is relative is so to it.
func read(ctx context.Context, cli *terminal.CLI, path string) (plan.Definition, error) {
	text, err := cli.ReadFile(path)
	if err != nil {
		return plan.Definition{}, err
	}
	dir := ""
	if !cli.Elsewhere() {
		if dir, err = os.Getwd(); err != nil {
			return plan.Definition{}, err
		}
		if path != "-" {
			if dir, err = filepath.Abs(filepath.Dir(path)); err != nil {
				return plan.Definition{}, err
			}
		}
	}
	definition, faults, err := app.ReadRepoPlan(ctx, []byte(text), dir)
	if err == nil && len(faults) > 0 {
		err = fault.New(fault.Invalid, "%w", yamlfile.Error(path, faults))
	}
	return definition, err
}

// onPlan has a node do something with the plan that a person named.
func onPlan(cli *terminal.CLI, c *cobra.Command, named string, do func(n *app.Node, id string) error) error {
	return cli.With(c.Context(), func(n *app.Node) error {
		id, err := n.Plans.Resolve(c.Context(), named)
		if err != nil {
			return err
		}
		return do(n, id)
	})
}

func newCheckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Annotations: terminal.Remote(installation.Admin, terminal.Reads("0")), Short: "Check a plan, and say what is wrong with the lines", Args: terminal.Takes(1, 1),
		Long: `Check a plan: its form, that jobs do not need each other in a circle, that jobs which may run at the same
time cannot touch the same file, that the repository, its base and its branches are there. Nothing is begun.`,
		RunE: func(c *cobra.Command, args []string) error {
			definition, err := read(c.Context(), cli, args[0])
			if err != nil {
				return err
			}
			return cli.Show(definition, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s from %s onto %s in %s\n", plain.Line(definition.Title), jobs(len(definition.Jobs)), plain.Line(definition.Base), plain.Line(definition.Integration), definition.Repository)
			})
		},
	}
}

func jobs(count int) string {
	if count == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", count)
}

func newStartCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "start FILE", Short: "Begin a plan", Args: terminal.Takes(1, 1),
		Long: `Begin a plan. A server (kintsugi dev or serve) on this data directory works on it: each job in a worktree
and on a branch of its own, with the environment that the plan gives it and none of the server's. What a
job changes outside of what it may touch is held for you. Finished jobs are merged onto the integration
branch, one after the other, and verified each time; nothing is pushed, and nothing committed to the base.

A plan runs programs, so it is started on the machine of the server.`,
		Example: `  kintsugi repo plan start plan.yaml`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			definition, err := read(c.Context(), cli, args[0])
			if err != nil {
				return err
			}
			n, err := cli.Open(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, n.Close()) }()
			started, err := n.Plans.Start(c.Context(), cli.Actor(), definition)
			if err != nil {
				return err
			}
			return cli.Show(started, func(w io.Writer) {
				fmt.Fprintf(w, "Started plan %s: %s, onto %s\nA server works on it: start 'kintsugi dev' if none runs.\nSee how it goes with: %s\n", started.ID, jobs(len(started.Jobs)), plain.Line(started.Integration), cli.Command("repo plan show "+started.ID))
			})
		},
	}
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Annotations: terminal.Remote(installation.Read), Short: "List plans, newest first", Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				all, err := n.Queries.RepoPlans(c.Context(), projections.RepoPlanFilter{})
				if err != nil {
					return err
				}
				return cli.Show(all, func(w io.Writer) {
					if len(all) == 0 {
						fmt.Fprintln(w, "No plans. Start one with 'kintsugi repo plan start FILE'.")
						return
					}
					rows := make([][]string, len(all))
					for i, one := range all {
						rows[i] = []string{one.ID, one.Title, one.Status, fmt.Sprintf("%d/%d", one.Merged, one.Total), fmt.Sprint(one.Held), one.Integration, terminal.Local(w, one.StartedAt).Format(time.DateTime)}
					}
					terminal.Table(w, []string{"ID", "TITLE", "STATUS", "MERGED", "HELD", "ONTO", "STARTED"}, rows)
				})
			})
		},
	}
}

// whole is a plan with what happened to it.
type whole struct {
	app.RepoPlan
	History []app.HistoryLine `json:"history"`
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "show PLAN", Annotations: terminal.Remote(installation.Read), Short: "Show a plan: its jobs, and what waits for you", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
				return show(c.Context(), cli, n, id)
			})
		},
	}
}

func show(ctx context.Context, cli *terminal.CLI, n *app.Node, id string) error {
	one, err := n.Plans.Get(ctx, id)
	if err != nil {
		return err
	}
	history, err := n.Plans.History(ctx, id)
	if err != nil {
		return err
	}
	moved, err := n.Plans.BaseMoved(ctx, id)
	if err != nil {
		moved = 0 // the repository is elsewhere, or gone: the plan is shown all the same
	}
	return cli.Show(whole{one, history}, func(w io.Writer) {
		line := func(name, format string, args ...any) {
			fmt.Fprintf(w, "%-12s %s\n", name, plain.Line(fmt.Sprintf(format, args...)))
		}
		line("Plan", "%s", one.ID)
		line("Title", "%s", one.Title)
		line("Status", "%s, %d of %d jobs merged", one.Status, one.Merged, len(one.Jobs))
		line("Repository", "%s, from %s onto %s (%.12s)", one.Repository, one.Base, one.Integration, one.Commit)
		if one.Walled {
			line("Wall", "agents reach their worktree and the machine's programs, not your home or checkout")
		} else {
			line("Wall", "none: agents reach what the server's user reaches")
		}
		if moved > 0 {
			line("Base", "%s has moved on since the plan began: %d commits are not on %s", one.Base, moved, one.Integration)
		}
		if one.Status == string(plan.StatusCompleted) {
			line("Take it", "%s", cli.Command("repo plan take "+one.ID))
		}
		fmt.Fprintln(w)
		rows := make([][]string, len(one.Jobs))
		for i, job := range one.Jobs {
			now := job.Running
			if !job.WaitsUntil.IsZero() {
				now = fmt.Sprintf("until %s it %s", terminal.Local(w, job.WaitsUntil).Format(time.DateTime), now)
			}
			if job.Checkpoint != nil {
				now = job.Checkpoint.Reason
			}
			rows[i] = []string{job.ID, job.Status, fmt.Sprint(job.Attempt), plain.Dash(strings.Join(job.Needs, ", ")), plain.Dash(job.Branch), plain.Dash(now)}
		}
		terminal.Table(w, []string{"JOB", "STATUS", "ATTEMPT", "NEEDS", "BRANCH", "NOW"}, rows)
		for _, job := range one.Jobs {
			if len(job.InitLeft) > 0 {
				fmt.Fprintf(w, "\ninit left files in the worktree of %s that no job may have meant, and that no commit gets: %s\nHave git ignore them, or commit them to the base.\n", job.ID, plain.Line(strings.Join(job.InitLeft, ", ")))
				break // it is the same for each
			}
		}
		for _, job := range one.Jobs {
			if job.Flaky != "" {
				fmt.Fprintf(w, "\n%s: %s.\n", job.ID, plain.Line(job.Flaky))
			}
			if job.Checkpoint != nil {
				showCheckpoint(cli, w, one.ID, job)
			}
		}
	})
}

// showCheckpoint says why a job is held, and what can be answered.
func showCheckpoint(cli *terminal.CLI, w io.Writer, id string, job app.RepoJob) {
	held := job.Checkpoint
	fmt.Fprintf(w, "\n%s is held at checkpoint %d (%s, attempt %d): %s\n", job.ID, held.Checkpoint, held.Kind, held.Attempt, plain.Line(held.Reason))
	for _, violation := range held.Violations {
		fmt.Fprintf(w, "  %s (%s): %s\n", plain.Line(violation.Path), violation.Change, plain.Line(violation.Why))
	}
	if more := held.Count - len(held.Violations); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	fmt.Fprintf(w, "  It may touch %s\n", plain.Line(strings.Join(append(held.Allowed, held.MayCreate...), ", ")))
	if healed := held.Healing; healed != nil {
		fmt.Fprintf(w, "  The Healer: %s, %s\n", healed.Outcome, plain.Line(healed.Reason))
		fmt.Fprintf(w, "  What it did, and what it keeps: %s\n", cli.Command("healer show "+healed.Session))
	}
	if job.Worktree != "" {
		fmt.Fprintf(w, "  Its files are in %s, its output in %s\n", job.Worktree, job.Output)
	}
	fmt.Fprintln(w, "Answer with one of:")
	longest := 0
	for _, answer := range held.Answers() {
		longest = max(longest, len(cli.Command(answer.Command(id, job.ID, held.Checkpoint))))
	}
	for _, answer := range held.Answers() {
		fmt.Fprintf(w, "  %-*s   %s\n", longest, cli.Command(answer.Command(id, job.ID, held.Checkpoint)), held.Does(answer))
	}
}

func newDiffCommand(cli *terminal.CLI) *cobra.Command {
	var only bool
	command := &cobra.Command{
		Use: "diff PLAN JOB", Annotations: terminal.Remote(installation.Read), Short: "Show what a job changed", Args: terminal.Takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
				diff, err := n.Plans.JobDiff(c.Context(), id, args[1], only)
				if err != nil {
					return err
				}
				return cli.Show(diff, func(w io.Writer) {
					for line := range strings.Lines(diff.Patch) {
						fmt.Fprintln(w, plain.Clean(strings.TrimSuffix(line, "\n"))) // with its indentation
					}
					if diff.Cut {
						fmt.Fprintf(w, "There is more: git diff %s %s\n", diff.From, diff.To)
					}
				})
			})
		},
	}
	command.Flags().BoolVar(&only, "held", false, "only the files that it is held for")
	return command
}

// answer gives a command about a job of a plan, and shows what became of the plan.
func answer(cli *terminal.CLI, c *cobra.Command, args []string, of func() plan.Command) error {
	return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
		if _, err := n.Commands.OnPlan(c.Context(), id, of(), cli.Meta()); err != nil {
			return err
		}
		return show(c.Context(), cli, n, id)
	})
}

const checkpointHelp = "the checkpoint that you have seen: if the job has moved on, the answer is refused"

func newAcceptCommand(cli *terminal.CLI) *cobra.Command {
	var accept plan.Accept
	command := &cobra.Command{
		Use: "accept PLAN JOB --reason WHY", Annotations: terminal.Remote(installation.Judge), Short: "Let exactly the changes pass that a job is held for, or none", Args: terminal.Takes(2, 2),
		Long: `Let exactly the changes pass that a job is held for: what it changed outside of its touch set, as it is in
the commit that was looked at. It is recorded with your name and the reason. Other jobs that are held stay so,
and the job is still verified before it is merged.

A job that is held because it changed nothing counts as done: nothing was to be changed.`,
		RunE: func(c *cobra.Command, args []string) error {
			accept.Job = args[1]
			return answer(cli, c, args, func() plan.Command { return accept })
		},
	}
	command.Flags().StringVar(&accept.Reason, "reason", "", "why it may pass")
	command.Flags().IntVar(&accept.Checkpoint, "checkpoint", 0, checkpointHelp)
	_ = command.MarkFlagRequired("reason")
	return command
}

func newRelaunchCommand(cli *terminal.CLI) *cobra.Command {
	var relaunch plan.Relaunch
	command := &cobra.Command{
		Use: "relaunch PLAN JOB", Annotations: terminal.Remote(installation.Judge), Short: "Have the agent of a job that is held correct its work", Args: terminal.Takes(2, 2),
		Long: `Launch the agent again in the same worktree and on the same branch. It is told its task, the files that it
was not to change, what it may touch, and to revert those changes without breaking the rest. The attempt counts
up, and at its end the job is checked again.`,
		RunE: func(c *cobra.Command, args []string) error {
			relaunch.Job = args[1]
			return answer(cli, c, args, func() plan.Command { return relaunch })
		},
	}
	command.Flags().StringVar(&relaunch.Note, "note", "", "what the agent is told besides")
	command.Flags().IntVar(&relaunch.Checkpoint, "checkpoint", 0, checkpointHelp)
	return command
}

func newRetryCommand(cli *terminal.CLI) *cobra.Command {
	var retry plan.Retry
	command := &cobra.Command{
		Use: "retry PLAN JOB", Annotations: terminal.Remote(installation.Judge), Short: "Check a job again whose branch you repaired", Args: terminal.Takes(2, 2),
		Long: `Check a job again that is held, after you repaired its files in its worktree. If it is still not right it is held again, and says what remains.`,
		RunE: func(c *cobra.Command, args []string) error {
			retry.Job = args[1]
			return answer(cli, c, args, func() plan.Command { return retry })
		},
	}
	command.Flags().StringVar(&retry.Note, "note", "", "what you did, for later readers")
	command.Flags().IntVar(&retry.Checkpoint, "checkpoint", 0, checkpointHelp)
	return command
}

func newCancelCommand(cli *terminal.CLI) *cobra.Command {
	var cancel plan.Cancel
	command := &cobra.Command{
		Use: "cancel PLAN", Annotations: terminal.Remote(installation.Judge), Short: "End a plan; its branches and worktrees are kept", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return answer(cli, c, args, func() plan.Command { return cancel })
		},
	}
	command.Flags().StringVar(&cancel.Reason, "reason", "", "why, for people who find it cancelled")
	return command
}

func newSchemaCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a plan, for editors", Args: terminal.Takes(0, 0),
		Long:    `Print the JSON Schema of a plan. An editor that knows YAML checks a file whose first line is: # yaml-language-server: $schema=./plan.schema.json`,
		Example: `  kintsugi repo plan schema > plan.schema.json`,
		RunE: func(*cobra.Command, []string) error {
			var schema map[string]any
			if err := json.Unmarshal(planfile.Schema, &schema); err != nil {
				return err
			}
			return cli.Show(schema, func(w io.Writer) { fmt.Fprintf(w, "%s", planfile.Schema) })
		},
	}
}
