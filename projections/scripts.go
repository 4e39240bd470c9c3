package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Script is a saved version.
type Script struct {
	Workflow string          `json:"workflow" col:"workflow,key"`
	Major    int             `json:"-" col:"major,key"`
	Minor    int             `json:"-" col:"minor,key"`
	Version  string          `json:"version" col:"version"`
	ID       string          `json:"id" col:"id"`
	SHA256   string          `json:"sha256" col:"sha256"`
	Comment  string          `json:"comment" col:"comment"`
	Summary  string          `json:"summary,omitempty" col:"summary"`
	Diagram  string          `json:"diagram,omitempty" col:"diagram"`
	Origin   workflow.Origin `json:"origin" col:"origin"`
	Task     string          `json:"task,omitempty" col:"task"`
	Proposal string          `json:"proposal,omitempty" col:"proposal"`
	Restored string          `json:"restored,omitempty" col:"restored"` // the version that a rollback brought back
	Author   string          `json:"author" col:"author"`
	Saved    time.Time       `json:"saved" col:"saved"`
	Active   bool            `json:"active" col:"active"`
	// Confirmed says that the run a fix was made for succeeded on it or on a later one,
	// Withdrawn that the fix was taken back unconfirmed.
	Confirmed bool   `json:"confirmed,omitempty" col:"confirmed"`
	Withdrawn bool   `json:"withdrawn,omitempty" col:"withdrawn"`
	Code      string `json:"code" col:"code"`

	ActiveOf string `json:"-" col:"active_of"` // the workflow, of its active version
}

var scripts = readmodel.NewTable[Script]("script", readmodel.Lookup("active", "active_of"))

func applyScript(tx *readmodel.Tx, recorded event.Recorded) error {
	id := workflowOf(recorded)
	switch e := recorded.Event.(type) {
	case workflow.ScriptSaved:
		saved := Script{
			Workflow: id, Major: e.Version.Major, Minor: e.Version.Minor, Version: e.Version.String(), ID: e.ScriptID, SHA256: e.SHA256,
			Comment: e.Comment, Summary: e.Summary, Diagram: e.Diagram, Origin: e.Origin, Task: e.Task, Proposal: e.Proposal,
			Author: recorded.Metadata.Actor, Saved: recorded.Metadata.RecordedAt, Code: e.Code,
		}
		if e.Restored != nil {
			saved.Restored = e.Restored.String()
		}
		scripts.Insert(tx, saved)
		activate(tx, id, e.Version)
	case workflow.FixConfirmed:
		for minor := range e.Version.Minor + 1 { // with a fix, those it is built on
			if one := scripts.Get(tx, id, e.Version.Major, minor); one != nil && one.Origin == workflow.OriginMaintainer && !one.Confirmed {
				scripts.Edit(tx, id, e.Version.Major, minor).Confirmed = true
			}
		}
	case workflow.Escalated:
		for _, v := range e.Withdrawn {
			if one := scripts.Edit(tx, id, v.Major, v.Minor); one != nil {
				one.Withdrawn = true
			}
		}
		if !e.Active.IsZero() {
			activate(tx, id, e.Active)
		}
	}
	return nil
}

// activate makes a version the one that runs.
func activate(tx *readmodel.Tx, id string, v workflow.Version) {
	for _, before := range scripts.EditWhere(tx, "active", id) {
		before.Active, before.ActiveOf = false, ""
	}
	if now := scripts.Edit(tx, id, v.Major, v.Minor); now != nil {
		now.Active, now.ActiveOf = true, id
	}
}

// Scripts are all versions of a workflow's script, with their code, oldest first.
func (q *Queries) Scripts(ctx context.Context, workflow string) ([]Script, error) {
	return selected(ctx, q, scripts, "WHERE workflow = ? ORDER BY major, minor", workflow)
}

// Script is one version.
func (q *Queries) Script(ctx context.Context, id string, v workflow.Version) (Script, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "workflow %s has no version %s: see its list of scripts", id, v),
		scripts, "WHERE workflow = ? AND major = ? AND minor = ?", id, v.Major, v.Minor)
}

// ActiveScript is the version that runs now.
func (q *Queries) ActiveScript(ctx context.Context, id string) (Script, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "workflow %q has no script yet: save one", id),
		scripts, "WHERE active_of = ? AND active_of <> ''", id)
}
