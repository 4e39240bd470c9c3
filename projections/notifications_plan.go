package projections

import (
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// The answers to a job of a plan that is held.
const (
	ActionRelaunch = "relaunch"
	ActionRetry    = "retry"
)

// answerDoes is what each answer to a held job does.
var answerDoes = map[string]string{
	ActionAccept:   "Let exactly these changes pass",
	ActionRelaunch: "Have the agent correct it",
	ActionRetry:    "You repaired it, and it is checked again",
}

// AnswerCommand is the command line, without the program's name, that answers a job that is held at a checkpoint.
func AnswerCommand(action, plan, job string, checkpoint int) string {
	line := fmt.Sprintf("repo plan %s %s %s --checkpoint %d", action, plan, job, checkpoint)
	if action == ActionAccept {
		line += " --reason WHY"
	}
	return line
}

// mostTold is how many of the files that trouble a job a notification names.
const mostTold = 10

// heldJob tells that a job of a plan stands still until a person answers, and with what.
func (n notifier) heldJob(e plan.JobHeld) {
	id := n.planID()
	var text strings.Builder
	fmt.Fprintf(&text, "%s (attempt %d)", e.Reason, e.Attempt)
	for i, one := range e.Violations {
		if i == mostTold {
			fmt.Fprintf(&text, "\n  and %d more", max(e.Count, len(e.Violations))-i)
			break
		}
		fmt.Fprintf(&text, "\n  %s (%s): %s", one.Path, one.Change, one.Why)
	}
	if e.Healing != nil {
		fmt.Fprintf(&text, "\nThe Healer: %s, %s\nLook: kintsugi healer show %s", e.Healing.Outcome, e.Healing.Reason, e.Healing.Session)
	}
	if allowed := append(append([]string{}, e.Allowed...), e.MayCreate...); e.Kind == plan.KindTouchset && len(allowed) > 0 {
		fmt.Fprintf(&text, "\nIt may touch %s", strings.Join(allowed, ", "))
	}
	actions := []string{ActionRetry}
	if e.Attempt > 0 { // else no agent was launched that could correct anything
		actions = append([]string{ActionRelaunch}, actions...)
	}
	if e.Kind == plan.KindTouchset {
		actions = append([]string{ActionAccept}, actions...)
	}
	for _, action := range actions {
		fmt.Fprintf(&text, "\n%s: kintsugi %s", answerDoes[action], AnswerCommand(action, id, e.Job, e.Checkpoint))
	}
	n.resolve(about(aboutJob(id, e.Job)))
	n.add(Notification{
		Type: NotifyHeldJob, Title: "A coding agent's job is held: " + e.Job, Text: text.String(), Actions: actions,
		Plan: id, Job: e.Job, Checkpoint: e.Checkpoint,
	}, aboutJob(id, e.Job))
}

// answeredJob tells of a held job no more.
func (n notifier) answeredJob(job string) { n.resolve(about(aboutJob(n.planID(), job))) }

// endedPlan tells of none of a plan's jobs any more.
func (n notifier) endedPlan() {
	of := aboutJob(n.planID(), "")
	n.resolve(func(one *Notification) bool { return strings.HasPrefix(one.About, of) })
}

func (n notifier) planID() string { return strings.TrimPrefix(n.recorded.Stream, plan.StreamPrefix) }

func aboutJob(id, job string) string { return "job " + id + " " + job }
