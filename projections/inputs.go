package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const inputSchema = `
CREATE TABLE queued_input (
  number   INTEGER PRIMARY KEY,
  run      TEXT NOT NULL UNIQUE, -- that it becomes
  workflow TEXT NOT NULL,
  trigger  TEXT NOT NULL,
  at       INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  bytes    INTEGER NOT NULL
);
CREATE INDEX queued_input_workflow ON queued_input (workflow, number);
CREATE TABLE event_trigger (
  workflow TEXT NOT NULL,
  source   TEXT NOT NULL,
  outcomes TEXT NOT NULL, -- JSON
  PRIMARY KEY (workflow, source)
) WITHOUT ROWID;
CREATE INDEX event_trigger_source ON event_trigger (source, workflow);
`

func applyInput(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case workflow.InputQueued:
		return exec(tx, `INSERT INTO queued_input (run, workflow, trigger, at, reason, bytes) VALUES (?, ?, ?, ?, ?, ?)`,
			e.Run, workflowOf(recorded), e.Trigger, recorded.Metadata.RecordedAt, e.Reason, len(e.Input))
	case workflow.InputSkipped:
		return exec(tx, `DELETE FROM queued_input WHERE run = ?`, e.Run)
	case workflow.RunAdmitted:
		return exec(tx, `DELETE FROM queued_input WHERE run = ?`, e.Run)
	case workflow.TriggerSet:
		return exec(tx, `INSERT INTO event_trigger (workflow, source, outcomes) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET outcomes = excluded.outcomes`, workflowOf(recorded), e.Source, readmodel.JSON(e.Outcomes))
	case workflow.TriggerRemoved:
		return exec(tx, `DELETE FROM event_trigger WHERE workflow = ? AND source = ?`, workflowOf(recorded), e.Source)
	}
	return nil
}

// QueuedInput is an input that waits to become a run.
type QueuedInput struct {
	Run      string           `json:"run"` // that it becomes
	Workflow string           `json:"workflow"`
	Trigger  workflow.Trigger `json:"trigger"`
	At       time.Time        `json:"at"`
	Reason   string           `json:"reason"` // why it had to wait
	Bytes    int              `json:"bytes"`
}

// QueuedInputs are the inputs of a workflow that wait, the next one first.
func (q *Queries) QueuedInputs(ctx context.Context, of string) ([]QueuedInput, error) {
	return collect(ctx, q, func(row readmodel.Row) (QueuedInput, error) {
		return QueuedInput{
			Run: row.Text("run"), Workflow: row.Text("workflow"), Trigger: workflow.Trigger(row.Text("trigger")),
			At: row.Time("at"), Reason: row.Text("reason"), Bytes: row.Int("bytes"),
		}, nil
	}, `SELECT * FROM queued_input WHERE workflow = ? ORDER BY number`, of)
}

// EventTrigger says that a workflow starts on outcomes of another one.
type EventTrigger struct {
	Workflow string             `json:"workflow"`
	Source   string             `json:"source"`
	Outcomes []workflow.Outcome `json:"outcomes"`
}

// EventTriggers are what starts a workflow, and what it starts.
func (q *Queries) EventTriggers(ctx context.Context, of string) ([]EventTrigger, error) {
	return collect(ctx, q, func(row readmodel.Row) (EventTrigger, error) {
		found := EventTrigger{Workflow: row.Text("workflow"), Source: row.Text("source")}
		err := row.JSON("outcomes", &found.Outcomes)
		return found, err
	}, `SELECT * FROM event_trigger WHERE workflow = ?1 OR source = ?1 ORDER BY source, workflow`, of)
}

// NotifyInputs tells that inputs are lost.
const NotifyInputs NotificationType = "inputs"

// inputSkipped tells, once until it is over, of inputs that nobody meant to be skipped.
func (n notifier) inputSkipped(e workflow.InputSkipped) error {
	switch e.Why {
	case workflow.SkippedFull:
		return n.add(Notification{Type: NotifyInputs, Title: "Inputs are lost: too many wait", Text: e.Reason}, "inputs "+e.Why)
	case workflow.SkippedHops:
		return n.add(Notification{Type: NotifyInputs, Title: "Workflows start each other in a circle", Text: e.Reason}, "inputs "+e.Why)
	}
	return nil
}
