package workflow

import (
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
	"github.com/kintsugi-run/kintsugi/projections"
)

func newTimelineCommand(cli *terminal.CLI) *cobra.Command {
	var significance, kinds []string
	var by, since, until string
	var before, open int64
	var remember bool
	limit := 50
	command := &cobra.Command{
		Use: "timeline WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read), Short: "Tell what happened to a workflow, the newest first, with what is routine folded",
		Long: `Tell what happened to a workflow, a sentence for each thing that matters, the newest first. What is
routine in between (runs that succeeded, retries, skipped slots) is folded into one line with counts;
--open N tells it one by one, where N is the number of that line. 'kintsugi history' shows every event.

--remember keeps --significance and --kind as what you want to see, until you choose again; given with
neither of them it forgets your choice.`,
		Example: `  kintsugi workflow timeline "Refund report"
  kintsugi workflow timeline "Refund report" --significance person_facing,notable --remember
  kintsugi workflow timeline "Refund report" --kind fix --since monday
  kintsugi workflow timeline "Refund report" --open 812`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			filter := projections.TimelineFilter{Kinds: kinds, Actor: by, Before: before, Limit: limit}
			for _, one := range significance {
				filter.Significance = append(filter.Significance, projections.Significance(one))
			}
			if err := knownChoice(filter); err != nil {
				return err
			}
			if limit < 1 {
				return fault.New(fault.Invalid, "--limit %d: ask for at least one entry", limit)
			}
			return cli.With(c.Context(), func(n *app.Node) (err error) {
				if since != "" {
					if filter.Since, err = app.ParseSince(since, n.Now()); err != nil {
						return err
					}
				}
				if until != "" {
					if filter.Until, err = app.ParseSince(until, n.Now()); err != nil {
						return err
					}
				}
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				filter.Workflow = id
				viewer := cli.Meta().Actor
				if remember {
					if _, err := n.Commands.ChooseTimeline(c.Context(), installation.ChooseTimeline{Viewer: viewer, Significance: significance, Kinds: kinds}, cli.Meta()); err != nil {
						return err
					}
				} else if len(significance)+len(kinds) == 0 {
					state, err := n.Commands.LoadInstallation(c.Context())
					if err != nil {
						return err
					}
					chosen := state.TimelineOf(viewer)
					filter.Kinds = chosen.Kinds
					for _, one := range chosen.Significance {
						filter.Significance = append(filter.Significance, projections.Significance(one))
					}
				}
				var page projections.TimelinePage
				if open > 0 {
					page, err = n.History.Routine(c.Context(), id, open, before, limit)
				} else {
					page, err = n.Queries.Timeline(c.Context(), filter)
				}
				if err != nil {
					return err
				}
				return cli.Show(page, func(w io.Writer) { writeTimeline(w, page, id, open) })
			})
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&significance, "significance", nil, "only these: person_facing, notable, routine")
	flags.StringSliceVar(&kinds, "kind", nil, "only these: "+strings.Join(projections.TimelineKinds, ", "))
	flags.StringVar(&by, "by", "", "only what this actor did, like person:ann")
	flags.StringVar(&since, "since", "", "only from a day, a time or a weekday on")
	flags.StringVar(&until, "until", "", "only up to then")
	flags.Int64Var(&before, "before", 0, "the next page: what comes before this number")
	flags.Int64Var(&open, "open", 0, "the number of a folded line, to tell what it holds")
	flags.IntVar(&limit, "limit", limit, "how many entries to tell")
	flags.BoolVar(&remember, "remember", false, "keep --significance and --kind as your choice")
	return command
}

// knownChoice says what is no significance or no kind.
func knownChoice(filter projections.TimelineFilter) error {
	all := []projections.Significance{projections.PersonFacing, projections.Notable, projections.Routine}
	for _, one := range filter.Significance {
		if !slices.Contains(all, one) {
			return fault.New(fault.Invalid, "--significance %q: choose from person_facing, notable and routine", one)
		}
	}
	for _, one := range filter.Kinds {
		if !slices.Contains(projections.TimelineKinds, one) {
			return fault.New(fault.Invalid, "--kind %q: choose from %s", one, strings.Join(projections.TimelineKinds, ", "))
		}
	}
	return nil
}

func writeTimeline(w io.Writer, page projections.TimelinePage, id string, open int64) {
	if len(page.Entries) == 0 {
		fmt.Fprintln(w, "Nothing of that kind happened.")
		return
	}
	rows := make([][]string, len(page.Entries))
	for i, one := range page.Entries {
		number, mark := fmt.Sprint(one.Number), ""
		if open > 0 {
			number = fmt.Sprint(one.First)
		}
		switch one.Significance {
		case projections.PersonFacing:
			mark = "!"
		case projections.Routine:
			mark = "·"
		}
		rows[i] = []string{number, terminal.Local(w, one.At).Format(time.DateTime), mark, one.Kind, plain.Line(one.Text)}
	}
	terminal.Table(w, []string{"NO", "TIME", "", "KIND", "WHAT"}, rows)
	if page.Next > 0 {
		more := ""
		if open > 0 {
			more = fmt.Sprintf(" --open %d", open)
		}
		fmt.Fprintf(w, "and more: kintsugi workflow timeline %s%s --before %d\n", id, more, page.Next)
	}
}
