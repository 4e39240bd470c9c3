package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

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
	Proposal  string         `json:"proposal" col:"proposal,key"`
	Workflow  string         `json:"workflow" col:"workflow"`
	Task      string         `json:"task" col:"task"`
	Run       string         `json:"run" col:"run"`                   // the failed one
	Base      string         `json:"base" col:"base"`                 // the version it mends
	Version   string         `json:"version,omitempty" col:"version"` // the version it became
	State     FixState       `json:"state" col:"state"`
	Why       string         `json:"why,omitempty" col:"why"` // of the decision: a reason, a note, the divergence
	Withdrawn bool           `json:"withdrawn,omitempty" col:"withdrawn"`
	Code      string         `json:"code" col:"code"`
	Comment   string         `json:"comment" col:"comment"`
	Fixer     workflow.Fixer `json:"fixer" col:"fixer,json"`
	Proposed  time.Time      `json:"proposed" col:"proposed"`
	Decided   time.Time      `json:"decided,omitzero" col:"decided"`
	DecidedBy string         `json:"decided_by,omitempty" col:"decided_by"`
	// Verification is the gate's newest, nil before the first.
	Verification *workflow.Verification `json:"verification,omitempty" col:"verification,json"`
	Reasons      []string               `json:"reasons,omitempty" col:"reasons,json"` // it was held for
	Alternatives []workflow.Alternative `json:"alternatives,omitempty" col:"alternatives,json"`
	Rechecked    time.Time              `json:"rechecked,omitzero" col:"rechecked"`
	// Accepted is what a person's word applied, and widened.
	Accepted *workflow.FixAccepted `json:"accepted,omitempty" col:"accepted,json"`
	Thread   string                `json:"thread,omitempty"`  // of the maintainer
	Attempt  int                   `json:"attempt,omitempty"` // n of …
	Budget   int                   `json:"budget,omitempty"`  // … N

	Number        int64  `json:"-" col:"number"` // in the order they were proposed
	WorkflowOwner string `json:"-" col:"workflow_owner"`
}

var fixes = readmodel.NewTable[Fix]("fix", readmodel.Index("number"), readmodel.Index("workflow", "number"), readmodel.Index("state", "number"),
	readmodel.Index("workflow_owner", "number"), readmodel.Index("workflow_owner", "state", "number"), readmodel.Index("task"), readmodel.Lookup("version", "version", "workflow"))

func applyFix(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	edit := func(proposal string, change func(*Fix)) {
		if one := fixes.Edit(tx, proposal); one != nil {
			change(one)
		}
	}
	decide := func(proposal string, state FixState, why string, v workflow.Version) {
		edit(proposal, func(one *Fix) {
			one.State, one.Why, one.Version, one.Decided, one.DecidedBy = state, why, versionText(v), at, recorded.Metadata.Actor
		})
	}
	onVersion := func(v workflow.Version, change func(*Fix)) {
		for _, one := range fixes.EditWhere(tx, "version", v.String(), workflowOf(recorded)) {
			change(one)
		}
	}
	none := workflow.Version{}
	switch e := recorded.Event.(type) {
	case workflow.FixProposed:
		fixes.Insert(tx, Fix{
			Proposal: e.Proposal, Number: tx.Next("fix"), Workflow: workflowOf(recorded), WorkflowOwner: ownerOf(tx, workflowOf(recorded)), Task: e.Task, Run: e.Run, Base: versionText(e.Base),
			State: FixProposed, Code: e.Code, Comment: e.Comment, Fixer: e.Fixer, Proposed: at,
		})
	case workflow.FixVerified:
		edit(e.Proposal, func(one *Fix) { one.Verification, one.Alternatives = &e.Verification, e.Alternatives })
	case workflow.FixRechecked:
		edit(e.Proposal, func(one *Fix) {
			one.Verification, one.Reasons, one.Rechecked = &e.Verification, e.Reasons, at
			if e.Reasons == nil {
				one.Reasons = e.Verification.Reasons
			}
			if e.Alternatives != nil {
				one.Alternatives = e.Alternatives
			}
		})
	case workflow.FixHeld:
		edit(e.Proposal, func(one *Fix) { one.State, one.Reasons, one.Alternatives = FixHeld, e.Reasons, e.Alternatives })
	case workflow.FixApplied:
		decide(e.Proposal, FixApplied, "", e.Version)
	case workflow.FixAccepted:
		edit(e.Proposal, func(one *Fix) { one.Accepted = &e })
		decide(e.Proposal, FixAccepted, e.Reason, e.Version)
	case workflow.FixDeclined:
		decide(e.Proposal, FixDeclined, e.Reason, none)
	case workflow.FixCorrectionRequested:
		decide(e.Proposal, FixCorrected, e.Note, none)
	case workflow.FixRejectedStale:
		decide(e.Proposal, FixStale, e.Why, none)
	case workflow.FixRejectedDifferent:
		decide(e.Proposal, FixDifferent, e.Divergence, none)
	case workflow.FixConfirmed:
		onVersion(e.Version, func(one *Fix) { one.State = FixConfirmed })
		for minor := range e.Version.Minor { // with a fix, those it is built on, unless it is known that they did not do
			onVersion(workflow.Version{Major: e.Version.Major, Minor: minor}, func(one *Fix) {
				if one.State == FixApplied || one.State == FixAccepted {
					one.State = FixConfirmed
				}
			})
		}
	case workflow.FixRegressed:
		onVersion(e.Version, func(one *Fix) { one.State = FixRegressed })
	case workflow.Escalated:
		for _, v := range e.Withdrawn {
			onVersion(v, func(one *Fix) {
				if one.Withdrawn = true; one.State != FixRegressed {
					one.State = FixWithdrawn
				}
			})
		}
	}
	return nil
}

