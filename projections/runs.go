package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// RunStatus is where a run stands.
type RunStatus string

// The statuses of a run.
const (
	RunAdmitted  RunStatus = "admitted"
	RunRunning   RunStatus = "running"
	RunAsking    RunStatus = "asking"   // stands still until a person has answered, or the time has passed
	RunInDoubt   RunStatus = "in_doubt" // stands still until a person says what became of a write
	RunSucceeded RunStatus = "succeeded"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled" // by a person: no failure, and no success
)

// Run is a run as people see it in a list. Its calls, log and whole output are in its stream.
type Run struct {
	ID        string           `json:"id" col:"id,key"`
	Workflow  string           `json:"workflow" col:"workflow"`
	Version   string           `json:"version" col:"version"`
	Trigger   workflow.Trigger `json:"trigger" col:"trigger"`
	Status    RunStatus        `json:"status" col:"status"`
	Admitted  time.Time        `json:"admitted" col:"admitted"`
	Started   time.Time        `json:"started,omitzero" col:"started"`
	Ended     time.Time        `json:"ended,omitzero" col:"ended"`
	Settled   time.Time        `json:"settled,omitzero" col:"settled"` // when the workflow took notice of the end
	Slot      time.Time        `json:"slot,omitzero" col:"slot"`
	Continues string           `json:"continues,omitempty" col:"continues"` // the failed run it goes on with
	Attempt   int              `json:"attempt,omitempty" col:"attempt"`     // of a retry
	Node      string           `json:"node,omitempty" col:"node"`
	Failure   *failure.Failure `json:"failure,omitempty" col:"failure,json"` // without stack and body
	Output    json.RawMessage  `json:"output,omitempty" col:"output"`        // if it is at most 4 KiB
	Usage     run.Usage        `json:"usage" col:"usage,json"`
	LogLines  int              `json:"log_lines" col:"lines"`
	// DelayedSince says that the run waits for the machine, which could not execute it: why, and when it is tried again.
	DelayedSince time.Time `json:"delayed_since,omitzero" col:"delayed_since"`
	DelayedBy    string    `json:"delayed_by,omitempty" col:"delayed_by"`
	NextTry      time.Time `json:"next_try,omitzero" col:"next_try"`
	Exempted     string    `json:"exempted,omitempty" col:"exempted"`   // why the gate leaves it out
	Cancelled    string    `json:"cancelled,omitempty" col:"cancelled"` // why it was cancelled, if that was said
	// Labels are those of the workflow, of the run that it goes on with, and its own.
	Labels workflow.Labels `json:"labels,omitempty" col:"labels,json"`
	// Suspected is what the guard found of a run that did not fail by itself, and Trusted says that a person calls it
	// right nevertheless.
	Suspected []string `json:"suspected,omitempty" col:"suspected,json"`
	Trusted   bool     `json:"trusted,omitempty" col:"trusted"`

	Number        int64  `json:"-" col:"number"` // in the order they were admitted
	Major         int    `json:"-" col:"major"`  // of the version
	Outcome       string `json:"-" col:"outcome"`
	Doubts        int    `json:"-" col:"doubts"` // writes that nobody knows the fate of
	Asks          int    `json:"-" col:"asks"`   // questions to a person that have no answer
	Strict        string `json:"-" col:"strict"` // the fingerprint of the failure
	Error         string `json:"-" col:"error"`  // see [errorText]
	WorkflowOwner string `json:"-" col:"workflow_owner"`
}

var runs = readmodel.NewTable[Run]("run", readmodel.Index("number"), readmodel.Index("workflow", "number"), readmodel.Index("status", "number"),
	readmodel.Index("workflow", "status", "number"), readmodel.Index("workflow_owner", "number"), readmodel.Index("workflow_owner", "status", "number"), readmodel.Index("admitted", "number"))

// outputKept is the longest output that is kept in the list of runs; the whole one is in
// the run's stream.
const outputKept = 4 << 10

