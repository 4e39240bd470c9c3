package projections

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// QueuedInput is an input that waits to become a run, or whose run failed before its first write and that waits to be tried again.
type QueuedInput struct {
	Run      string           `json:"run" col:"run,key"` // that it becomes, or that failed
	Workflow string           `json:"workflow" col:"workflow"`
	Trigger  workflow.Trigger `json:"trigger" col:"trigger"`
	At       time.Time        `json:"at" col:"at"`
	Reason   string           `json:"reason" col:"reason"`         // why it has to wait
	Waits    string           `json:"waits,omitempty" col:"waits"` // what for, if its run failed: fix, access, outage, program or taker
	Due      time.Time        `json:"due,omitzero" col:"due"`      // when it is tried again all the same
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
	queuedInputs  = readmodel.NewTable[QueuedInput]("queued_input", readmodel.Index("workflow", "number"), readmodel.Lookup("of", "workflow"))
	eventTriggers = readmodel.NewTable[EventTrigger]("event_trigger", readmodel.Index("source", "workflow"))
)

func applyInput(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case workflow.InputQueued:
		queuedInputs.Insert(tx, QueuedInput{
			Run: e.Run, Number: tx.Next("input"), Workflow: workflowOf(recorded), Trigger: e.Trigger,
			At: recorded.Metadata.RecordedAt, Reason: e.Reason, Bytes: len(e.Input), Due: e.At,
		})
	case workflow.InputRequeued:
		if again := queuedInputs.Edit(tx, e.Run); again != nil {
			again.Reason, again.Waits, again.Due = e.Reason, e.Waits, e.At
			return nil
		}
		queuedInputs.Insert(tx, QueuedInput{
			Run: e.Run, Number: tx.Next("input"), Workflow: workflowOf(recorded), Trigger: e.Trigger,
			At: recorded.Metadata.RecordedAt, Reason: e.Reason, Waits: e.Waits, Due: e.At,
		})
	case workflow.InputSkipped:
		queuedInputs.Delete(tx, e.Run)
	case workflow.RunAdmitted:
		queuedInputs.Delete(tx, e.Run)
		queuedInputs.Delete(tx, e.Continues)
	case workflow.RetryScheduled:
		queuedInputs.Delete(tx, e.Run)
	case workflow.RunCancelled:
		queuedInputs.Delete(tx, e.Run)
	case workflow.MaintenanceEntered:
		queuedInputs.Delete(tx, e.Run)
	case workflow.TriggerSet:
		eventTriggers.Insert(tx, EventTrigger{Workflow: workflowOf(recorded), Source: e.Source, Outcomes: e.Outcomes})
	case workflow.TriggerRemoved:
		eventTriggers.Delete(tx, workflowOf(recorded), e.Source)
	}
	return nil
}

// QueuedInputs are the inputs of a workflow that wait, in the order in which they began to.
func (q *Queries) QueuedInputs(ctx context.Context, of string) ([]QueuedInput, error) {
	return selected(ctx, q, queuedInputs, "WHERE workflow = ? ORDER BY number", of)
}

// QueuedInput is an input that waits, by the run that it becomes or that failed.
func (q *Queries) QueuedInput(ctx context.Context, run string) (QueuedInput, error) {
	return selectedOne(ctx, q, NoQueuedInput(run), queuedInputs, "WHERE run = ?", run)
}

// NoQueuedInput says that no input of a run waits, or none that somebody sees.
func NoQueuedInput(run string) error {
	return fault.New(fault.NotFound, "no input of a run %q waits: 'kintsugi workflow show WORKFLOW' lists those that do", run)
}

// EventTriggers are what starts a workflow, and what it starts.
func (q *Queries) EventTriggers(ctx context.Context, of string) ([]EventTrigger, error) {
	return selected(ctx, q, eventTriggers, "WHERE workflow = ? OR source = ? ORDER BY source, workflow", of, of)
}

// NotifyInputs tells that inputs are lost, or wait for something that nobody is told of otherwise.
const NotifyInputs NotificationType = "inputs"

// inputSkipped tells, once until it is over, of inputs that nobody meant to be skipped.
func (n *notifier) inputSkipped(e workflow.InputSkipped) Notification {
	titles := map[string]string{
		workflow.SkippedFull: "Inputs are lost: too many wait",
		workflow.SkippedHops: "Workflows start each other in a circle",
	}
	if titles[e.Why] == "" {
		return Notification{}
	}
	return Notification{Type: NotifyInputs, Title: titles[e.Why], Text: e.Reason, About: aboutInputs + e.Why}
}

