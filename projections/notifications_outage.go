package projections

import (
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// RetryingRun is a failed run that is tried again by itself, as the other side did not answer.
type RetryingRun struct {
	Run string    `json:"run"`
	At  time.Time `json:"at"`
}

// aboutOutage is what the notice of an outage is about: with its first word, it is told with those of other workflows.
const aboutOutage = aboutNetwork + " outage"

// aboutNoAnswer says that a notice tells that the other side does not answer.
func aboutNoAnswer(one *Notification) bool { return strings.HasPrefix(one.About, aboutNetwork+" ") }

// outageReported tells of an outage, in the place of what was told of single runs that gave up.
func (n *notifier) outageReported(e workflow.OutageReported) Notification {
	title := "No answer since " + moment(e.Since)
	if e.Host != "" {
		title += ": " + e.Host
	}
	text := e.Problem
	if newest := notificationFailures.Get(n.tx, n.workflow); newest != nil && newest.Failure.Body != "" {
		text += "\n" + HostSays + newest.Failure.Body
	}
	return Notification{Type: NotifyError, Title: title, Text: text, Run: e.Run, Actions: []string{ActionRetryInputs}, About: aboutOutage}
}

// outageEnded closes what is told of an outage, with when it was over and how long it took.
func (n *notifier) outageEnded(e workflow.OutageEnded) {
	over := map[string]string{
		workflow.OutageReplanned: "Another script was saved, which has its own way",
		workflow.OutageArchived:  "The workflow was archived",
		workflow.OutageLeft:      "Nothing waits for an answer any more",
	}[e.Why]
	if over == "" {
		over = "There is an answer again"
	}
	for _, one := range n.open() {
		if one.About == aboutOutage {
			notifications.Edit(n.tx, one.ID).Text = withoutWaits(one.Text) + fmt.Sprintf("\n%s, since %s. It took %s.", over, moment(e.At), e.At.Sub(e.Since).Round(time.Second))
		}
	}
	n.resolve(about(aboutOutage))
}

func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") + " UTC" }

// waitsBegin is how the line begins that says what waits.
const waitsBegin = "Waiting: "

// outageLine says what waits while the other side does not answer, and when it is asked next.
func (n *notifier) outageLine() string {
	var slots, inputs int
	var next time.Time
	earlier := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, input := range queuedInputs.Where(n.tx, "of", n.workflow) {
		if earlier(input.Due); input.Trigger == workflow.TriggerSchedule {
			slots++
		} else {
			inputs++
		}
	}
	waiting := map[string]bool{}
	of := workflows.Get(n.tx, n.workflow)
	for _, one := range of.Retrying {
		earlier(one.At)
		waiting[one.Run] = queuedInputs.Get(n.tx, one.Run) == nil
	}
	runs := of.Running
	for _, is := range waiting {
		if is {
			runs++
		}
	}
	var what []string
	for _, kind := range []struct {
		count int
		noun  string
	}{{runs, "run"}, {inputs, "input"}, {slots, "slot"}} {
		if kind.count > 0 {
			what = append(what, counted(kind.count, kind.noun))
		}
	}
	switch {
	case len(what) == 0:
		return waitsBegin + "nothing."
	case next.IsZero():
		return waitsBegin + strings.Join(what, ", ") + ". It is asked at this moment."
	}
	return waitsBegin + strings.Join(what, ", ") + ". It is asked next at " + next.UTC().Format(time.DateTime) + " UTC. All of it goes on by itself, in order."
}
