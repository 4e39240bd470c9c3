package projections

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const runSchema = `
CREATE TABLE run (
  number     INTEGER PRIMARY KEY, -- in the order they were admitted
  id         TEXT NOT NULL UNIQUE,
  workflow   TEXT NOT NULL,
  major      INTEGER NOT NULL,
  version    TEXT NOT NULL,
  trigger    TEXT NOT NULL,
  admitted   INTEGER NOT NULL,
  slot       INTEGER,
  continues  TEXT NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 0,
  started    INTEGER,
  ended      INTEGER,
  settled    INTEGER,
  outcome    TEXT NOT NULL DEFAULT '', -- succeeded or failed
  doubts     INTEGER NOT NULL DEFAULT 0, -- writes that nobody knows the fate of
  asks       INTEGER NOT NULL DEFAULT 0, -- questions to a person that have no answer
  status     TEXT NOT NULL AS (CASE WHEN outcome <> '' THEN outcome WHEN started IS NULL THEN 'admitted' WHEN doubts > 0 THEN 'in_doubt' WHEN asks > 0 THEN 'asking' ELSE 'running' END),
  node       TEXT NOT NULL DEFAULT '',
  failure    TEXT, -- JSON, without stack and body
  strict     TEXT NOT NULL DEFAULT '',
  output     TEXT, -- if it is short
  usage      TEXT, -- JSON
  lines      INTEGER NOT NULL DEFAULT 0,
  exempted   TEXT NOT NULL DEFAULT '',
  suspected  TEXT, -- JSON, what the guard found
  trusted    INTEGER NOT NULL DEFAULT 0 -- a person says that it is right all the same
);
CREATE INDEX run_workflow ON run (workflow, number);
`

// outputKept is the longest output that is kept in the list of runs; the whole one is in
// the run's stream.
const outputKept = 4 << 10