// RunOf is the run that an append admitted, as it was then: whoever asked for it need not wait for the list.
func RunOf(recorded []event.Recorded) (Run, bool) {
	for _, one := range recorded {
		if e, is := one.Event.(workflow.RunAdmitted); is {
			return admittedRun(one, e), true
		}
	}
	return Run{}, false
}

func admittedRun(recorded event.Recorded, e workflow.RunAdmitted) Run {
	admitted := Run{
		ID: e.Run, Workflow: strings.Clone(workflowOf(recorded)), Major: e.Version.Major, Version: versionText(e.Version), Trigger: e.Trigger,
		Status: RunAdmitted, Admitted: recorded.Metadata.RecordedAt, Continues: e.Continues, Attempt: e.Attempt, Labels: e.Labels,
	}
	if e.Slot != nil {
		admitted.Slot = *e.Slot
	}
	return admitted
}

func applyRun(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	edit := func(id string, change func(*Run)) {
		if one := runs.Edit(tx, id); one != nil {
			change(one)
			one.Status = one.status()
		}
	}
	switch e := recorded.Event.(type) {
	case workflow.RunAdmitted:
		admitted := admittedRun(recorded, e)
		admitted.Number, admitted.WorkflowOwner = tx.Next("run"), ownerOf(tx, admitted.Workflow)
		runs.Insert(tx, admitted)
		for _, label := range e.Labels.Texts() {
			runLabels.Insert(tx, runLabel{Label: label, Number: admitted.Number})
		}
	case run.RunStarted:
		edit(e.Run, func(r *Run) { r.Started, r.Node = at, e.Node })
	case run.RunResumed:
		edit(runOf(recorded), func(r *Run) { r.Node, r.DelayedSince, r.DelayedBy, r.NextTry = e.Node, time.Time{}, "", time.Time{} })
	case run.RunDelayed:
		edit(runOf(recorded), func(r *Run) { r.DelayedSince, r.DelayedBy, r.NextTry = e.Since, e.Problem, e.Until })
	case run.EffectInDoubt:
		edit(runOf(recorded), func(r *Run) { r.Doubts++ })
	case run.EffectResolved:
		edit(runOf(recorded), func(r *Run) { r.Doubts-- })
	case run.AnswerAwaited:
		edit(runOf(recorded), func(r *Run) { r.Asks++ })
	case run.AnswerGiven:
		edit(runOf(recorded), func(r *Run) { r.Asks-- })
	case run.LogWritten:
		edit(runOf(recorded), func(r *Run) { r.LogLines += len(e.Lines) })
	case run.RunEnded:
		edit(runOf(recorded), func(r *Run) { r.end(e, at) })
	case run.ExecutionCancelled:
		edit(e.Run, func(r *Run) {
			r.Ended, r.Usage.Calls = at, e.Calls
			r.Outcome, r.Cancelled = string(RunCancelled), e.Reason
			r.DelayedSince, r.DelayedBy, r.NextTry = time.Time{}, "", time.Time{}
		})
	case workflow.RunCancelled:
		edit(e.Run, func(r *Run) {
			r.Outcome, r.Cancelled = string(RunCancelled), e.Reason
			if !e.Waited {
				r.Settled = at
			}
		})
	case workflow.RunSucceeded:
		edit(e.Run, func(r *Run) { r.Outcome, r.Settled = string(RunSucceeded), at })
	case workflow.RunFailed:
		edit(e.Run, func(r *Run) {
			r.Outcome, r.Settled = string(RunFailed), at
			r.Failure, r.Strict, r.Error = brief(e.Failure), e.Failure.Strict, errorText(e.Failure.String())
		})
	case workflow.DriftSuspected:
		edit(e.Run, func(r *Run) {
			r.Suspected = make([]string, len(e.Suspects))
			for i, one := range e.Suspects {
				r.Suspected[i] = one.Text
			}
		})
	case workflow.MarkedRunsReviewed:
		for _, of := range e.Agreed {
			edit(of, func(r *Run) { r.Trusted = true })
		}
	case workflow.RunTrusted:
		edit(e.Run, func(r *Run) { r.Trusted = true })
	case workflow.RunExempted:
		edit(e.Run, func(r *Run) { r.Exempted = e.Reason })
	}
	return nil
}

