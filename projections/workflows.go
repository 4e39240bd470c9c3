package projections

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Workflow is a workflow as people see it in a list.
type Workflow struct {
	ID          string          `json:"id" col:"id,key"`
	Title       string          `json:"title" col:"title"`
	Intent      string          `json:"intent" col:"intent"`
	Owner       string          `json:"owner" col:"owner"`
	Zone        string          `json:"zone" col:"zone"`
	Status      workflow.Status `json:"status" col:"status"`
	Version     string          `json:"version" col:"version"` // the active one, empty before the first save
	AutoFix     workflow.Mode   `json:"auto_fix" col:"auto_fix"`
	Schedule    string          `json:"schedule,omitempty" col:"schedule"`
	SlotZone    string          `json:"schedule_zone,omitempty" col:"schedule_zone"` // of the schedule, if it has one of its own
	Created     time.Time       `json:"created" col:"created"`
	Updated     time.Time       `json:"updated" col:"updated"`
	Versions    int             `json:"versions" col:"versions"`
	Fixes       int             `json:"fixes" col:"fixes"`     // applied or accepted
	Running     int             `json:"running" col:"running"` // admitted and not settled
	Succeeded   int             `json:"succeeded" col:"succeeded"`
	Failed      int             `json:"failed" col:"failed"`
	LastRun     string          `json:"last_run,omitempty" col:"last_run"` // the one that was settled last
	LastOutcome string          `json:"last_outcome,omitempty" col:"last_outcome"`
	LastEnded   time.Time       `json:"last_ended,omitzero" col:"last_ended"`
	OpenTask    string          `json:"open_task,omitempty" col:"task"` // of the maintainer
	HeldFix     string          `json:"held_fix,omitempty" col:"held"`  // the proposal that waits for a person

	Agent    AgentStatus   `json:"agent" col:"agent"`                      // what is under way
	Retrying []RetryingRun `json:"retrying,omitempty" col:"retrying,json"` // the other side did not answer them

	Labels workflow.Labels `json:"labels,omitempty" col:"labels,json"`

	// For a draft: when somebody worked on it last, when its owner was asked last whether they go on, and when it
	// goes to the archive by itself.
	Touched  time.Time `json:"touched,omitzero" col:"touched"`
	Prompted time.Time `json:"prompted,omitzero" col:"prompted"`
	Archives time.Time `json:"archives,omitzero" col:"archives"`

	// Sources of the status, beside the open task and the held fix.
	Activated   bool   `json:"-" col:"activated"`
	Paused      bool   `json:"-" col:"paused"`
	Archived    bool   `json:"-" col:"archived"`
	Waiting     bool   `json:"-" col:"waiting"`
	Escalated   bool   `json:"-" col:"escalated"`
	LastVersion string `json:"-" col:"last_version"` // that the last run ran

	// Sources of the agent's status, beside these.
	Planner      string   `json:"-" col:"planner"` // the open task
	PlannerWaits bool     `json:"-" col:"planner_waits"`
	Waits        []string `json:"-" col:"waits,json"`
	Silent       string   `json:"-" col:"silent"`     // the host that did not answer last
	Refused      string   `json:"-" col:"refused"`    // the run that failed of access last
	Tried        string   `json:"-" col:"tried"`      // the run that is tried with the access that it lacked
	Unanswered   string   `json:"-" col:"unanswered"` // the run that failed last, if the other side did not answer it

	Words  string `json:"-" col:"words"`  // that it is found by
	Name   string `json:"-" col:"name"`   // that it is sorted by
	Moment int64  `json:"-" col:"moment"` // that it is sorted by: the second of Updated
	Number int64  `json:"-" col:"number"` // in the order they were created
}

// Each list has an index for each of its orders: of everybody's and of an owner's, in use and of a status. PostgreSQL writes
// all of them again with a row of which one changes, so that they have nothing that changes with each of many runs.
var workflows = readmodel.NewTable[Workflow]("workflow", readmodel.Index("number"),
	readmodel.Index("archived", "number"), readmodel.Index("archived", "name", "number"), readmodel.Index("archived", "moment", "number"),
	readmodel.Index("status", "number"), readmodel.Index("status", "name", "number"), readmodel.Index("status", "moment", "number"),
	readmodel.Index("owner", "archived", "number"), readmodel.Index("owner", "archived", "name", "number"), readmodel.Index("owner", "archived", "moment", "number"),
	readmodel.Index("owner", "status", "number"), readmodel.Index("owner", "status", "name", "number"), readmodel.Index("owner", "status", "moment", "number"),
	readmodel.Index("status", "touched", "id"), readmodel.Index("status", "owner", "touched", "id"))