func applyRun(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	switch e := recorded.Event.(type) {
	case workflow.RunAdmitted:
		return exec(tx, `INSERT INTO run (id, workflow, major, version, trigger, admitted, slot, continues, attempt)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.Run, workflowOf(recorded), e.Version.Major, versionText(e.Version), e.Trigger, at, e.Slot, e.Continues, e.Attempt)
	case run.RunStarted:
		return exec(tx, `UPDATE run SET started = ?, node = ? WHERE id = ?`, at, e.Node, e.Run)
	case run.RunResumed:
		return exec(tx, `UPDATE run SET node = ? WHERE id = ?`, e.Node, runOf(recorded))
	case run.EffectInDoubt:
		return exec(tx, `UPDATE run SET doubts = doubts + 1 WHERE id = ?`, runOf(recorded))
	case run.EffectResolved:
		return exec(tx, `UPDATE run SET doubts = doubts - 1 WHERE id = ?`, runOf(recorded))
	case run.AnswerAwaited:
		return exec(tx, `UPDATE run SET asks = asks + 1 WHERE id = ?`, runOf(recorded))
	case run.AnswerGiven:
		return exec(tx, `UPDATE run SET asks = asks - 1 WHERE id = ?`, runOf(recorded))
	case run.LogWritten:
		return exec(tx, `UPDATE run SET lines = lines + ? WHERE id = ?`, len(e.Lines), runOf(recorded))
	case run.RunEnded:
		return applyRunEnded(tx, runOf(recorded), e, at)
	case workflow.RunSucceeded:
		return exec(tx, `UPDATE run SET outcome = 'succeeded', settled = ? WHERE id = ?`, at, e.Run)
	case workflow.RunFailed:
		return exec(tx, `UPDATE run SET outcome = 'failed', settled = ?, failure = ?, strict = ? WHERE id = ?`,
			at, readmodel.JSON(brief(e.Failure)), e.Failure.Strict, e.Run)
	case workflow.DriftSuspected:
		texts := make([]string, len(e.Suspects))
		for i, one := range e.Suspects {
			texts[i] = one.Text
		}
		return exec(tx, `UPDATE run SET suspected = ? WHERE id = ?`, readmodel.JSON(texts), e.Run)
	case workflow.RunTrusted:
		return exec(tx, `UPDATE run SET trusted = 1 WHERE id = ?`, e.Run)
	case workflow.RunExempted:
		return exec(tx, `UPDATE run SET exempted = ? WHERE id = ?`, e.Reason, e.Run)
	}
	return nil
}

func applyRunEnded(tx *readmodel.Tx, id string, e run.RunEnded, at time.Time) error {
	usage := readmodel.JSON(e.Usage)
	if e.Failure != nil {
		return exec(tx, `UPDATE run SET outcome = 'failed', ended = ?, failure = ?, strict = ?, usage = ? WHERE id = ?`,
			at, readmodel.JSON(brief(*e.Failure)), e.Failure.Strict, usage, id)
	}
	output := e.Output
	if len(output) > outputKept {
		output = nil
	}
	return exec(tx, `UPDATE run SET outcome = 'succeeded', ended = ?, output = ?, usage = ? WHERE id = ?`, at, output, usage, id)
}

// brief is a failure without what only the run's own page shows.
func brief(f failure.Failure) failure.Failure {
	f.Stack, f.Body = "", ""
	return f
}

// runOf is the run whose stream an event is in.
func runOf(recorded event.Recorded) string { return recorded.Stream[len(run.StreamPrefix):] }

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
)

// Run is a run as people see it in a list. Its calls, log and whole output are in its stream.
type Run struct {
	ID        string           `json:"id"`
	Workflow  string           `json:"workflow"`
	Version   string           `json:"version"`
	Trigger   workflow.Trigger `json:"trigger"`
	Status    RunStatus        `json:"status"`
	Admitted  time.Time        `json:"admitted"`
	Started   time.Time        `json:"started,omitzero"`
	Ended     time.Time        `json:"ended,omitzero"`
	Settled   time.Time        `json:"settled,omitzero"` // when the workflow took notice of the end
	Slot      time.Time        `json:"slot,omitzero"`
	Continues string           `json:"continues,omitempty"` // the failed run it goes on with
	Attempt   int              `json:"attempt,omitempty"`   // of a retry
	Node      string           `json:"node,omitempty"`
	Failure   *failure.Failure `json:"failure,omitempty"` // without stack and body
	Output    json.RawMessage  `json:"output,omitempty"`  // if it is at most 4 KiB
	Usage     run.Usage        `json:"usage"`
	LogLines  int              `json:"log_lines"`
	Exempted  string           `json:"exempted,omitempty"` // why the gate leaves it out
	// Suspected is what the guard found of a run that did not fail by itself, and Trusted says that a person calls it
	// right nevertheless.
	Suspected []string `json:"suspected,omitempty"`
	Trusted   bool     `json:"trusted,omitempty"`
}

// Duration is how long the run took, 0 if it has not ended.
func (r Run) Duration() time.Duration {
	if r.Started.IsZero() || r.Ended.IsZero() {
		return 0
	}
	return r.Ended.Sub(r.Started)
}

func scanRun(row readmodel.Row) (Run, error) {
	found := Run{
		ID: row.Text("id"), Workflow: row.Text("workflow"), Version: row.Text("version"),
		Trigger: workflow.Trigger(row.Text("trigger")), Status: RunStatus(row.Text("status")),
		Admitted: row.Time("admitted"), Started: row.Time("started"), Ended: row.Time("ended"), Settled: row.Time("settled"),
		Slot: row.Time("slot"), Continues: row.Text("continues"), Attempt: row.Int("attempt"), Node: row.Text("node"),
		Output: row.Bytes("output"), LogLines: row.Int("lines"), Exempted: row.Text("exempted"),
		Trusted: row.Bool("trusted"),
	}
	if err := row.JSON("suspected", &found.Suspected); err != nil {
		return found, err
	}
	if err := row.JSON("failure", &found.Failure); err != nil {
		return found, err
	}
	err := row.JSON("usage", &found.Usage)
	return found, err
}

// RunFilter chooses runs; zero fields choose all.
type RunFilter struct {
	Workflow string
	Status   RunStatus
	Major    int // of the version
	// Limit is the most runs to return, the newest; 0 for no limit.
	Limit int
}

// Runs are the runs chosen, the newest first.
func (q *Queries) Runs(ctx context.Context, filter RunFilter) ([]Run, error) {
	var chosen conditions
	chosen.equal("workflow", filter.Workflow)
	chosen.equal("status", string(filter.Status))
	if filter.Major != 0 {
		chosen.add("major = ?", filter.Major)
	}
	statement := chosen.limit("SELECT * FROM run"+chosen.where()+" ORDER BY number DESC", filter.Limit)
	return collect(ctx, q, scanRun, statement, chosen.args...)
}

// Run is one run.
func (q *Queries) Run(ctx context.Context, id string) (Run, error) {
	return one(ctx, q, fault.New(fault.NotFound, "there is no run %q: see the list of runs", id),
		scanRun, `SELECT * FROM run WHERE id = ?`, id)
}
