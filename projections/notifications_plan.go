package projections

import (
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

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
	var actions []string
	for _, answer := range e.Answers() {
		actions = append(actions, string(answer))
		fmt.Fprintf(&text, "\nTo %s: kintsugi %s", answer.Does(), answer.Command(id, e.Job, e.Checkpoint))
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