func (r *Run) end(e run.RunEnded, at time.Time) {
	r.Ended, r.Usage = at, e.Usage
	if e.Failure != nil {
		r.Outcome, r.Failure, r.Strict, r.Error = string(RunFailed), brief(*e.Failure), e.Failure.Strict, errorText(e.Failure.String())
		return
	}
	r.Outcome, r.Output = string(RunSucceeded), nil
	if len(e.Output) <= outputKept {
		r.Output = bytes.Clone(e.Output)
	}
}

func (r *Run) status() RunStatus {
	switch {
	case r.Outcome != "":
		return RunStatus(r.Outcome)
	case r.Started.IsZero():
		return RunAdmitted
	case r.Doubts > 0:
		return RunInDoubt
	case r.Asks > 0:
		return RunAsking
	}
	return RunRunning
}

// brief is a failure without what only the run's own page shows.
func brief(f failure.Failure) *failure.Failure {
	f.Stack, f.Body = "", ""
	return &f
}

// runOf is the run whose stream an event is in.
func runOf(recorded event.Recorded) string { return recorded.Stream[len(run.StreamPrefix):] }

// Duration is how long the run took, 0 if it has not ended.
func (r Run) Duration() time.Duration {
	if r.Started.IsZero() || r.Ended.IsZero() {
		return 0
	}
	return r.Ended.Sub(r.Started)
}

// RunFilter chooses runs; zero fields choose all.
type RunFilter struct {
	Workflow string
	Owner    string // of the workflow
	Status   RunStatus
	Major    int // of the version
	// Labels are those that it has, as key=value, all of them.
	Labels []string
	// Since and Until are when it was admitted: from the first on, and before the second.
	Since, Until time.Time
	// Error is a part of what it failed with, in upper or lower case.
	Error string
	// Limit is the most runs to return, the newest; 0 for no limit.
	Limit int
	// Before leaves out that run and those admitted after it: it is the last one of the page before.
	Before string
}

// Lately is a run as one of the last of its workflow: how it went, and whether that counts.
type Lately struct {
	ID        string    `json:"id"`
	Status    RunStatus `json:"status"`
	Admitted  time.Time `json:"admitted"`
	Exempted  string    `json:"exempted,omitempty"`
	Suspected []string  `json:"suspected,omitempty"`
	Trusted   bool      `json:"trusted,omitempty"`
}

func scanLately(row readmodel.Row) (Lately, error) {
	one := Lately{ID: row.Text("id"), Status: RunStatus(row.Text("status")), Admitted: row.Time("admitted"), Exempted: row.Text("exempted"), Trusted: row.Bool("trusted")}
	return one, row.JSON("suspected", &one.Suspected)
}

// Recent are the last runs of each workflow named, the newest first, of an owner's workflows or, if that is empty, of
// everybody's. Each is a look into an index: a statement for all would read every run of each.
func (q *Queries) Recent(ctx context.Context, owner string, ids []string, limit int) (map[string][]Lately, error) {
	recent := make(map[string][]Lately, len(ids))
	err := q.store.Read(ctx, func(query *readmodel.Query) (err error) {
		for _, id := range ids {
			var chosen conditions
			chosen.of("run", id, owner)
			rest := chosen.limit("SELECT id, status, admitted, exempted, suspected, trusted FROM run"+chosen.where()+" ORDER BY number DESC", limit)
			if recent[id], err = readmodel.Collect(query.Rows(rest, chosen.args...), scanLately); err != nil {
				return err
			}
		}
		return nil
	})
	return recent, err
}

// Run is one run.
func (q *Queries) Run(ctx context.Context, id string) (Run, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no run %q: see the list of runs", id),
		runs, "WHERE id = ?", id)
}
