package workflow

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// shownDraft is a draft, and what was done about it.
type shownDraft struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Owner    string            `json:"owner"`
	Age      workflow.DraftAge `json:"age"`
	Touched  time.Time         `json:"touched"`
	Prompted time.Time         `json:"prompted,omitzero"`
	Archives time.Time         `json:"archives,omitzero"` // by itself
	Done     string            `json:"done,omitempty"`    // archived or kept
	Problem  string            `json:"problem,omitempty"` // why it is neither
}

func newDraftsCommand(cli *terminal.CLI) *cobra.Command {
	var stale, abandoned, archive, keep bool
	var auto, reason string
	command := &cobra.Command{
		Use: "drafts [WORKFLOW]...", Short: "List workflows that were never activated; archive or keep many at once",
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
				now := n.Now()
				var filter projections.DraftFilter
				switch {
				case abandoned:
					filter.Untouched = now.Add(-workflow.DraftAbandonedAfter)
				case stale:
					filter.Untouched = now.Add(-workflow.DraftStaleAfter)
				}
				found, err := n.Queries.Drafts(c.Context(), filter)
				if err != nil {
					return err
				}
				if found, err = named(c.Context(), n, found, args); err != nil {
					return err
				}
				list := make([]shownDraft, len(found))
				for i, one := range found {
					list[i] = shownDraft{
						ID: one.ID, Title: one.Title, Owner: one.Owner, Age: workflow.DraftAgeOf(one.Touched, now),
						Touched: one.Touched, Prompted: one.Prompted, Archives: one.Archives,
					}
					var err error
					switch {
					case archive:
						list[i].Done = "archived"
						_, err = n.Commands.ArchiveWorkflow(c.Context(), one.ID, workflow.Archive{Reason: reason, Untouched: one.Touched}, cli.Meta())
					case keep:
						list[i].Done = "kept"
						_, err = n.Commands.KeepDraft(c.Context(), one.ID, workflow.KeepDraft{}, cli.Meta())
					}
					if fault.KindOf(err) == fault.Conflict { // somebody was faster: the others go on
						list[i].Done, list[i].Problem = "", err.Error()
					} else if err != nil {
						return err
					}
				}
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

// named are those of the drafts that a person names; all if they name none.
func named(ctx context.Context, n *app.Node, drafts []projections.Workflow, names []string) ([]projections.Workflow, error) {
	if len(names) == 0 {
		return drafts, nil
	}
	chosen := make([]projections.Workflow, 0, len(names))
	for _, name := range names {
		id, err := n.ResolveWorkflow(ctx, name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(drafts, func(one projections.Workflow) bool { return one.ID == id })
		if i < 0 {
			return nil, fault.New(fault.Conflict, "workflow %q is no such draft: see 'kintsugi workflow drafts'", name)
		}
		chosen = append(chosen, drafts[i])
	}
	return chosen, nil
}

func writeDrafts(w io.Writer, list []shownDraft, now time.Time) {
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
			archives = one.Archives.Local().Format(time.DateOnly)
		}
		done := one.Done
		if one.Problem != "" {
			done = one.Problem
		}
		rows[i] = []string{one.ID, one.Title, one.Owner, string(one.Age), plain.Ago(one.Touched, now), asked, archives, done}
	}
	terminal.Table(w, []string{"ID", "TITLE", "OWNER", "AGE", "TOUCHED", "ASKED", "ARCHIVED ON", ""}, rows)
}