func applyWorkflow(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	if e, is := recorded.Event.(workflow.WorkflowCreated); is {
		created := Workflow{
			Number: tx.Next("workflow"), ID: e.ID, Title: e.Title, Intent: e.Intent, Owner: e.Owner, Zone: e.Zone, Status: workflow.StatusDraft,
			AutoFix: workflow.ModeAuto, Created: at, Updated: at, Moment: at.Unix(), Touched: at, Agent: AgentIdle, Words: wordsOf(e.Title, e.Intent), Name: nameOf(e.Title),
		}
		workflows.Insert(tx, created)
		created.find(tx, "")
		return nil
	}
	id, its := strings.CutPrefix(recorded.Stream, workflow.StreamPrefix)
	switch recorded.Event.(type) {
	case run.AnswerAwaited, run.AnswerGiven, run.EffectInDoubt, run.EffectLookedUp, run.EffectResolved, run.RunEnded, run.ExecutionCancelled:
		id, its = workflowOf(recorded), true // a run may stand still until its person acts
	}
	if !its {
		return nil
	}
	w := workflows.Edit(tx, id)
	if w == nil {
		return nil
	}
	words, retried := w.Words, len(w.Retrying) > 0
	if w.apply(recorded.Event, at) {
		w.Updated, w.Moment, w.Status = at, at.Unix(), w.status()
	}
	if changed, is := recorded.Event.(workflow.SettingsChanged); is {
		w.label(tx, changed.Settings.Labels)
	}
	if w.Words != words {
		w.find(tx, words)
	}
	w.awaits(recorded)
	w.retries(recorded.Event)
	w.tries(recorded.Event)
	if retried || len(w.Retrying) > 0 {
		w.outage(tx)
	}
	w.draft(recorded.Event, at)
	w.Agent = w.agent()
	return nil
}

// apply says whether the event changes something of the workflow.
func (w *Workflow) apply(happened event.Event, at time.Time) bool {
	settled := func(id string, v workflow.Version, outcome string, count *int) {
		w.Running--
		*count++
		w.LastRun, w.LastOutcome, w.LastVersion, w.LastEnded = id, outcome, versionText(v), at
	}
	switch e := happened.(type) {
	case workflow.IntentChanged:
		w.Intent, w.Title = e.Intent, cmp.Or(e.Title, w.Title)
		w.Words, w.Name = wordsOf(w.Title, w.Intent), nameOf(w.Title)
	case workflow.ScriptSaved:
		w.Version, w.Escalated = versionText(e.Version), false
		w.Versions++
	case workflow.ScheduleChanged:
		w.Schedule, w.SlotZone = e.Spec, e.Zone
	case workflow.SettingsChanged:
		w.AutoFix = e.Settings.WithDefaults().AutoFix
	case workflow.WorkflowActivated:
		w.Activated, w.Paused, w.Waiting, w.Escalated = true, false, false, false
	case workflow.WorkflowPaused:
		w.Paused = true
	case workflow.WorkflowArchived:
		w.Archived = true
	case workflow.WorkflowRestored:
		w.Archived, w.Paused = false, w.Activated // a draft is a draft again
	case workflow.RunAdmitted:
		w.Running++
	case workflow.RunSucceeded:
		settled(e.Run, e.Version, "succeeded", &w.Succeeded)
	case workflow.RunFailed:
		settled(e.Run, e.Version, "failed", &w.Failed)
	case workflow.RunCancelled:
		if e.Waited {
			return false
		}
		w.Running--
	case workflow.AuthErrorClassified, workflow.PermissionErrorClassified:
		// It is in the same append as the RunFailed; only the active version makes the workflow wait.
		w.Waiting = w.Waiting || w.LastVersion == w.Version
	case workflow.MaintenanceEntered:
		w.OpenTask, w.Escalated = e.Task, false
	case workflow.FixHeld:
		w.HeldFix = e.Proposal
	case workflow.FixCorrectionRequested:
		w.HeldFix = ""
	case workflow.FixApplied, workflow.FixAccepted:
		w.Fixes++
	case workflow.MaintenanceExited:
		w.OpenTask, w.HeldFix = "", ""
	case workflow.NotReproduced: // while it is handed over, only what shows that it works again
		w.Escalated = false
	case workflow.Escalated:
		w.Escalated, w.Version = true, cmp.Or(versionText(e.Active), w.Version)
	default:
		return false
	}
	return true
}

func (w *Workflow) status() workflow.Status {
	switch {
	case w.Archived:
		return workflow.StatusArchived
	case w.Paused:
		return workflow.StatusPaused
	case w.Escalated:
		return workflow.StatusEscalated
	case w.HeldFix != "":
		return workflow.StatusHeld
	case w.OpenTask != "":
		return workflow.StatusMaintenance
	case w.Waiting:
		return workflow.StatusWaiting
	case w.Activated:
		return workflow.StatusActive
	}
	return workflow.StatusDraft
}

// wordsOf is what a workflow is found by. Engines do not agree on which letters are the same, so it is settled here.
func wordsOf(title, intent string) string { return strings.ToLower(title + "\n" + intent) }

// DraftFilter chooses drafts that nobody works on.
type DraftFilter struct {
	Untouched time.Time // since then; zero for all
	Owner     string    // empty for all
	Limit     int       // the most to return, 0 for all
}

// Drafts are the workflows that were never activated, those that nobody touched for longest first.
func (q *Queries) Drafts(ctx context.Context, filter DraftFilter) ([]Workflow, error) {
	var chosen conditions
	chosen.add("status = ?", workflow.StatusDraft)
	if !filter.Untouched.IsZero() {
		chosen.add("touched <= ?", filter.Untouched)
	}
	chosen.equal("owner", filter.Owner)
	rest := chosen.limit(chosen.where()+" ORDER BY touched, id", filter.Limit)
	return selected(ctx, q, workflows, rest, chosen.args...)
}

var errMissing = errors.New("projections: it is not there")

// Workflow is one workflow.
func (q *Queries) Workflow(ctx context.Context, id string) (Workflow, error) {
	found, err := selectedOne(ctx, q, errMissing, workflows, "WHERE id = ?", id)
	if errors.Is(err, errMissing) {
		err = q.missing(ctx, id)
	}
	return found, err
}
