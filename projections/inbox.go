package projections

import (
	"context"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const inboxSchema = `
CREATE TABLE inbox (
  number   INTEGER PRIMARY KEY, -- in the order the tasks were opened
  id       TEXT NOT NULL UNIQUE,
  workflow TEXT NOT NULL,
  kind     TEXT NOT NULL,
  task     TEXT NOT NULL,
  thread   TEXT NOT NULL,
  title    TEXT NOT NULL,
  state    TEXT NOT NULL,
  opened   INTEGER NOT NULL,
  since    INTEGER NOT NULL, -- when it came to this state
  outcome  TEXT NOT NULL DEFAULT '',
  proposal TEXT NOT NULL DEFAULT '', -- the newest of a maintainer's
  asks     INTEGER NOT NULL DEFAULT 0 -- questions without an answer
);
CREATE INDEX inbox_workflow ON inbox (workflow, number);
CREATE INDEX inbox_task ON inbox (task);
CREATE INDEX inbox_thread ON inbox (thread);
CREATE INDEX inbox_proposal ON inbox (proposal);
CREATE TABLE inbox_question (
  question TEXT PRIMARY KEY,
  task     TEXT NOT NULL
) WITHOUT ROWID;
`

func applyInbox(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	opened := func(id, kind, task, thread, title string) error {
		return exec(tx, `INSERT INTO inbox (id, workflow, kind, task, thread, title, state, opened, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, workflowOf(recorded), kind, task, thread, title, InboxQueued, at, at)
	}
	becomes := func(state InboxState, which string, args ...any) error {
		return exec(tx, "UPDATE inbox SET state = ?, since = ? WHERE state <> ? AND "+which, append([]any{state, at, InboxDone}, args...)...)
	}
	done := func(task, outcome string) error {
		return exec(tx, `UPDATE inbox SET state = ?, since = ?, outcome = ?, asks = 0 WHERE task = ?`, InboxDone, at, outcome, task)
	}
	switch e := recorded.Event.(type) {
	case workflow.MaintenanceEntered:
		return opened(e.Item, KindMaintainer, e.Task, e.Thread, "Mend version "+versionText(e.Base)+" after run "+e.Run)
	case workflow.PlannerTaskOpened:
		return opened(e.Task, KindPlanner, e.Task, e.Thread, firstLine(e.Ask))
	case workflow.PlannerTaskWaiting:
		return becomes(InboxWaiting, "task = ?", e.Task)
	case workflow.PlannerTold:
		return becomes(InboxQueued, "task = ?", e.Task)
	case workflow.PlannerTaskClosed:
		return done(e.Task, e.Outcome)
	case workflow.QuestionAsked:
		if err := exec(tx, `INSERT INTO inbox_question (question, task) VALUES (?, ?) ON CONFLICT DO NOTHING`, e.Question, e.Task); err != nil {
			return err
		}
		if err := exec(tx, `UPDATE inbox SET asks = asks + 1 WHERE task = ?`, e.Task); err != nil {
			return err
		}
		return becomes(InboxWaiting, "task = ?", e.Task)
	case workflow.QuestionAnswered:
		const of = `task = (SELECT task FROM inbox_question WHERE question = ?)`
		if err := exec(tx, `UPDATE inbox SET asks = max(asks - 1, 0) WHERE `+of, e.Question); err != nil {
			return err
		}
		return becomes(InboxQueued, `state = ? AND asks = 0 AND `+of, InboxWaiting, e.Question)
	case workflow.FixProposed:
		return exec(tx, `UPDATE inbox SET proposal = ? WHERE task = ?`, e.Proposal, e.Task)
	case workflow.FixHeld:
		return becomes(InboxWaiting, "proposal = ?", e.Proposal)
	case workflow.FixCorrectionRequested:
		return becomes(InboxQueued, "proposal = ?", e.Proposal)
	case workflow.MaintenanceExited:
		return done(e.Task, e.Why)
	case thread.ThreadLeaseExtended:
		return nil // also of one who gives the thread away
	case thread.ModelUnavailable:
		return becomes(InboxQueued, "state = ? AND thread = ?", InboxWorking, threadOf(recorded)) // its agent comes back later
	}
	if of, is := strings.CutPrefix(recorded.Stream, thread.StreamPrefix); is { // only an agent at work writes there
		return becomes(InboxWorking, "state = ? AND thread = ?", InboxQueued, of)
	}
	return nil
}

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
	ID            string     `json:"id"`
	Workflow      string     `json:"workflow"`
	WorkflowTitle string     `json:"workflow_title"`
	Kind          string     `json:"kind"` // [KindPlanner] or [KindMaintainer]
	Task          string     `json:"task"`
	Thread        string     `json:"thread"`
	Title         string     `json:"title"` // one line
	State         InboxState `json:"state"`
	Opened        time.Time  `json:"opened"`
	Since         time.Time  `json:"since"` // when it came to this state
	Outcome       string     `json:"outcome,omitempty"`
	Proposal      string     `json:"proposal,omitempty"` // the newest of a maintainer's
	Questions     int        `json:"questions"`          // without an answer
}

func scanInboxItem(row readmodel.Row) (InboxItem, error) {
	return InboxItem{
		ID: row.Text("id"), Workflow: row.Text("workflow"), WorkflowTitle: row.Text("workflow_title"), Kind: row.Text("kind"),
		Task: row.Text("task"), Thread: row.Text("thread"), Title: row.Text("title"), State: InboxState(row.Text("state")),
		Opened: row.Time("opened"), Since: row.Time("since"), Outcome: row.Text("outcome"), Proposal: row.Text("proposal"),
		Questions: row.Int("asks"),
	}, nil
}

// InboxFilter chooses items; zero fields choose all.
type InboxFilter struct {
	Workflow string
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
	chosen.equal("inbox.workflow", filter.Workflow)
	chosen.equal("inbox.kind", filter.Kind)
	chosen.equal("inbox.state", string(filter.State))
	if filter.Open {
		chosen.add("inbox.state <> ?", InboxDone)
	}
	statement := chosen.limit(`SELECT inbox.*, coalesce(workflow.title, '') AS workflow_title
		FROM inbox LEFT JOIN workflow ON workflow.id = inbox.workflow`+chosen.where()+" ORDER BY number", filter.Limit)
	return collect(ctx, q, scanInboxItem, statement, chosen.args...)
}
