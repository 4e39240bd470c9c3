package workflow

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

func newDraftsCommand(cli *terminal.CLI) *cobra.Command {
	var stale, abandoned, archive, keep bool
	var auto, reason string
	command := &cobra.Command{
		Use: "drafts [WORKFLOW]...", Annotations: terminal.RemoteOwned(installation.Edit), Short: "List workflows that were never activated; archive or keep many at once",
		Long: `List workflows that were never activated, those that nobody touched for longest first. A draft is
stale after 3 days without work on it, and abandoned after 7; its owner is asked then, at most once a
week, whether to go on.

--archive archives those that are named, or all that --stale or --abandoned lists ('workflow restore'
takes one out again); --keep says that you go on with them, which begins the days anew. --auto-archive on has drafts of
yours go to the archive by themselves after 30 days, a week after you were told.`,
		Example: `  kintsugi workflow drafts --stale
  kintsugi workflow drafts --abandoned --archive
  kintsugi workflow drafts --auto-archive on`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if archive && keep {
				return fault.New(fault.Invalid, "--archive and --keep exclude each other")
			}
			if (archive || keep) && !stale && !abandoned && len(args) == 0 {
				return fault.New(fault.Invalid, "say which drafts: name them, or --stale (3 days without work) or --abandoned (7 days)")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				if auto != "" {
					me := strings.TrimPrefix(cli.Meta().Actor, "person:")
					if _, err := n.Commands.ChangeDraftArchiving(c.Context(), installation.ChangeDraftArchiving{Owner: me, On: auto == "on"}, cli.Meta()); err != nil {
						return err
					}
				}
				asked := app.DraftsAsked{Reason: reason, Owner: n.Owner}
				switch {
				case abandoned:
					asked.Age = workflow.DraftAbandoned
				case stale:
					asked.Age = workflow.DraftStale
				}
				switch {
				case archive:
					asked.Do = app.DraftArchived
				case keep:
					asked.Do = app.DraftKept
				}
				for _, name := range args {
					id, err := n.Resolve.Workflow(c.Context(), name)
					if err != nil {
						return err
					}
					asked.Named = append(asked.Named, id)
				}
				list, err := n.Workflows.Drafts(c.Context(), cli.Meta, asked)
				if err != nil {
					return err
				}
				now := n.Now()
				return cli.Show(list, func(w io.Writer) { writeDrafts(w, list, now) })
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&stale, "stale", false, "only those that nobody touched for 3 days")
	flags.BoolVar(&abandoned, "abandoned", false, "only those that nobody touched for 7 days")
	flags.BoolVar(&archive, "archive", false, "archive them all")
	flags.BoolVar(&keep, "keep", false, "go on with them all")
	flags.StringVar(&reason, "reason", "", "why they are archived, for the history")
	terminal.Choose(flags, &auto, "auto-archive", "whether your drafts go to the archive after 30 days, with a notice before", "on", "off")
	return command
}

func writeDrafts(w io.Writer, list []app.Draft, now time.Time) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No such drafts.")
		return
	}
	rows := make([][]string, len(list))
	for i, one := range list {
		asked, archives := "-", "-"
		if !one.Prompted.IsZero() {
			asked = plain.Ago(one.Prompted, now)
		}
		if !one.Archives.IsZero() {
			archives = terminal.Local(w, one.Archives).Format(time.DateOnly)
		}
		done := one.Done
		if one.Problem != "" {
			done = one.Problem
		}
		rows[i] = []string{one.ID, one.Title, one.Owner, string(one.Age), plain.Ago(one.Touched, now), asked, archives, done}
	}
	terminal.Table(w, []string{"ID", "TITLE", "OWNER", "AGE", "TOUCHED", "ASKED", "ARCHIVED ON", ""}, rows)
}
