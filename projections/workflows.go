package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const workflowSchema = `
CREATE TABLE workflow (
  id           TEXT PRIMARY KEY,
  title        TEXT NOT NULL,
  intent       TEXT NOT NULL,
  owner        TEXT NOT NULL,
  zone         TEXT NOT NULL,
  created      INTEGER NOT NULL,
  updated      INTEGER NOT NULL,
  activated    INTEGER NOT NULL DEFAULT 0,
  paused       INTEGER NOT NULL DEFAULT 0,
  archived     INTEGER NOT NULL DEFAULT 0,
  waiting      INTEGER NOT NULL DEFAULT 0,
  escalated    INTEGER NOT NULL DEFAULT 0,
  task         TEXT NOT NULL DEFAULT '', -- the open maintainer task
  held         TEXT NOT NULL DEFAULT '', -- the proposal that waits for a person
  status       TEXT NOT NULL AS (CASE
    WHEN archived THEN 'archived'
    WHEN paused THEN 'paused'
    WHEN escalated THEN 'escalated'
    WHEN held <> '' THEN 'held'
    WHEN task <> '' THEN 'maintenance'
    WHEN waiting THEN 'waiting'
    WHEN activated THEN 'active'
    ELSE 'draft' END),
  version      TEXT NOT NULL DEFAULT '', -- the active one
  auto_fix     TEXT NOT NULL DEFAULT 'auto',
  schedule     TEXT NOT NULL DEFAULT '',
  versions     INTEGER NOT NULL DEFAULT 0,
  fixes        INTEGER NOT NULL DEFAULT 0, -- applied or accepted
  running      INTEGER NOT NULL DEFAULT 0, -- admitted and not settled
  succeeded    INTEGER NOT NULL DEFAULT 0,
  failed       INTEGER NOT NULL DEFAULT 0,
  last_run     TEXT NOT NULL DEFAULT '', -- the one that was settled last
  last_outcome TEXT NOT NULL DEFAULT '',
  last_version TEXT NOT NULL DEFAULT '',
  last_ended   INTEGER
) WITHOUT ROWID;
CREATE INDEX workflow_created ON workflow (created);
`

