package projections

import (
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// ActionUnblock is what a blocked subtask offers.
const ActionUnblock = "unblock"

// healed tells that the Healer could not resolve a failure: contained or not, a person has to look. The newest of a subtask
// stands for those before it. Of a job of a plan people are told when it is held.
func (n notifier) healed(e session.HealerConcluded) {
	if e.Plan != "" || e.Outcome == session.Skipped {
		return // whoever called knows
	}
	id := strings.TrimPrefix(n.recorded.Stream, session.StreamPrefix)
	of := aboutHealing(id, e.Subtask)
	n.resolve(about(of))
	if e.Outcome == session.Resolved {
		return
	}
	what := id
	if e.Subtask != "" {
		what += ", " + e.Subtask
	}
	told := Notification{
		Type: NotifyHealing, Title: "A coding agent's session is blocked: " + what, Text: e.Reason, Actions: []string{ActionUnblock},
		Job: e.Subtask, Session: id, Healing: e.Healing,
	}
	if e.Outcome == session.Unresolved {
		told.Title = "A coding agent's session could not be healed: " + what
	}
	if healing := healings.Get(n.tx, id, e.Healing); healing != nil {
		if healing.Missing {
			told.Text += "\nNo model helped: " + healing.Advice
		}
		if healing.Followup != "" {
			told.Text += "\n" + healing.Followup
		}
	}
	told.Text += "\nLook: kintsugi healer show " + id
	n.add(told, of)
}

func aboutHealing(id, subtask string) string { return "healing " + id + " " + subtask }

func (n notifier) unblocked(e session.TaskUnblocked) {
	n.resolve(about(aboutHealing(strings.TrimPrefix(n.recorded.Stream, session.StreamPrefix), e.Subtask)))
}
