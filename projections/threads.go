package projections

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const threadSchema = `
CREATE TABLE thread (
  number      INTEGER PRIMARY KEY, -- in the order they were opened
  id          TEXT NOT NULL UNIQUE,
  workflow    TEXT NOT NULL,
  kind        TEXT NOT NULL,
  task        TEXT NOT NULL,
  title       TEXT NOT NULL DEFAULT '',
  opened      INTEGER NOT NULL,
  closed      INTEGER,
  outcome     TEXT NOT NULL DEFAULT 'open',
  explanation TEXT NOT NULL DEFAULT '',
  tokens      INTEGER NOT NULL DEFAULT 0,
  cost        REAL NOT NULL DEFAULT 0,
  model       TEXT NOT NULL DEFAULT '', -- that answered last
  turns       INTEGER NOT NULL DEFAULT 0,
  node        TEXT NOT NULL DEFAULT '',
  missing     TEXT NOT NULL DEFAULT '', -- why the model does not answer
  run         TEXT NOT NULL DEFAULT '',
  attached    INTEGER NOT NULL DEFAULT 0,
  base        TEXT NOT NULL DEFAULT '',
  version     TEXT NOT NULL DEFAULT '',
  comment     TEXT NOT NULL DEFAULT '',
  proposal    TEXT NOT NULL DEFAULT '',
  attempt     INTEGER NOT NULL DEFAULT 0,
  budget      INTEGER NOT NULL DEFAULT 0,
  failure     TEXT -- JSON, without stack and body
);
CREATE INDEX thread_workflow ON thread (workflow, number);
CREATE INDEX thread_task ON thread (task);
CREATE TABLE thread_failure ( -- the newest failed run of each workflow
  workflow TEXT PRIMARY KEY,
  run      TEXT NOT NULL,
  failure  TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE thread_entry (
  thread   TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  actor    TEXT NOT NULL,
  kind     TEXT NOT NULL,
  entry    TEXT NOT NULL, -- JSON of the event
  PRIMARY KEY (thread, revision)
) WITHOUT ROWID;
`

func applyThread(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	onTask := func(task, assignments string, args ...any) error {
		return exec(tx, "UPDATE thread SET "+assignments+" WHERE task = ?", append(args, task)...)
	}
	onProposal := func(proposal, assignments string, args ...any) error {
		return exec(tx, "UPDATE thread SET "+assignments+" WHERE proposal = ?", append(args, proposal)...)
	}
	switch e := recorded.Event.(type) {
	case workflow.RunFailed:
		return exec(tx, `INSERT INTO thread_failure (workflow, run, failure) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET run = excluded.run, failure = excluded.failure`,
			workflowOf(recorded), e.Run, readmodel.JSON(brief(e.Failure)))
	case workflow.MaintenanceEntered:
		err := openThread(tx, e.Thread, workflowOf(recorded), KindMaintainer, e.Task, at)
		if err != nil {
			return err
		}
		return onTask(e.Task, `run = ?, base = ?, attempt = ?, budget = ?,
			failure = (SELECT failure FROM thread_failure f WHERE f.workflow = thread.workflow AND f.run = ?)`,
			e.Run, versionText(e.Base), e.Attempt, e.Budget, e.Run)
	case workflow.PlannerTaskOpened:
		return openThread(tx, e.Thread, workflowOf(recorded), KindPlanner, e.Task, at)
	case workflow.PlannerTaskClosed:
		return onTask(e.Task, "outcome = ?, closed = ?", e.Outcome, at)
	case workflow.FailureAttached:
		return onTask(e.Task, "attached = attached + 1")
	case workflow.FixProposed:
		// A fix that comes after the task was left changes nothing of its outcome.
		return exec(tx, `UPDATE thread SET proposal = ?, comment = ? WHERE task = ? AND outcome IN (?, ?)`,
			e.Proposal, e.Comment, e.Task, OutcomeOpen, OutcomeHeld)
	case workflow.FixApplied:
		return onProposal(e.Proposal, "version = ?", versionText(e.Version))
	case workflow.FixAccepted:
		return onProposal(e.Proposal, "version = ?", versionText(e.Version))
	case workflow.FixHeld:
		return onProposal(e.Proposal, "outcome = ?", OutcomeHeld)
	case workflow.FixCorrectionRequested:
		return onProposal(e.Proposal, "outcome = ?", OutcomeOpen)
	case workflow.MaintenanceExited:
		return onTask(e.Task, "outcome = ?, closed = ?", e.Why, at)
	case workflow.Escalated:
		return onTask(e.Task, "explanation = ?", e.Explanation)
	case thread.ThreadOpened:
		if err := openThread(tx, e.Thread, e.Workflow, e.Kind, e.Task, at); err != nil {
			return err
		}
		return exec(tx, `UPDATE thread SET title = ? WHERE id = ?`, e.Title, e.Thread)
	case thread.ThreadClosed:
		return exec(tx, `UPDATE thread SET tokens = ?, cost = ?, closed = coalesce(closed, ?),
			explanation = iif(explanation = '', ?, explanation) WHERE id = ?`,
			e.Tokens, e.CostUSD, at, e.Outcome, threadOf(recorded))
	case thread.ThreadClaimed:
		return exec(tx, `UPDATE thread SET node = ? WHERE id = ?`, e.Node, threadOf(recorded))
	case thread.ThreadLeaseExtended:
		return nil
	case thread.MessageAppended:
		if e.Usage != nil {
			err := exec(tx, `UPDATE thread SET model = ?, turns = turns + 1, tokens = tokens + ?, cost = cost + ?, missing = '' WHERE id = ?`,
				e.Usage.Model, e.Usage.Input+e.Usage.Output, e.Usage.CostUSD, threadOf(recorded))
			if err != nil {
				return err
			}
		}
		return addEntry(tx, recorded)
	case thread.ModelUnavailable:
		missing := e.Model + " does not answer: " + e.Kind
		lost := cmp.Or(e.Usage, &thread.Usage{})
		err := exec(tx, `UPDATE thread SET missing = ?, tokens = tokens + ?, cost = cost + ? WHERE id = ?`,
			missing, lost.Input+lost.Output, lost.CostUSD, threadOf(recorded))
		if err != nil {
			return err
		}
		return addEntry(tx, recorded)
	case thread.ToolInvoked, thread.ToolResulted, thread.CandidateJudged:
		return addEntry(tx, recorded)
	}
	return nil
}

