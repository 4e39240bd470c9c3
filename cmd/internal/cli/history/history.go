// Package history has the command that shows every event of a workflow, and the workflow as it was.
package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// NewCommand is 'kintsugi history'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var at, diff string
	var revision int64
	var verify, all bool
	command := &cobra.Command{
		Use: "history WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read),
		Short: "Show every event of a workflow, in order",
		Long: `Show every event of a workflow: its transitions and, with --all or as JSON, every call of
every run and every message of every repair.

--at shows the workflow as it was, with its keys and files, and what is different now: after
a version first became active, after an event (its revision, REV), or at a time. A time
without a zone is local. --at-revision names an event and nothing else.
--diff A..B shows what changed between two such moments: state, settings, script, keys and
files, and the runs in between. Without B it is up to now.
Events are checked against their hash chain before the command ends: exit code 20 if they are not what was recorded.
--verify checks the chains of every stream of the workflow first, and shows nothing if one is broken.

Of a coding agent's session, session-ID, it shows every event.`,
		Example: `  kintsugi history "Refund report"
  kintsugi history "Refund report" --at 1.1
  kintsugi history "Refund report" --at "2026-03-01 08:00"
  kintsugi history "Refund report" --diff 1.0..1.1
  kintsugi history "Refund report" --diff "2026-03-01 08:00.."
  kintsugi history "Refund report" --verify -o jsonl`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("at-revision") {
				if at != "" {
					return fault.New(fault.Invalid, "--at and --at-revision exclude each other")
				}
				if revision < 0 {
					return fault.New(fault.Invalid, "--at-revision %d: revisions begin with 0", revision)
				}
				at = strconv.FormatInt(revision, 10)
			}
			if at != "" && diff != "" {
				return fault.New(fault.Invalid, "--at and --diff exclude each other")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				if strings.HasPrefix(args[0], session.StreamPrefix) {
					if n.Owner != "" {
						return fault.New(fault.Forbidden, "sessions of coding agents are of the whole installation, and your token is for the workflows of %s only", n.Owner)
					}
					if at+diff != "" {
						return fault.New(fault.Invalid, "--at and --diff are about workflows: of a session there are its events")
					}
					return showSession(c.Context(), cli, n, args[0], verify)
				}
				id, err := n.Resolve.RecordedWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				streams, err := n.History.Streams(c.Context(), id)
				if err != nil {
					return err
				}
				if verify {
					if err := n.History.VerifyChains(c.Context(), streams); err != nil {
						return err
					}
				}
				recorded, err := n.History.Events(c.Context(), id, streams, all || at+diff != "" || cli.Format != terminal.FormatText)
				if err != nil {
					return err
				}
				switch {
				case diff != "":
					err = showChange(cli, id, recorded, diff, n.Zone())
				case at != "":
					err = showMoment(cli, id, recorded, at, all || cli.Format != terminal.FormatText, n.Zone())
				default:
					err = showHistory(cli, recorded, n.Zone())
				}
				if !verify { // what is shown is at least what was recorded
					shown := streams
					if !all && at+diff == "" && cli.Format == terminal.FormatText {
						shown = []string{workflow.Stream(id)}
					}
					err = errors.Join(err, n.History.VerifyChains(c.Context(), shown))
				}
				if err == nil && verify {
					fmt.Fprintf(cli.Err, "The hash chains of all %d streams are whole.\n", len(streams))
				}
				return err
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&at, "at", "", "a version (1.1), a revision (14) or a time: stop there, show the state and what differs now")
	flags.Int64Var(&revision, "at-revision", 0, "a revision of the workflow's stream: as --at")
	flags.StringVar(&diff, "diff", "", "FROM..TO, each as for --at: what changed in between; without TO, until now")
	flags.BoolVar(&verify, "verify", false, "check the hash chains first")
	flags.BoolVar(&all, "all", false, "also what runs did and agents said")
	return command
}

// showSession shows every event of a coding agent's session.
func showSession(ctx context.Context, cli *terminal.CLI, n *app.Node, stream string, verify bool) error {
	if verify {
		if err := n.History.VerifyChains(ctx, []string{stream}); err != nil {
			return err
		}
	}
	recorded, err := n.History.Events(ctx, "", []string{stream}, true)
	if err != nil {
		return err
	}
	if len(recorded) == 0 {
		return fault.New(fault.NotFound, "there is no %s: see 'kintsugi healer list'", stream)
	}
	if err := showHistory(cli, recorded, n.Zone()); err != nil {
		return err
	}
	if verify {
		fmt.Fprintln(cli.Err, "The hash chain of the session is whole.")
	}
	return nil
}

func showHistory(cli *terminal.CLI, recorded []event.Recorded, in *time.Location) error {
	lines, err := app.HistoryLines(recorded, in)
	if err != nil {
		return err
	}
	return cli.Show(lines, func(w io.Writer) { writeHistory(w, lines) })
}

func writeHistory(w io.Writer, lines []app.HistoryLine) {
	rows := make([][]string, len(lines))
	for i, one := range lines {
		rows[i] = []string{
			fmt.Sprint(one.Revision), terminal.Local(w, one.Metadata.RecordedAt).Format("2006-01-02 15:04:05.000"),
			one.Type, terminal.BriefActor(one.Metadata.Actor), one.Summary,
		}
	}
	terminal.Table(w, []string{"REV", "TIME", "EVENT", "ACTOR", "WHAT"}, rows)
}

// showMoment shows a workflow as it was, and what is different now.
func showMoment(cli *terminal.CLI, id string, recorded []event.Recorded, at string, all bool, in *time.Location) error {
	shown, later, err := app.MomentOf(id, recorded, at, all, in)
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		writeHistory(w, shown.Events)
		writeMoment(w, shown, later)
	})
}

// showChange shows what changed between two moments.
func showChange(cli *terminal.CLI, id string, recorded []event.Recorded, between string, in *time.Location) error {
	change, err := app.ChangeOf(id, recorded, between, in)
	if err != nil {
		return err
	}
	return cli.Show(change, func(w io.Writer) { writeChange(w, change) })
}