// Change says in a line what the fix changes; of one that a person took an alternative of, what that does.
func (f Fix) Change() string {
	if a := f.Accepted; a != nil && a.Alternative > 0 && a.Alternative <= len(f.Alternatives) {
		return f.Alternatives[a.Alternative-1].Comment
	}
	return f.Comment
}

// FixFilter chooses fixes; empty fields choose all.
type FixFilter struct {
	Workflow string
	Owner    string // of the workflow
	State    FixState
	// SameCause chooses that fix, and the newest one of each other workflow that failed of the same cause.
	SameCause string
	// Limit is the most fixes to return, the newest; 0 for no limit.
	Limit int
	// Before leaves out that fix and those after it: it is the last one of the page before.
	Before string
}

// selectFix is a fix, with what is asked for of its thread.
var selectFix = "SELECT " + fixes.Columns() + `, thread.id AS thread, thread.attempt AS attempt, thread.budget AS budget
	FROM fix LEFT JOIN thread ON thread.task = fix.task AND thread.task <> ''`

func scanFix(row readmodel.Row) (Fix, error) {
	found, err := fixes.Scan(row)
	found.Thread, found.Attempt, found.Budget = row.Text("thread"), row.Int("attempt"), row.Int("budget")
	return found, err
}

// Fixes are the fixes chosen, the newest first.
func (q *Queries) Fixes(ctx context.Context, filter FixFilter) ([]Fix, error) {
	var chosen conditions
	chosen.of("fix", filter.Workflow, filter.Owner)
	chosen.equal("fix.state", string(filter.State))
	if filter.SameCause != "" {
		chosen.add(`fix.proposal IN (SELECT cause.fix FROM fix this JOIN cause_task ON cause_task.task = this.task JOIN cause_run ON cause_run.run = cause_task.run
			JOIN cause ON cause.host = cause_run.host AND cause.loose = cause_run.loose WHERE this.proposal = ?)`, filter.SameCause)
	}
	if filter.Before != "" {
		chosen.add("fix.number < (SELECT number FROM fix WHERE proposal = ?)", filter.Before)
	}
	return collect(ctx, q, scanFix, chosen.limit(selectFix+chosen.where()+" ORDER BY fix.number DESC", filter.Limit), chosen.args...)
}

// Fix is one fix.
func (q *Queries) Fix(ctx context.Context, proposal string) (Fix, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no fix %q: see the list of fixes", proposal),
		scanFix, selectFix+" WHERE fix.proposal = ?", proposal)
}
