package repo

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
)

func newStopCommand(cli *terminal.CLI) *cobra.Command {
	var stop plan.Stop
	command := &cobra.Command{
		Use: "stop PLAN JOB", Annotations: terminal.Remote(installation.Judge), Short: "End what runs for a job, and hold it", Args: terminal.Takes(2, 2),
		Long: `End what runs for a job: its agent, a check, or a healing, with all that they started. The job is held then, and its
files stay. Relaunch it, have what it did so far checked with 'retry', or drop it. Other jobs go on.`,
		RunE: func(c *cobra.Command, args []string) error {
			stop.Job = args[1]
			return answer(cli, c, args, func() plan.Command { return stop })
		},
	}
	command.Flags().StringVar(&stop.Reason, "reason", "", "why; an agent that is relaunched is told")
	return command
}

func newDropCommand(cli *terminal.CLI) *cobra.Command {
	var drop plan.Drop
	command := &cobra.Command{
		Use: "drop PLAN JOB", Annotations: terminal.Remote(installation.Judge), Short: "Take a job out of a plan; its branch is kept", Args: terminal.Takes(2, 2),
		Long: `Take a job out of a plan that is not to be done, or not by the plan. Nothing of it is merged, and its branch and worktree
are kept. The plan is completed when all other jobs are merged. A job that another one needs is dropped after that one.`,
		RunE: func(c *cobra.Command, args []string) error {
			drop.Job = args[1]
			return answer(cli, c, args, func() plan.Command { return drop })
		},
	}
	command.Flags().StringVar(&drop.Reason, "reason", "", "why, for people who look at the plan later")
	return command
}

func newAddCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "add PLAN FILE", Short: "Add the jobs of a file to a plan that runs", Args: terminal.Takes(2, 2),
		Long: `Add jobs to a plan that runs: those of the file that the plan does not have yet. Write them into the plan's own file, beside
the others. A job may follow one that is merged ('needs'), and may touch the same files as jobs that are over. Jobs that the plan has
are not changed.

A plan runs programs, so jobs are added on the machine of the server.`,
		Example: `  kintsugi repo plan add shop plan.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			definition, err := read(c.Context(), cli, args[1])
			if err != nil {
				return err
			}
			return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
				if _, err := n.Plans.Add(c.Context(), cli.Actor(), id, definition); err != nil {
					return err
				}
				return show(c.Context(), cli, n, id)
			})
		},
	}
}

func newTakeCommand(cli *terminal.CLI) *cobra.Command {
	var into, remote, api string
	var pull bool
	command := &cobra.Command{
		Use: "take PLAN", Short: "Merge what a plan did into its base, or another branch", Args: terminal.Takes(1, 1),
		Long: `Merge what a plan has on its integration branch into the branch where it began, or another one. If that branch has not moved on,
it is put forward to where the plan's verification passed. If it has, a merge is made; one with conflicts is left to you, and nothing is
changed. Where the branch is checked out your own git makes the merge, with your name and hooks. Nothing is pushed.

With --pull-request the branch is not merged here: your own git pushes the integration branch to a remote, and a pull request is opened at GitHub,
Gitea or Forgejo. Its token is the secret "forge" of the API's host (kintsugi secret set forge --all --host api.github.com).

It is done on the machine of the repository. Taken again, a plan gives what it has done since.`,
		Example: `  kintsugi repo plan take shop
  kintsugi repo plan take shop --into release
  kintsugi repo plan take shop --pull-request`,
		RunE: func(c *cobra.Command, args []string) error {
			return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
				if pull {
					asked, err := n.Plans.Pull(c.Context(), id, into, remote, api)
					if err != nil {
						return err
					}
					return cli.Show(asked, func(w io.Writer) {
						fmt.Fprintf(w, "Branch %s is published at %.12s, and pull request %d into %s is %s: %s\n", plain.Line(asked.Branch), asked.Commit, asked.Number, plain.Line(asked.Into), asked.State, plain.Line(asked.URL))
					})
				}
				taken, err := n.Plans.Take(c.Context(), app.By(cli.Actor()), id, into)
				if err != nil {
					return err
				}
				one, err := n.Plans.Get(c.Context(), id)
				if err != nil {
					return err
				}
				return cli.Show(taken, func(w io.Writer) {
					switch {
					case taken.Already:
						fmt.Fprintf(w, "Branch %s has all that the plan did (%.12s).\n", plain.Line(taken.Into), taken.Commit)
					case taken.Forward:
						fmt.Fprintf(w, "Branch %s is at %.12s now, where the plan's verification passed.\n", plain.Line(taken.Into), taken.Commit)
					default:
						fmt.Fprintf(w, "Branch %s is at the merge %.12s now. It had moved on since the plan began, so this merge is not verified: run your checks.\n", plain.Line(taken.Into), taken.Commit)
					}
					if one.Status != string(plan.StatusRunning) && one.Status != "held" {
						fmt.Fprintf(w, "Remove the plan's worktrees and branches with: %s\n", cli.Command("repo plan clean "+id))
					}
				})
			})
		},
	}
	command.Flags().StringVar(&into, "into", "", "the branch (default: the plan's base)")
	command.Flags().BoolVar(&pull, "pull-request", false, "push the branch, and open a pull request at the forge of the remote")
	command.Flags().StringVar(&remote, "remote", "origin", "the remote that is pushed to, with --pull-request")
	command.Flags().StringVar(&api, "forge-api", "", "where the forge's API is (default: GitHub's own for github.com, else /api/v1 of the remote's host)")
	return command
}

func newCleanCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "clean PLAN", Short: "Remove the worktrees and merged branches of a plan that is over", Args: terminal.Takes(1, 1),
		Long: `Remove the worktrees of a plan that is completed or cancelled, and the branches of its jobs that are merged. Branches that are
not merged stay, and what a worktree holds that is in no commit is kept under refs/kintsugi/kept. The history and the outputs stay.`,
		RunE: func(c *cobra.Command, args []string) error {
			return onPlan(cli, c, args[0], func(n *app.Node, id string) error {
				cleaned, err := n.Plans.Clean(c.Context(), id)
				if err != nil {
					return err
				}
				return cli.Show(cleaned, func(w io.Writer) {
					fmt.Fprintf(w, "Worktrees removed: %d. Merged branches removed: %d.\n", len(cleaned.Worktrees), len(cleaned.Branches))
					if len(cleaned.Kept) > 0 {
						fmt.Fprintf(w, "Kept, since what they hold is merged nowhere:\n  %s\n", plain.Clean(strings.Join(cleaned.Kept, "\n  ")))
					}
				})
			})
		},
	}
}
