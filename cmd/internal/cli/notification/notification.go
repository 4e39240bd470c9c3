// Package notification has the commands on what needs a person, and the inbox.
package notification

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
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi notification'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("notification", "What needs you, and what was mended", newListCommand(cli),
		newAckCommand(cli), newAnswerCommand(cli), newDelegateCommand(cli))
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	var filter projections.NotificationFilter
	var of string
	var all bool
	command := &cobra.Command{Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List notifications: first what needs you, then what only tells", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		filter.Open = !all
		return cli.With(c.Context(), func(n *app.Node) (err error) {
			if of != "" {
				if filter.Workflow, err = n.Resolve.Workflow(c.Context(), of); err != nil {
					return err
				}
			}
			filter.Owner, filter.Operator = n.Owner, n.Owner == ""
			list, err := n.Queries.Notifications(c.Context(), filter)
			if err != nil {
				return err
			}
			decisions := make([]app.Decision, len(list))
			for i, one := range list {
				if decisions[i], err = n.Decisions.Gather(c.Context(), one); err != nil {
					return err
				}
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "Nothing needs you.")
				}
				writeNotifications(w, list, decisions)
			})
		})
	}}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "only those of this workflow")
	terminal.Choose(flags, &filter.Type, "type", "only this type", projections.NotifyError, projections.NotifyFixed, projections.NotifyFixWaiting,
		projections.NotifyEscalated, projections.NotifyMaintenanceFailed, projections.NotifyScriptMessage, projections.NotifyInternal,
		projections.NotifyInDoubt, projections.NotifyQuestion, projections.NotifyInputs, projections.NotifyPlannerStopped, projections.NotifyUnfinished,
		projections.NotifySuspected, projections.NotifyBalance, projections.NotifyDraft, projections.NotifyHealing, projections.NotifyHeldJob, projections.NotifyPlanDone,
		projections.NotifyCheckoutChanged)
	flags.StringVar(&filter.DelegatedTo, "for", "", "only those that were given to this person, or to group:NAME")
	flags.BoolVar(&all, "all", false, "also acknowledged and resolved ones")
	flags.IntVar(&filter.Limit, "limit", 50, "at most so many; 0 for all")
	return command
}

// needsPerson says whether somebody has to do something about it; the others only tell.
func needsPerson(one projections.Notification) bool {
	return one.Resolved.IsZero() && (one.Acknowledged.IsZero() || one.StandsStill) && one.Type != projections.NotifyFixed && one.Type != projections.NotifyScriptMessage
}

// writeNotifications shows what needs a person first: what only tells something would hide it.
func writeNotifications(w io.Writer, list []projections.Notification, decisions []app.Decision) {
	to, now := terminal.ScreenOf(w), terminal.Local(w, time.Now())
	brief := map[string]string{}
	if to.Width > 0 {
		ids := make([]string, len(list))
		for i, one := range list {
			ids[i] = one.ID
		}
		brief = terminal.BriefIDs(ids)
	}
	section := func(title string, needed bool) {
		for i, one := range list {
			if needsPerson(one) != needed {
				continue
			}
			if title != "" {
				fmt.Fprintln(w, to.Paint(terminal.Bold, title))
				title = ""
			}
			fmt.Fprintf(w, "%s  %-18s %s  %s\n    %s\n", cmp.Or(brief[one.ID], one.ID), one.Type, plain.Ago(one.At, now), plain.Line(one.WorkflowTitle), plain.Line(one.Title))
			if one.Text != "" {
				fmt.Fprintf(w, "    %s\n", plain.Wrapped(one.Text, "    ", to.Text(4)))
			}
			if len(one.Options) > 0 {
				fmt.Fprintf(w, "    Choose one: %s\n", plain.Line(strings.Join(one.Options, ", ")))
			}
			writeDecider(w, one, now)
			for _, also := range one.Also {
				if also.Title != one.Title || also.Text != one.Text {
					fmt.Fprintf(w, "    %s: %s\n", plain.Line(also.WorkflowTitle), plain.Line(also.Title))
					if also.Text != "" {
						fmt.Fprintf(w, "      %s\n", plain.Wrapped(also.Text, "      ", to.Text(6)))
					}
				}
			}
			if more := len(one.Also); more > 0 {
				fmt.Fprintf(w, "    %s: first %s, last %s; one by one: kintsugi notification list --all\n", plain.Line(one.Cause.Sentence), plain.Ago(one.Cause.First, now), plain.Ago(one.Cause.Last, now))
				if one.Type == projections.NotifyDraft {
					fmt.Fprintln(w, "    All of them: kintsugi workflow drafts --stale")
				} else if one.Cause.Workflows > 1 {
					fmt.Fprintf(w, "    The same cause in other workflows (%d): kintsugi fix list --group\n", one.Cause.Workflows-1)
				}
			}
			terminal.WriteCandidate(w, one.Workflow, one.Candidate)
			terminal.WriteDecision(decisions[i], w, "    ")
		}
	}
	section("Needs you", true)
	section("Messages", false)
}

func newAckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{Use: "ack NOTIFICATION", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Say that you have seen a notification", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Notification(c.Context(), args[0])
			if err != nil {
				return err
			}
			one, err := n.Queries.Notification(c.Context(), id)
			if err != nil {
				return err
			}
			result, err := n.Decisions.Acknowledge(c.Context(), cli.Meta, n.Owner, one)
			if err != nil {
				return err
			}
			if err := n.Views.WaitFor(c.Context(), result.Position); err != nil {
				return err
			}
			if one, err = n.Queries.Notification(c.Context(), id); err != nil {
				return err
			}
			return cli.Show(one, func(w io.Writer) { fmt.Fprintf(w, "Acknowledged: %s\n", plain.Line(one.Title)) })
		})
	}}
}

func newAnswerCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "answer NOTIFICATION ANSWER", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Answer a question of a script or of the planner, which goes on with that", Args: terminal.Takes(2, 2),
		Long: `Answer a question of a script or of the planner, which goes on with that. Where there are answers to
choose from, a number chooses one.`,
		Example: `  kintsugi notification answer 0197f2 "yes"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Notification(c.Context(), args[0])
				if err != nil {
					return err
				}
				one, err := n.Queries.Notification(c.Context(), id)
				if err != nil {
					return err
				}
				if one.Type != projections.NotifyQuestion {
					return fault.New(fault.Invalid, "notification %s asks nothing: it is of type %s", id, one.Type)
				}
				next, err := n.Decisions.Answer(c.Context(), cli.Meta(), one, args[1])
				if err != nil {
					return err
				}
				if err := n.Views.CatchUp(c.Context()); err != nil {
					return err
				}
				if one, err = n.Queries.Notification(c.Context(), id); err != nil {
					return err
				}
				return cli.Show(one, func(w io.Writer) {
					fmt.Fprintf(w, "Answered: %s\n%s\n", plain.Line(one.Title), next)
				})
			})
		},
	}
}
