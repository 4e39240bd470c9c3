package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const scriptSchema = `
CREATE TABLE script (
  workflow  TEXT NOT NULL,
  major     INTEGER NOT NULL,
  minor     INTEGER NOT NULL,
  version   TEXT NOT NULL AS (major || '.' || minor),
  id        TEXT NOT NULL,
  sha256    TEXT NOT NULL,
  comment   TEXT NOT NULL,
  summary   TEXT NOT NULL,
  diagram   TEXT NOT NULL,
  origin    TEXT NOT NULL,
  task      TEXT NOT NULL,
  proposal  TEXT NOT NULL,
  restored  TEXT NOT NULL, -- the version that a rollback brought back
  author    TEXT NOT NULL,
  saved     INTEGER NOT NULL,
  active    INTEGER NOT NULL,
  confirmed INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  code      TEXT NOT NULL,
  PRIMARY KEY (workflow, major, minor)
) WITHOUT ROWID;
`

func applyScript(tx *readmodel.Tx, recorded event.Recorded) error {
	id := workflowOf(recorded)
	activate := func(v workflow.Version) error {
		return exec(tx, `UPDATE script SET active = (major = ? AND minor = ?) WHERE workflow = ?`, v.Major, v.Minor, id)
	}
	switch e := recorded.Event.(type) {
	case workflow.ScriptSaved:
		restored := ""
		if e.Restored != nil {
			restored = e.Restored.String()
		}
		err := exec(tx, `INSERT INTO script (workflow, major, minor, id, sha256, comment, summary, diagram, origin, task,
				proposal, restored, author, saved, active, code)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
			id, e.Version.Major, e.Version.Minor, e.ScriptID, e.SHA256, e.Comment, e.Summary, e.Diagram, e.Origin, e.Task,
			e.Proposal, restored, recorded.Metadata.Actor, recorded.Metadata.RecordedAt, e.Code)
		if err != nil {
			return err
		}
		return activate(e.Version)
	case workflow.FixConfirmed:
		// With a fix, those it is built on.
		return exec(tx, `UPDATE script SET confirmed = 1 WHERE workflow = ? AND major = ? AND minor <= ? AND origin = ?`,
			id, e.Version.Major, e.Version.Minor, workflow.OriginMaintainer)
	case workflow.Escalated:
		for _, v := range e.Withdrawn {
			err := exec(tx, `UPDATE script SET withdrawn = 1 WHERE workflow = ? AND major = ? AND minor = ?`, id, v.Major, v.Minor)
			if err != nil {
				return err
			}
		}
		if !e.Active.IsZero() {
			return activate(e.Active)
		}
	}
	return nil
}

// Script is a saved version.
type Script struct {
	Workflow string          `json:"workflow"`
	Version  string          `json:"version"`
	ID       string          `json:"id"`
	SHA256   string          `json:"sha256"`
	Comment  string          `json:"comment"`
	Summary  string          `json:"summary,omitempty"`
	Diagram  string          `json:"diagram,omitempty"`
	Origin   workflow.Origin `json:"origin"`
	Task     string          `json:"task,omitempty"`
	Proposal string          `json:"proposal,omitempty"`
	Restored string          `json:"restored,omitempty"` // the version that a rollback brought back
	Author   string          `json:"author"`
	Saved    time.Time       `json:"saved"`
	Active   bool            `json:"active"`
	// Confirmed says that the run a fix was made for succeeded on it or on a later one,
	// Withdrawn that the fix was taken back unconfirmed.
	Confirmed bool   `json:"confirmed,omitempty"`
	Withdrawn bool   `json:"withdrawn,omitempty"`
	Code      string `json:"code"`
}

func scanScript(row readmodel.Row) (Script, error) {
	return Script{
		Workflow: row.Text("workflow"), Version: row.Text("version"), ID: row.Text("id"), SHA256: row.Text("sha256"),
		Comment: row.Text("comment"), Summary: row.Text("summary"), Diagram: row.Text("diagram"),
		Origin: workflow.Origin(row.Text("origin")), Task: row.Text("task"), Proposal: row.Text("proposal"),
		Restored: row.Text("restored"), Author: row.Text("author"), Saved: row.Time("saved"),
		Active: row.Bool("active"), Confirmed: row.Bool("confirmed"), Withdrawn: row.Bool("withdrawn"), Code: row.Text("code"),
	}, nil
}

// Scripts are all versions of a workflow's script, with their code, oldest first.
func (q *Queries) Scripts(ctx context.Context, workflow string) ([]Script, error) {
	return collect(ctx, q, scanScript, `SELECT * FROM script WHERE workflow = ? ORDER BY major, minor`, workflow)
}

// Script is one version.
func (q *Queries) Script(ctx context.Context, id string, v workflow.Version) (Script, error) {
	return one(ctx, q, fault.New(fault.NotFound, "workflow %s has no version %s: see its list of scripts", id, v),
		scanScript, `SELECT * FROM script WHERE workflow = ? AND major = ? AND minor = ?`, id, v.Major, v.Minor)
}

// ActiveScript is the version that runs now.
func (q *Queries) ActiveScript(ctx context.Context, id string) (Script, error) {
	return one(ctx, q, fault.New(fault.NotFound, "workflow %q has no script yet: save one", id),
		scanScript, `SELECT * FROM script WHERE workflow = ? AND active`, id)
}
