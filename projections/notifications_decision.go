package projections

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// decisionTime is for how long fixes of a workflow wait for a person, where its settings say so.
type decisionTime struct {
	Workflow   string `col:"workflow,key"`
	WithinMS   int64  `col:"within_ms"`
	OnDeadline string `col:"on_deadline"`
}

var decisionTimes = readmodel.NewTable[decisionTime]("decision_time")

// timeToDecide notes what settings say, which also holds for the fix that waits now.
func (n *notifier) timeToDecide(settings workflow.Settings) {
	decisionTimes.Delete(n.tx, n.workflow)
	if settings.DecideWithinMS > 0 {
		decisionTimes.Insert(n.tx, decisionTime{Workflow: n.workflow, WithinMS: settings.DecideWithinMS, OnDeadline: settings.WithDefaults().OnDeadline})
	}
	for _, one := range n.open() {
		if one.Type == NotifyFixWaiting {
			one = notifications.Edit(n.tx, one.ID)
			one.Due, one.OnDeadline = n.due(one.At)
		}
	}
}

// due is when a fix that waits since then is decided without its person, and what is done then.
func (n *notifier) due(since time.Time) (at time.Time, onDeadline string) {
	if is := decisionTimes.Get(n.tx, n.workflow); is != nil {
		return since.Add(time.Duration(is.WithinMS) * time.Millisecond), is.OnDeadline
	}
	return time.Time{}, ""
}

func (n *notifier) delegated(e workflow.DecisionDelegated) {
	if one := notifications.Get(n.tx, e.Notification); one != nil && one.Workflow == n.workflow {
		one = notifications.Edit(n.tx, e.Notification)
		one.DelegatedTo, one.DelegatedBy, one.Delegated, one.DelegationNote = e.To, n.recorded.Metadata.Actor, n.recorded.Metadata.RecordedAt, e.Note
	}
}

func (n *notifier) reminded(e workflow.DecisionReminded) {
	for _, one := range n.open() {
		if one.Type == NotifyFixWaiting && one.Proposal == e.Proposal {
			notifications.Edit(n.tx, one.ID).Reminded = n.recorded.Metadata.RecordedAt
		}
	}
}
