package projections

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// InboxState is where an agent's task stands.
type InboxState string

// The states of a task.
const (
	InboxQueued  InboxState = "queued"  // for an agent
	InboxWorking InboxState = "working" // an agent has begun
	InboxWaiting InboxState = "waiting" // for a person
	InboxDone    InboxState = "done"
)

// InboxItem is a task of an agent.
type InboxItem struct {
	ID            string     `json:"id" col:"id,key"`
	Workflow      string     `json:"workflow" col:"workflow"`
	WorkflowTitle string     `json:"workflow_title"`
	Kind          string     `json:"kind" col:"kind"` // [KindPlanner] or [KindMaintainer]
	Task          string     `json:"task" col:"task"`
	Thread        string     `json:"thread" col:"thread"`
	Title         string     `json:"title" col:"title"` // one line
	State         InboxState `json:"state" col:"state"`
	Opened        time.Time  `json:"opened" col:"opened"`
	Since         time.Time  `json:"since" col:"since"` // when it came to this state
	Outcome       string     `json:"outcome,omitempty" col:"outcome"`
	Proposal      string     `json:"proposal,omitempty" col:"proposal"` // the newest of a maintainer's
	Questions     int        `json:"questions" col:"asks"`              // without an answer

	Number        int64  `json:"-" col:"number"` // in the order the tasks were opened
	Undone        bool   `json:"-" col:"undone"`
	WorkflowOwner string `json:"-" col:"workflow_owner"`
}

// inboxQuestion is the task that asks a question.
type inboxQuestion struct {
	Question string `col:"question,key"`
	Task     string `col:"task"`
}

var (
	inbox = readmodel.NewTable[InboxItem]("inbox", readmodel.Index("number"), readmodel.Index("undone", "number"), readmodel.Index("workflow", "number"), readmodel.Index("state", "number"),
		readmodel.Index("workflow_owner", "number"), readmodel.Index("workflow_owner", "undone", "number"), readmodel.Index("workflow_owner", "state", "number"),
		readmodel.Lookup("task", "task"), readmodel.Lookup("thread", "thread"), readmodel.Lookup("proposal", "proposal"))
	inboxQuestions = readmodel.NewTable[inboxQuestion]("inbox_question")
)

func applyInbox(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	opened := func(id, kind, task, thread, title string) {
		inbox.Insert(tx, InboxItem{
			ID: id, Number: tx.Next("inbox"), Workflow: workflowOf(recorded), WorkflowOwner: ownerOf(tx, workflowOf(recorded)), Kind: kind, Task: task, Thread: thread, Title: title,
			State: InboxQueued, Opened: at, Since: at, Undone: true,
		})
	}
	// becomes changes the state of those that are in one of some states, or in any but the last.
	becomes := func(state InboxState, lookup, value string, from ...InboxState) {
		for _, one := range inbox.Where(tx, lookup, value) {
			if one.State != InboxDone && (from == nil || slices.Contains(from, one.State)) {
				one = inbox.Edit(tx, one.ID)
				one.State, one.Since = state, at
			}
		}
	}
	onTask := func(task string, change func(*InboxItem)) {
		for _, one := range inbox.EditWhere(tx, "task", task) {
			change(one)
		}
	}
	done := func(task, outcome string) {
		onTask(task, func(one *InboxItem) {
			one.State, one.Since, one.Outcome, one.Questions, one.Undone = InboxDone, at, outcome, 0, false
		})
	}
	switch e := recorded.Event.(type) {
	case workflow.MaintenanceEntered:
		opened(e.Item, KindMaintainer, e.Task, e.Thread, "Mend version "+versionText(e.Base)+" after run "+e.Run)
	case workflow.PlannerTaskOpened:
		opened(e.Task, KindPlanner, e.Task, e.Thread, firstLine(e.Ask))
	case workflow.PlannerTaskWaiting:
		becomes(InboxWaiting, "task", e.Task)
	case workflow.PlannerTold:
		becomes(InboxQueued, "task", e.Task)
	case workflow.PlannerTaskClosed:
		done(e.Task, e.Outcome)
	case workflow.QuestionAsked:
		if inboxQuestions.Get(tx, e.Question) == nil {
			inboxQuestions.Insert(tx, inboxQuestion{Question: e.Question, Task: e.Task})
		}
		onTask(e.Task, func(one *InboxItem) { one.Questions++ })
		becomes(InboxWaiting, "task", e.Task)
	case workflow.QuestionAnswered:
		if asked := inboxQuestions.Get(tx, e.Question); asked != nil {
			onTask(asked.Task, func(one *InboxItem) {
				one.Questions = max(one.Questions-1, 0)
				if one.State == InboxWaiting && one.Questions == 0 {
					one.State, one.Since = InboxQueued, at
				}
			})
		}
	case workflow.FixProposed:
		onTask(e.Task, func(one *InboxItem) { one.Proposal = e.Proposal })
	case workflow.FixHeld:
		becomes(InboxWaiting, "proposal", e.Proposal)
	case workflow.FixCorrectionRequested:
		becomes(InboxQueued, "proposal", e.Proposal)
	case workflow.MaintenanceExited:
		done(e.Task, e.Why)
	case thread.ThreadLeaseExtended: // also of one who gives the thread away
	case thread.ModelUnavailable:
		becomes(InboxQueued, "thread", threadOf(recorded), InboxWorking) // its agent comes back later
	default:
		if of, is := strings.CutPrefix(recorded.Stream, thread.StreamPrefix); is { // only an agent at work writes there
			becomes(InboxWorking, "thread", of, InboxQueued)
		}
	}
	return nil
}

func scanInboxItem(row readmodel.Row) (InboxItem, error) {
	found, err := inbox.Scan(row)
	found.WorkflowTitle = row.Text("workflow_title")
	return found, err
}

// InboxFilter chooses items; zero fields choose all.
type InboxFilter struct {
	Workflow string
	Owner    string // of the workflow
	Kind     string
	State    InboxState
	// Open leaves out what is done.
	Open bool
	// Limit is the most items to return, the oldest; 0 for no limit.
	Limit int
}

// Inbox is the items chosen, the oldest first.
func (q *Queries) Inbox(ctx context.Context, filter InboxFilter) ([]InboxItem, error) {
	var chosen conditions
	chosen.of("inbox", filter.Workflow, filter.Owner)
	chosen.equal("inbox.kind", filter.Kind)
	chosen.equal("inbox.state", string(filter.State))
	if filter.Open {
		chosen.add("inbox.undone = ?", true)
	}
	statement := chosen.limit("SELECT "+inbox.Columns()+", coalesce(workflow.title, '') AS workflow_title "+
		"FROM inbox LEFT JOIN workflow ON workflow.id = inbox.workflow"+chosen.where()+" ORDER BY inbox.number", filter.Limit)
	return collect(ctx, q, scanInboxItem, statement, chosen.args...)
}
