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

// slotsShown is how many of the coming slots people see who ask for no number of them.
const slotsShown = 3

// mostPreviewed is the most that --preview shows.
const mostPreviewed = 1000

func newScheduleCommand(cli *terminal.CLI) *cobra.Command {
	var change workflow.ChangeSchedule
	var input string
	var remove bool
	var preview int
	command := &cobra.Command{
		Use: "schedule WORKFLOW [SPEC]", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("@input")), Short: "Show, change or remove when a workflow runs", Args: terminal.Takes(1, 2),
		Long: `Show when a workflow runs, or change it. SPEC is one of

  "30 7 * * mon-fri"         minute, hour, day of month, month, day of week
  "15 30 7 * * *"            the same with seconds first
  @hourly @daily @weekly @monthly @yearly
  "every 15m"                each multiple of 15 minutes; also "@every 15m"
  "at 2026-03-01 08:00"      once

The script's input is that of --input, with slot (an ISO time) and zone added.

A time that the clock skips in spring runs once, right after; one that comes twice in autumn runs
once. With a star for the hour, each passing hour counts.

Every slot becomes a run or a recorded skip with its reason. 'kintsugi dev' starts them.

--preview shows the next slots of SPEC, or of the schedule that is set, and changes nothing.`,
		Example: `  kintsugi workflow schedule "Refund report" "30 7 * * mon-fri" --zone Europe/Berlin
  kintsugi workflow schedule "Refund report" "every 15m" --overlap queue --jitter 30s
  kintsugi workflow schedule "Refund report" "0 8 1 * *" --preview 12
  kintsugi workflow schedule "Refund report" --remove`,
		RunE: func(c *cobra.Command, args []string) error {
			previewed := c.Flags().Changed("preview")
			switch {
			case previewed && (preview < 1 || preview > mostPreviewed):
				return fault.New(fault.Invalid, "--preview %d: give a number between 1 and %d", preview, mostPreviewed)
			case previewed && remove:
				return fault.New(fault.Invalid, "--preview changes nothing: leave --remove out")
			}
			if remove && len(args) == 2 {
				return fault.New(fault.Invalid, "--remove takes the schedule away: give no SPEC with it")
			}
			if len(args) == 2 && args[1] == "" {
				return fault.New(fault.Invalid, "SPEC is empty: write when it runs, or take the schedule away with --remove")
			}
			if len(args) == 1 && !remove {
				for _, flag := range []string{"zone", "input", "overlap", "catch-up", "window", "jitter"} {
					if c.Flags().Changed(flag) {
						return fault.New(fault.Invalid, "--%s is of a schedule: give its SPEC too", flag)
					}
				}
			}
			if change.Zone != "" {
				if err := app.CheckZone(change.Zone); err != nil {
					return err
				}
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if len(args) == 2 {
					change.Spec = args[1]
					if change.Input, err = cli.ReadInput("--input", input); err != nil {
						return err
					}
				}
				state, err := n.Commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				if previewed {
					return previewSchedule(cli, state, change, preview, n.Now())
				}
				if len(args) == 2 {
					if err := app.CheckComes(state, change, n.Now()); err != nil {
						return err
					}
				}
				if len(args) == 2 || remove {
					if _, err := n.Commands.ChangeSchedule(c.Context(), id, change, cli.Meta()); err != nil {
						return err
					}
					if state, err = n.Commands.LoadWorkflow(c.Context(), id); err != nil {
						return err
					}
				}
				shown, err := app.ScheduledOf(state, n.Now(), slotsShown)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeScheduled(w, state, shown) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&change.Zone, "zone", "", "IANA time zone (default the workflow's)")
	flags.StringVar(&input, "input", "", "the input of each run: JSON, @FILE, or - for standard input")
	terminal.Choose(flags, &change.Overlap, "overlap", "what a slot does while a run goes on or waits for its retry (queue keeps the newest; with --catch-up all, all of them)", workflow.OverlapSkip, workflow.OverlapQueue)
	terminal.Choose(flags, &change.CatchUp, "catch-up", "which slots run that no server was there for", workflow.CatchUpLast, workflow.CatchUpNone, workflow.CatchUpAll)
	flags.DurationVar(&change.Window, "window", 0, "how far back --catch-up all goes (default 24h)")
	flags.DurationVar(&change.Jitter, "jitter", 0, "start up to this much later, to spread the load")
	flags.BoolVar(&remove, "remove", false, "run by hand only")
	flags.IntVar(&preview, "preview", 0, "change nothing: show the next so many slots")
	return command
}

// previewSchedule shows the coming slots of a schedule, the workflow's own if change names none.
func previewSchedule(cli *terminal.CLI, state workflow.State, change workflow.ChangeSchedule, slots int, now time.Time) error {
	state = app.Proposed(state, change)
	shown, err := app.ScheduledOf(state, now, slots)
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) {
		writeScheduled(w, state, shown)
		if change.Spec != "" {
			fmt.Fprintln(w, "Nothing was changed.")
		}
	})
}

func writeScheduled(w io.Writer, s workflow.State, shown app.Scheduled) {
	if shown.Spec == "" {
		fmt.Fprintf(w, "%s runs by hand only.\n", plain.Line(s.Title))
		return
	}
	fmt.Fprintf(w, "%s runs %q, zone %s.\n", plain.Line(s.Title), shown.Spec, shown.Zone)
	for _, at := range shown.Next {
		fmt.Fprintf(w, "  %s\n", at.Format("Mon 2006-01-02 15:04:05 MST"))
	}
	if len(shown.Next) == 0 {
		fmt.Fprintln(w, "  never again")
	}
	var details []string
	for _, one := range []struct{ name, value string }{
		{"overlap", string(shown.Overlap)}, {"catch-up", string(shown.CatchUp)}, {"window", shown.Window}, {"jitter", shown.Jitter},
		{"input", plain.Short(string(shown.Input), 200)},
	} {
		if one.value != "" {
			details = append(details, one.name+" "+one.value)
		}
	}
	if len(details) > 0 {
		fmt.Fprintf(w, "With %s.\n", strings.Join(details, ", "))
	}
	if len(shown.Next) > 0 && s.Status != workflow.StatusActive {
		fmt.Fprintf(w, "It is %s: until it is active, slots do not run.\n", s.Status)
	}
}