// addEntry adds what was said or done to its thread.
func addEntry(tx *readmodel.Tx, recorded event.Recorded) error {
	return exec(tx, `INSERT INTO thread_entry (thread, revision, at, actor, kind, entry) VALUES (?, ?, ?, ?, ?, ?)`,
		threadOf(recorded), recorded.Revision, recorded.Metadata.RecordedAt, recorded.Metadata.Actor,
		recorded.Event.EventType(), readmodel.JSON(recorded.Event))
}

// openThread makes the row of a thread, which the workflow's stream or the thread's own
// stream may name first.
func openThread(tx *readmodel.Tx, id, workflow, kind, task string, at time.Time) error {
	return exec(tx, `INSERT INTO thread (id, workflow, kind, task, opened) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		id, workflow, kind, task, at)
}

// threadOf is the thread whose stream an event is in.
func threadOf(recorded event.Recorded) string { return recorded.Stream[len(thread.StreamPrefix):] }

// The outcomes of a thread whose task is not left yet.
const (
	OutcomeOpen = "open"
	OutcomeHeld = "held" // a fix waits for a person
)

// The kinds of threads.
const (
	KindMaintainer = "maintainer"
	KindPlanner    = "planner"
)

// Thread is what an agent did about one task: for a maintainer, about one failure.
type Thread struct {
	ID       string    `json:"id"`
	Workflow string    `json:"workflow"`
	Kind     string    `json:"kind"`
	Task     string    `json:"task"`
	Title    string    `json:"title"`
	Opened   time.Time `json:"opened"`
	Closed   time.Time `json:"closed,omitzero"`
	// Outcome is [OutcomeOpen] or [OutcomeHeld], then why the task was left: fixed, stale,
	// escalated, replanned, rolled_back, archived; of a planner what it says itself.
	Outcome     string  `json:"outcome"`
	Explanation string  `json:"explanation,omitempty"`
	Tokens      int64   `json:"tokens,omitempty"`
	CostUSD     float64 `json:"cost_usd,omitempty"`
	Model       string  `json:"model,omitempty"`   // that answered last, as its provider names it
	Turns       int     `json:"turns,omitempty"`   // answers of models
	Node        string  `json:"node,omitempty"`    // that works on it, or did last
	Missing     string  `json:"missing,omitempty"` // why no model answers just now
	// Of a maintainer.
	Run      string           `json:"run,omitempty"`      // the failed one
	Failure  *failure.Failure `json:"failure,omitempty"`  // of that run, without stack and body
	Attached int              `json:"attached,omitempty"` // further failures that joined
	Base     string           `json:"base,omitempty"`     // the version that failed
	Version  string           `json:"version,omitempty"`  // the version that mends it, empty if there is none
	Comment  string           `json:"comment,omitempty"`  // of the newest proposal
	Proposal string           `json:"proposal,omitempty"`
	Attempt  int              `json:"attempt,omitempty"`
	Budget   int              `json:"budget,omitempty"`
}

func scanThread(row readmodel.Row) (Thread, error) {
	found := Thread{
		ID: row.Text("id"), Workflow: row.Text("workflow"), Kind: row.Text("kind"), Task: row.Text("task"), Title: row.Text("title"),
		Opened: row.Time("opened"), Closed: row.Time("closed"), Outcome: row.Text("outcome"), Explanation: row.Text("explanation"),
		Tokens: row.Int64("tokens"), CostUSD: row.Float("cost"), Model: row.Text("model"), Turns: row.Int("turns"),
		Node: row.Text("node"), Missing: row.Text("missing"),
		Run: row.Text("run"), Attached: row.Int("attached"), Base: row.Text("base"), Version: row.Text("version"),
		Comment: row.Text("comment"), Proposal: row.Text("proposal"), Attempt: row.Int("attempt"), Budget: row.Int("budget"),
	}
	err := row.JSON("failure", &found.Failure)
	return found, err
}

// Threads are the threads of a workflow, the newest first; an empty kind chooses all.
func (q *Queries) Threads(ctx context.Context, workflow, kind string) ([]Thread, error) {
	var chosen conditions
	chosen.add("workflow = ?", workflow)
	chosen.equal("kind", kind)
	return collect(ctx, q, scanThread, "SELECT * FROM thread"+chosen.where()+" ORDER BY number DESC", chosen.args...)
}

// Thread is one thread.
func (q *Queries) Thread(ctx context.Context, id string) (Thread, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no thread %q: see the threads of the workflow", id),
		scanThread, `SELECT * FROM thread WHERE id = ?`, id)
}

// ThreadEntry is one thing that was said or done in a thread. Kind is the event's type;
// one of the pointers is set.
type ThreadEntry struct {
	Revision  int64                   `json:"revision"`
	At        time.Time               `json:"at"`
	Actor     string                  `json:"actor"`
	Kind      string                  `json:"kind"`
	Message   *thread.MessageAppended `json:"message,omitempty"`
	Invoked   *thread.ToolInvoked     `json:"invoked,omitempty"`
	Resulted  *thread.ToolResulted    `json:"resulted,omitempty"`
	Candidate *thread.CandidateJudged `json:"candidate,omitempty"`
	// Unavailable says that a provider gave no answer.
	Unavailable *thread.ModelUnavailable `json:"unavailable,omitempty"`
}

// ThreadEntries are all messages, tool calls and judged candidates of a thread, in order.
func (q *Queries) ThreadEntries(ctx context.Context, id string) ([]ThreadEntry, error) {
	return collect(ctx, q, func(row readmodel.Row) (ThreadEntry, error) {
		entry := ThreadEntry{
			Revision: row.Int64("revision"), At: row.Time("at"), Actor: row.Text("actor"), Kind: row.Text("kind"),
		}
		var into any
		switch entry.Kind {
		case thread.TypeMessageAppended:
			into = &entry.Message
		case thread.TypeToolInvoked:
			into = &entry.Invoked
		case thread.TypeToolResulted:
			into = &entry.Resulted
		case thread.TypeModelUnavailable:
			into = &entry.Unavailable
		default: // CandidateJudged
			into = &entry.Candidate
		}
		err := json.Unmarshal(row.Bytes("entry"), into)
		return entry, err
	}, `SELECT * FROM thread_entry WHERE thread = ? ORDER BY revision`, id)
}