// aboutInputs begins what a notice of skipped inputs is about: then comes why.
const aboutInputs = "inputs "

// inputRequeued tells, once until it is over, of inputs that wait for something that is no other notice's.
func (n *notifier) inputRequeued(e workflow.InputRequeued) Notification {
	if e.Waits == workflow.WaitsTaker && !e.Ready {
		return Notification{
			Type: NotifyInputs, Title: "Inputs wait that the script does not take", Run: e.Run, Actions: []string{ActionRetryInputs},
			Text:  "The input of run " + e.Run + " waits: " + e.Reason + "\nOther inputs go on. Save a script that takes it, or give it up: kintsugi run leave " + e.Run,
			About: aboutWaiting + e.Waits,
		}
	}
	if e.Waits == workflow.WaitsProgram && !e.Ready {
		text := e.Reason
		if !e.At.IsZero() {
			text += "\nThey are tried again by themselves, from " + e.At.UTC().Format(time.DateTime) + " UTC on."
		}
		return Notification{
			Type: NotifyInputs, Title: "Inputs wait: Kintsugi itself failed at them", Text: text, Run: e.Run,
			Actions: []string{ActionRetryInputs}, About: aboutWaiting + e.Waits,
		}
	}
	return Notification{}
}

// ActionRetryInputs is what inputs offer that wait to be tried again.
const ActionRetryInputs = "retry_inputs"

// aboutWaiting begins what a notice of waiting inputs is about: then comes what they wait for.
const aboutWaiting = "inputs wait "

// inputsWait says, in what is told of the workflow, how many inputs wait meanwhile, and ends what is told of those that wait no more.
func (n *notifier) inputsWait() {
	open := n.open()
	if len(open) == 0 {
		return
	}
	waiting := queuedInputs.Where(n.tx, "of", n.workflow)
	for _, one := range open {
		if text := n.withWaits(one); text != one.Text {
			notifications.Edit(n.tx, one.ID).Text = text
		}
	}
	n.resolve(func(one *Notification) bool {
		what, is := strings.CutPrefix(one.About, aboutWaiting)
		return is && !slices.ContainsFunc(waiting, func(input *QueuedInput) bool { return input.Waits == what })
	})
}

// missed begins the line that says since when slots of the schedule are skipped.
const missed = "Slots of its schedule are skipped since "

// slotsMissed says once, in what is told of the workflow, since when slots of its schedule are skipped because of it.
func (n *notifier) slotsMissed(e workflow.SlotSkipped) {
	for _, one := range n.open() {
		if e.Slot == nil || strings.Contains(one.Text, missed) || one.About != aboutOutage && !ofType(NotifyEscalated, NotifyMaintenanceFailed, NotifyFixWaiting)(one) {
			continue
		}
		one = notifications.Edit(n.tx, one.ID)
		one.Text = strings.TrimPrefix(withoutWaits(one.Text)+"\n"+missed+e.Slot.UTC().Format(time.DateTime)+" UTC.", "\n")
		one.Text = n.withWaits(one)
	}
}

// afterwards ends the line that says how many inputs wait.
const afterwards = ", to be carried out afterwards, in order."

// withoutWaits is the text of a notification without the line that says what waits.
func withoutWaits(text string) string {
	before, last := text[:max(strings.LastIndexByte(text, '\n'), 0)], text[strings.LastIndexByte(text, '\n')+1:]
	if strings.HasSuffix(last, afterwards) || strings.HasPrefix(last, waitsBegin) {
		return before
	}
	return text
}

// withWaits is the text of a notification of what stops runs, with what waits meanwhile.
func (n *notifier) withWaits(one *Notification) string {
	text, waiting := withoutWaits(one.Text), len(queuedInputs.Where(n.tx, "of", n.workflow))
	switch {
	case one.About == aboutOutage:
		return strings.TrimPrefix(text+"\n"+n.outageLine(), "\n")
	case !ofType(NotifyEscalated, NotifyMaintenanceFailed, NotifyFixWaiting, NotifyError)(one):
		return one.Text
	case waiting == 0:
		return text
	case waiting == 1:
		return strings.TrimPrefix(text+"\n1 input waits"+afterwards, "\n")
	}
	return strings.TrimPrefix(fmt.Sprintf("%s\n%d inputs wait%s", text, waiting, afterwards), "\n")
}
