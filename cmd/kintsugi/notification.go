package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newNotificationCommand(a *app) *cobra.Command {
	return group("notification", "What needs you, and what was mended", newNotificationListCommand(a),
		newNotificationAckCommand(a), newNotificationAnswerCommand(a))
}

func newNotificationListCommand(a *app) *cobra.Command {
	// Who has the data directory at hand is its operator.
	filter := projections.NotificationFilter{Operator: true}
	var of string
	var all bool
	command := &cobra.Command{Use: "list", Short: "List notifications: first what needs you, then what only tells", Args: takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		filter.Open = !all
		return a.with(c.Context(), func(n *node) (err error) {
			if of != "" {
				if filter.Workflow, err = n.resolveWorkflow(c.Context(), of); err != nil {
					return err
				}
			}
			list, err := n.queries.Notifications(c.Context(), filter)
			if err != nil {
				return err
			}
			decisions := make([]decision, len(list))
			for i, one := range list {
				if decisions[i], err = n.decision(c.Context(), one); err != nil {
					return err
				}
			}
			return a.show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "Nothing needs you.")
				}
				writeNotifications(w, list, decisions)
			})
		})
	}}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "only those of this workflow")
	choose(flags, &filter.Type, "type", "only this type", projections.NotifyError, projections.NotifyFixed, projections.NotifyFixWaiting,
		projections.NotifyEscalated, projections.NotifyMaintenanceFailed, projections.NotifyScriptMessage, projections.NotifyInternal,
		projections.NotifyInDoubt, projections.NotifyQuestion, projections.NotifyInputs, projections.NotifyPlannerStopped, projections.NotifyUnfinished)
	flags.BoolVar(&all, "all", false, "also acknowledged and resolved ones")
	flags.IntVar(&filter.Limit, "limit", 50, "at most so many; 0 for all")
	return command
}

// needsPerson says whether somebody has to do something about it; the others only tell.
func needsPerson(one projections.Notification) bool {
	return one.Resolved.IsZero() && one.Acknowledged.IsZero() && one.Type != projections.NotifyFixed && one.Type != projections.NotifyScriptMessage
}

// writeNotifications shows what needs a person first: what only tells something would hide it.
func writeNotifications(w io.Writer, list []projections.Notification, decisions []decision) {
	to, now := screenOf(w), time.Now()
	brief := map[string]string{}
	if to.width > 0 {
		ids := make([]string, len(list))
		for i, one := range list {
			ids[i] = one.ID
		}
		brief = briefIDs(ids)
	}
	section := func(title string, needed bool) {
		for i, one := range list {
			if needsPerson(one) != needed {
				continue
			}
			if title != "" {
				fmt.Fprintln(w, to.paint(bold, title))
				title = ""
			}
			fmt.Fprintf(w, "%s  %-18s %s  %s\n    %s\n", cmp.Or(brief[one.ID], one.ID), one.Type, ago(one.At, now), line(one.WorkflowTitle), line(one.Title))
			if one.Text != "" {
				fmt.Fprintf(w, "    %s\n", wrapped(one.Text, "    ", to.text(4)))
			}
			if more := len(one.Also); more > 0 {
				fmt.Fprintf(w, "    The same cause in other workflows (%d): kintsugi fix list --group\n", more)
			}
			writeCandidate(w, one.Workflow, one.Candidate)
			decisions[i].write(w, "    ")
		}
	}
	section("Needs you", true)
	section("Messages", false)
}

// actionCommand is how an action is taken on the command line.
func actionCommand(action string, one projections.Notification) (string, bool) {
	switch action {
	case workflow.ActionReplan:
		return "plan " + one.Workflow + " --replan", true
	case workflow.ActionRollback:
		return "script rollback " + one.Workflow + " VERSION", true
	case workflow.ActionEdit:
		return fmt.Sprintf("script show %s > script.js, then: kintsugi script save %s --file script.js", one.Workflow, one.Workflow), true
	case projections.ActionSetSecret:
		return "secret set NAME --workflow " + one.Workflow + " --host HOST", true
	case workflow.ActionActivate:
		return "workflow activate " + one.Workflow, true
	case projections.ActionAccept:
		return "fix accept " + one.Proposal, true
	case projections.ActionCorrect:
		return "fix correct " + one.Proposal + ` --note "what to do instead"`, true
	case projections.ActionRecheck:
		return "fix recheck " + one.Proposal, true
	case projections.ActionDecline:
		return "fix decline " + one.Proposal, true
	case projections.ActionResumeRepairs:
		return "autofix on --all", true
	case projections.ActionRaiseCap:
		return "autofix cap --per-day USD --per-month USD", true
	case projections.ActionContinue, projections.ActionRestart, projections.ActionLeave:
		return "run " + action + " " + one.Run, true
	case projections.ActionAnswer:
		return "notification answer " + one.ID + " ANSWER", true
	case projections.ActionHappened, projections.ActionDidNot, projections.ActionSkip:
		return fmt.Sprintf("effect resolve %s %d --%s", one.Run, one.Call, strings.ReplaceAll(action, "_", "-")), true
	}
	return "", false
}

func newNotificationAckCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "ack NOTIFICATION", Short: "Say that you have seen a notification", Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveNotification(c.Context(), args[0])
			if err != nil {
				return err
			}
			one, err := n.queries.Notification(c.Context(), id)
			if err != nil {
				return err
			}
			result, err := n.acknowledge(c.Context(), actor(), one)
			if err != nil {
				return err
			}
			if err := n.views.WaitFor(c.Context(), result.Position); err != nil {
				return err
			}
			if one, err = n.queries.Notification(c.Context(), id); err != nil {
				return err
			}
			return a.show(one, func(w io.Writer) { fmt.Fprintf(w, "Acknowledged: %s\n", line(one.Title)) })
		})
	}}
}

// acknowledge is on the stream that the notification is about. What it stands for is seen with it.
func (n *node) acknowledge(ctx context.Context, actor string, one projections.Notification) (commands.Result, error) {
	open, err := n.queries.Notifications(ctx, projections.NotificationFilter{Open: true, Operator: true})
	if err != nil {
		return commands.Result{}, err
	}
	for _, other := range open {
		if other.ID != one.ID {
			continue
		}
		for _, also := range other.Also {
			if _, err := n.commands.AcknowledgeNotification(ctx, also.Workflow, workflow.AcknowledgeNotification{Notification: also.ID}, by(actor)); err != nil {
				return commands.Result{}, err
			}
		}
	}
	if one.Workflow == "" {
		return n.commands.AcknowledgeNotice(ctx, installation.AcknowledgeNotice{Notification: one.ID}, by(actor))
	}
	return n.commands.AcknowledgeNotification(ctx, one.Workflow, workflow.AcknowledgeNotification{Notification: one.ID}, by(actor))
}

func newNotificationAnswerCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "answer NOTIFICATION ANSWER", Short: "Answer a question of a script or of the planner, which goes on with that", Args: takes(2, 2),
		Long: `Answer a question of a script or of the planner, which goes on with that. Where there are answers to
choose from, a number chooses one.`,
		Example: `  kintsugi notification answer 0197f2 "yes"`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveNotification(c.Context(), args[0])
				if err != nil {
					return err
				}
				one, err := n.queries.Notification(c.Context(), id)
				if err != nil {
					return err
				}
				if one.Type != projections.NotifyQuestion {
					return fault.New(fault.Invalid, "notification %s asks nothing: it is of type %s", id, one.Type)
				}
				next, err := n.answer(c.Context(), actor(), one, args[1])
				if err != nil {
					return err
				}
				if err := n.views.CatchUp(c.Context()); err != nil {
					return err
				}
				if one, err = n.queries.Notification(c.Context(), id); err != nil {
					return err
				}
				return a.show(one, func(w io.Writer) {
					fmt.Fprintf(w, "Answered: %s\n%s\n", line(one.Title), next)
				})
			})
		},
	}
}

// answer gives an answer to whoever asked, and says what goes on with it.
func (n *node) answer(ctx context.Context, actor string, asked projections.Notification, text string) (next string, err error) {
	if asked.Question == "" {
		next = fmt.Sprintf("Run %s goes on with 'kintsugi dev' or 'kintsugi workflow run'.", asked.Run)
		state, err := n.commands.LoadRun(ctx, asked.Run)
		if err != nil {
			return "", err
		}
		if call := state.Awaiting(); call != nil && call.Seq == asked.Call {
			text = chosen(call.Question.Options, text)
		}
		return next, n.commands.GiveAnswer(ctx, asked.Run, run.GiveAnswer{Seq: asked.Call, Answer: text}, by(actor))
	}
	state, err := n.commands.LoadWorkflow(ctx, asked.Workflow)
	if err != nil {
		return "", err
	}
	next = "The repair goes on with it: at once if a server with a model runs, else with 'kintsugi dev'."
	if state.Planner != nil && state.Planner.Task == asked.Task {
		next = "The planner goes on with it: at once if a server with a model runs, else with: kintsugi plan " + asked.Workflow
	}
	for _, q := range state.Questions {
		if q.ID == asked.Question {
			text = chosen(q.Options, text)
		}
	}
	_, err = n.commands.AnswerQuestion(ctx, asked.Workflow, workflow.AnswerQuestion{Question: asked.Question, Answer: text}, by(actor))
	return next, err
}
