package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// QueuedInput is an input that waits to become a run.
type QueuedInput struct {
	Run      string           `json:"run" col:"run,key"` // that it becomes
	Workflow string           `json:"workflow" col:"workflow"`
	Trigger  workflow.Trigger `json:"trigger" col:"trigger"`
	At       time.Time        `json:"at" col:"at"`
	Reason   string           `json:"reason" col:"reason"` // why it had to wait
	Bytes    int              `json:"bytes" col:"bytes"`

	Number int64 `json:"-" col:"number"`
}

// EventTrigger says that a workflow starts on outcomes of another one.
type EventTrigger struct {
	Workflow string             `json:"workflow" col:"workflow,key"`
	Source   string             `json:"source" col:"source,key"`
	Outcomes []workflow.Outcome `json:"outcomes" col:"outcomes,json"`
}

var (
	queuedInputs  = readmodel.NewTable[QueuedInput]("queued_input", readmodel.Index("workflow", "number"))
	eventTriggers = readmodel.NewTable[EventTrigger]("event_trigger", readmodel.Index("source", "workflow"))
)

func applyInput(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case workflow.InputQueued:
		queuedInputs.Insert(tx, QueuedInput{
			Run: e.Run, Number: tx.Next("input"), Workflow: workflowOf(recorded), Trigger: e.Trigger,
			At: recorded.Metadata.RecordedAt, Reason: e.Reason, Bytes: len(e.Input),
		})
	case workflow.InputSkipped:
		queuedInputs.Delete(tx, e.Run)
	case workflow.RunAdmitted:
		queuedInputs.Delete(tx, e.Run)
	case workflow.TriggerSet:
		eventTriggers.Insert(tx, EventTrigger{Workflow: workflowOf(recorded), Source: e.Source, Outcomes: e.Outcomes})
	case workflow.TriggerRemoved:
		eventTriggers.Delete(tx, workflowOf(recorded), e.Source)
	}
	return nil
}

// QueuedInputs are the inputs of a workflow that wait, the next one first.
func (q *Queries) QueuedInputs(ctx context.Context, of string) ([]QueuedInput, error) {
	return selected(ctx, q, queuedInputs, "WHERE workflow = ? ORDER BY number", of)
}

// EventTriggers are what starts a workflow, and what it starts.
func (q *Queries) EventTriggers(ctx context.Context, of string) ([]EventTrigger, error) {
	return selected(ctx, q, eventTriggers, "WHERE workflow = ? OR source = ? ORDER BY source, workflow", of, of)
}

// NotifyInputs tells that inputs are lost.
const NotifyInputs NotificationType = "inputs"

// inputSkipped tells, once until it is over, of inputs that nobody meant to be skipped.
func (n notifier) inputSkipped(e workflow.InputSkipped) {
	switch e.Why {
	case workflow.SkippedFull:
		n.add(Notification{Type: NotifyInputs, Title: "Inputs are lost: too many wait", Text: e.Reason}, "inputs "+e.Why)
	case workflow.SkippedHops:
		n.add(Notification{Type: NotifyInputs, Title: "Workflows start each other in a circle", Text: e.Reason}, "inputs "+e.Why)
	}
}