func applyWorkflow(tx *readmodel.Tx, recorded event.Recorded) error {
	set := func(assignments string, args ...any) error {
		args = append(args, recorded.Metadata.RecordedAt, workflowOf(recorded))
		return exec(tx, "UPDATE workflow SET "+assignments+", updated = ? WHERE id = ?", args...)
	}
	at := recorded.Metadata.RecordedAt
	switch e := recorded.Event.(type) {
	case workflow.WorkflowCreated:
		return exec(tx, `INSERT INTO workflow (id, title, intent, owner, zone, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			e.ID, e.Title, e.Intent, e.Owner, e.Zone, at, at)
	case workflow.IntentChanged:
		if e.Title == "" {
			return set("intent = ?", e.Intent)
		}
		return set("intent = ?, title = ?", e.Intent, e.Title)
	case workflow.ScriptSaved:
		return set("version = ?, versions = versions + 1, escalated = 0", versionText(e.Version))
	case workflow.ScheduleChanged:
		return set("schedule = ?", e.Spec)
	case workflow.SettingsChanged:
		return set("auto_fix = ?", e.Settings.WithDefaults().AutoFix)
	case workflow.WorkflowActivated:
		return set("activated = 1, paused = 0, waiting = 0, escalated = 0")
	case workflow.WorkflowPaused:
		return set("paused = 1")
	case workflow.WorkflowArchived:
		return set("archived = 1")
	case workflow.WorkflowRestored:
		return set("archived = 0, paused = 1")
	case workflow.RunAdmitted:
		return set("running = running + 1")
	case workflow.RunSucceeded:
		return set("running = running - 1, succeeded = succeeded + 1, last_run = ?, last_outcome = 'succeeded', last_version = ?, last_ended = ?", e.Run, versionText(e.Version), at)
	case workflow.RunFailed:
		return set("running = running - 1, failed = failed + 1, last_run = ?, last_outcome = 'failed', last_version = ?, last_ended = ?", e.Run, versionText(e.Version), at)
	case workflow.AuthErrorClassified, workflow.PermissionErrorClassified:
		// It is in the same append as the RunFailed; only the active version makes the workflow wait.
		return set("waiting = waiting OR last_version = version")
	case workflow.MaintenanceEntered:
		return set("task = ?", e.Task)
	case workflow.FixHeld:
		return set("held = ?", e.Proposal)
	case workflow.FixCorrectionRequested:
		return set("held = ''")
	case workflow.FixApplied, workflow.FixAccepted:
		return set("fixes = fixes + 1")
	case workflow.MaintenanceExited:
		return set("task = '', held = ''")
	case workflow.Escalated:
		return set("escalated = 1, version = iif(?1 = '', version, ?1)", versionText(e.Active))
	}
	return nil
}

// Workflow is a workflow as people see it in a list.
type Workflow struct {
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Intent      string          `json:"intent"`
	Owner       string          `json:"owner"`
	Zone        string          `json:"zone"`
	Status      workflow.Status `json:"status"`
	Version     string          `json:"version"` // the active one, empty before the first save
	AutoFix     workflow.Mode   `json:"auto_fix"`
	Schedule    string          `json:"schedule,omitempty"`
	Created     time.Time       `json:"created"`
	Updated     time.Time       `json:"updated"`
	Versions    int             `json:"versions"`
	Fixes       int             `json:"fixes"`   // applied or accepted
	Running     int             `json:"running"` // admitted and not settled
	Succeeded   int             `json:"succeeded"`
	Failed      int             `json:"failed"`
	LastRun     string          `json:"last_run,omitempty"` // the one that was settled last
	LastOutcome string          `json:"last_outcome,omitempty"`
	LastEnded   time.Time       `json:"last_ended,omitzero"`
	OpenTask    string          `json:"open_task,omitempty"` // of the maintainer
	HeldFix     string          `json:"held_fix,omitempty"`  // the proposal that waits for a person
}

func scanWorkflow(row readmodel.Row) (Workflow, error) {
	return Workflow{
		ID: row.Text("id"), Title: row.Text("title"), Intent: row.Text("intent"), Owner: row.Text("owner"), Zone: row.Text("zone"),
		Status: workflow.Status(row.Text("status")), Version: row.Text("version"),
		AutoFix: workflow.Mode(row.Text("auto_fix")), Schedule: row.Text("schedule"),
		Created: row.Time("created"), Updated: row.Time("updated"),
		Versions: row.Int("versions"), Fixes: row.Int("fixes"),
		Running: row.Int("running"), Succeeded: row.Int("succeeded"), Failed: row.Int("failed"),
		LastRun: row.Text("last_run"), LastOutcome: row.Text("last_outcome"), LastEnded: row.Time("last_ended"),
		OpenTask: row.Text("task"), HeldFix: row.Text("held"),
	}, nil
}

// WorkflowFilter chooses workflows; empty fields choose all.
type WorkflowFilter struct {
	Status workflow.Status
	// Archived includes archived workflows, which are left out otherwise unless Status asks for them.
	Archived bool
}

// Workflows are the workflows chosen, in the order they were created.
func (q *Queries) Workflows(ctx context.Context, filter WorkflowFilter) ([]Workflow, error) {
	var chosen conditions
	chosen.equal("status", string(filter.Status))
	if filter.Status == "" && !filter.Archived {
		chosen.add("NOT archived")
	}
	return collect(ctx, q, scanWorkflow, "SELECT * FROM workflow"+chosen.where()+" ORDER BY created, id", chosen.args...)
}

// Workflow is one workflow.
func (q *Queries) Workflow(ctx context.Context, id string) (Workflow, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no workflow %q: see the list of workflows", id),
		scanWorkflow, `SELECT * FROM workflow WHERE id = ?`, id)
}
