package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const fixSchema = `
CREATE TABLE fix (
  number       INTEGER PRIMARY KEY, -- in the order they were proposed
  proposal     TEXT NOT NULL UNIQUE,
  workflow     TEXT NOT NULL,
  task         TEXT NOT NULL,
  run          TEXT NOT NULL,
  base         TEXT NOT NULL,
  major        INTEGER NOT NULL DEFAULT 0, -- of the version it became
  minor        INTEGER NOT NULL DEFAULT 0,
  version      TEXT NOT NULL AS (iif(major, major || '.' || minor, '')),
  state        TEXT NOT NULL,
  why          TEXT NOT NULL DEFAULT '',
  withdrawn    INTEGER NOT NULL DEFAULT 0,
  code         TEXT NOT NULL,
  comment      TEXT NOT NULL,
  fixer        TEXT NOT NULL, -- JSON
  proposed     INTEGER NOT NULL,
  decided      INTEGER,
  decided_by   TEXT NOT NULL DEFAULT '',
  verification TEXT, -- JSON
  reasons      TEXT, -- JSON
  alternatives TEXT, -- JSON
  rechecked    INTEGER,
  accepted     TEXT  -- JSON
);
CREATE INDEX fix_workflow ON fix (workflow, number);
`

func applyFix(tx *readmodel.Tx, recorded event.Recorded) error {
	at, actor := recorded.Metadata.RecordedAt, recorded.Metadata.Actor
	set := func(proposal, assignments string, args ...any) error {
		return exec(tx, "UPDATE fix SET "+assignments+" WHERE proposal = ?", append(args, proposal)...)
	}
	decide := func(proposal string, state FixState, why string, v workflow.Version) error {
		return set(proposal, "state = ?, why = ?, major = ?, minor = ?, decided = ?, decided_by = ?", state, why, v.Major, v.Minor, at, actor)
	}
	onVersion := func(v workflow.Version, assignments string, args ...any) error {
		return exec(tx, "UPDATE fix SET "+assignments+" WHERE workflow = ? AND major = ? AND minor = ?",
			append(args, workflowOf(recorded), v.Major, v.Minor)...)
	}
	none := workflow.Version{}
	switch e := recorded.Event.(type) {
	case workflow.FixProposed:
		return exec(tx, `INSERT INTO fix (proposal, workflow, task, run, base, state, code, comment, fixer, proposed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.Proposal, workflowOf(recorded), e.Task, e.Run, versionText(e.Base),
			FixProposed, e.Code, e.Comment, readmodel.JSON(e.Fixer), at)
	case workflow.FixVerified:
		return set(e.Proposal, "verification = ?, alternatives = ?", readmodel.JSON(e.Verification), readmodel.JSON(e.Alternatives))
	case workflow.FixRechecked:
		reasons := e.Reasons
		if reasons == nil {
			reasons = e.Verification.Reasons
		}
		if e.Alternatives != nil {
			if err := set(e.Proposal, "alternatives = ?", readmodel.JSON(e.Alternatives)); err != nil {
				return err
			}
		}
		return set(e.Proposal, "verification = ?, reasons = ?, rechecked = ?", readmodel.JSON(e.Verification), readmodel.JSON(reasons), at)
	case workflow.FixHeld:
		return set(e.Proposal, "state = ?, reasons = ?, alternatives = ?", FixHeld, readmodel.JSON(e.Reasons), readmodel.JSON(e.Alternatives))
	case workflow.FixApplied:
		return decide(e.Proposal, FixApplied, "", e.Version)
	case workflow.FixAccepted:
		if err := set(e.Proposal, "accepted = ?", readmodel.JSON(e)); err != nil {
			return err
		}
		return decide(e.Proposal, FixAccepted, e.Reason, e.Version)
	case workflow.FixDeclined:
		return decide(e.Proposal, FixDeclined, e.Reason, none)
	case workflow.FixCorrectionRequested:
		return decide(e.Proposal, FixCorrected, e.Note, none)
	case workflow.FixRejectedStale:
		return decide(e.Proposal, FixStale, e.Why, none)
	case workflow.FixRejectedDifferent:
		return decide(e.Proposal, FixDifferent, e.Divergence, none)
	case workflow.FixConfirmed:
		// With a fix, those it is built on, unless it is known that they did not do.
		return exec(tx, `UPDATE fix SET state = ?1 WHERE workflow = ?2 AND major = ?3
			AND (minor = ?4 OR minor < ?4 AND state IN (?5, ?6))`,
			FixConfirmed, workflowOf(recorded), e.Version.Major, e.Version.Minor, FixApplied, FixAccepted)
	case workflow.FixRegressed:
		return onVersion(e.Version, "state = ?", FixRegressed)
	case workflow.Escalated:
		for _, v := range e.Withdrawn {
			err := onVersion(v, "withdrawn = 1, state = iif(state = ?, state, ?)", FixRegressed, FixWithdrawn)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// FixState is where a fix stands.
type FixState string

// The states of a fix. An applied or accepted one goes on to be confirmed, regressed or withdrawn.
const (
	FixProposed  FixState = "proposed"
	FixHeld      FixState = "held"
	FixApplied   FixState = "applied"
	FixAccepted  FixState = "accepted"
	FixDeclined  FixState = "declined"
	FixCorrected FixState = "corrected"
	FixStale     FixState = "stale"
	FixDifferent FixState = "different"
	FixConfirmed FixState = "confirmed"
	FixRegressed FixState = "regressed"
	FixWithdrawn FixState = "withdrawn"
)

// Fix is a proposed fix and what became of it.
type Fix struct {
	Proposal  string         `json:"proposal"`
	Workflow  string         `json:"workflow"`
	Task      string         `json:"task"`
	Run       string         `json:"run"`               // the failed one
	Base      string         `json:"base"`              // the version it mends
	Version   string         `json:"version,omitempty"` // the version it became
	State     FixState       `json:"state"`
	Why       string         `json:"why,omitempty"` // of the decision: a reason, a note, the divergence
	Withdrawn bool           `json:"withdrawn,omitempty"`
	Code      string         `json:"code"`
	Comment   string         `json:"comment"`
	Fixer     workflow.Fixer `json:"fixer"`
	Proposed  time.Time      `json:"proposed"`
	Decided   time.Time      `json:"decided,omitzero"`
	DecidedBy string         `json:"decided_by,omitempty"`
	// Verification is the gate's newest, nil before the first.
	Verification *workflow.Verification `json:"verification,omitempty"`
	Reasons      []string               `json:"reasons,omitempty"` // it was held for
	Alternatives []workflow.Alternative `json:"alternatives,omitempty"`
	Rechecked    time.Time              `json:"rechecked,omitzero"`
	// Accepted is what a person's word applied, and widened.
	Accepted *workflow.FixAccepted `json:"accepted,omitempty"`
	Thread   string                `json:"thread,omitempty"`  // of the maintainer
	Attempt  int                   `json:"attempt,omitempty"` // n of …
	Budget   int                   `json:"budget,omitempty"`  // … N
}

// Change says in a line what the fix changes; of one that a person took an alternative of, what that does.
func (f Fix) Change() string {
	if a := f.Accepted; a != nil && a.Alternative > 0 && a.Alternative <= len(f.Alternatives) {
		return f.Alternatives[a.Alternative-1].Comment
	}
	return f.Comment
}

func scanFix(row readmodel.Row) (Fix, error) {
	found := Fix{
		Proposal: row.Text("proposal"), Workflow: row.Text("workflow"), Task: row.Text("task"), Run: row.Text("run"),
		Base: row.Text("base"), Version: row.Text("version"), State: FixState(row.Text("state")), Why: row.Text("why"),
		Withdrawn: row.Bool("withdrawn"), Code: row.Text("code"), Comment: row.Text("comment"),
		Proposed: row.Time("proposed"), Decided: row.Time("decided"), DecidedBy: row.Text("decided_by"),
		Rechecked: row.Time("rechecked"), Thread: row.Text("thread"), Attempt: row.Int("attempt"), Budget: row.Int("budget"),
	}
	for column, into := range map[string]any{
		"fixer": &found.Fixer, "verification": &found.Verification, "reasons": &found.Reasons, "alternatives": &found.Alternatives,
		"accepted": &found.Accepted,
	} {
		if err := row.JSON(column, into); err != nil {
			return found, err
		}
	}
	return found, nil
}

// FixFilter chooses fixes; empty fields choose all.
type FixFilter struct {
	Workflow string
	State    FixState
}

const selectFix = `SELECT fix.*, thread.id AS thread, thread.attempt, thread.budget FROM fix LEFT JOIN thread ON thread.task = fix.task`

// Fixes are the fixes chosen, the newest first.
func (q *Queries) Fixes(ctx context.Context, filter FixFilter) ([]Fix, error) {
	var chosen conditions
	chosen.equal("fix.workflow", filter.Workflow)
	chosen.equal("fix.state", string(filter.State))
	return collect(ctx, q, scanFix, selectFix+chosen.where()+" ORDER BY fix.number DESC", chosen.args...)
}

// Fix is one fix.
func (q *Queries) Fix(ctx context.Context, proposal string) (Fix, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no fix %q: see the list of fixes", proposal),
		scanFix, selectFix+` WHERE fix.proposal = ?`, proposal)
}
