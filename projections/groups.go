package projections

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// A cause is what failures of several workflows have in common: the host, and the kind of error
// whatever the script (the loose fingerprint). The host is the one that the failure names, else
// the last one that answered the run: what a script stumbles over came from there as a rule. A
// cause that is wrong costs a look, no more: every fix goes through each workflow's own gate.
const groupSchema = `
CREATE TABLE cause_answer ( -- the host that a run under way was last in touch with
  run  TEXT PRIMARY KEY,
  host TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE cause_run ( -- of each failed run
  run   TEXT PRIMARY KEY,
  host  TEXT NOT NULL,
  loose TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE cause_task ( -- the failed run that a maintainer task is about
  task TEXT PRIMARY KEY,
  run  TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE cause ( -- what each workflow has failed of
  host     TEXT NOT NULL,
  loose    TEXT NOT NULL,
  workflow TEXT NOT NULL,
  class    TEXT NOT NULL,
  message  TEXT NOT NULL,
  failures INTEGER NOT NULL,
  first    INTEGER NOT NULL,
  last     INTEGER NOT NULL,
  run      TEXT NOT NULL,
  task     TEXT NOT NULL DEFAULT '', -- the newest
  open     INTEGER NOT NULL,
  PRIMARY KEY (host, loose, workflow)
) WITHOUT ROWID;
CREATE INDEX cause_workflow ON cause (workflow);
`

func applyGroup(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	of := workflowOf(recorded)
	recovered := func() error { return exec(tx, `UPDATE cause SET open = 0 WHERE workflow = ? AND open = 1`, of) }
	switch e := recorded.Event.(type) {
	case run.ToolCalled:
		if host := webHost(e.Tool, e.Args); host != "" {
			return exec(tx, `INSERT INTO cause_answer (run, host) VALUES (?, ?) ON CONFLICT DO UPDATE SET host = excluded.host`, runOf(recorded), host)
		}
	case run.RunEnded:
		if e.Failure == nil {
			return exec(tx, `DELETE FROM cause_answer WHERE run = ?`, runOf(recorded))
		}
	case workflow.RunFailed:
		return failedOf(tx, of, e, at)
	case workflow.MaintenanceEntered:
		if err := exec(tx, `INSERT INTO cause_task (task, run) VALUES (?, ?) ON CONFLICT DO NOTHING`, e.Task, e.Run); err != nil {
			return err
		}
		return exec(tx, `UPDATE cause SET task = ? WHERE workflow = ? AND run = ?`, e.Task, of, e.Run)
	case workflow.Recovered, workflow.FixConfirmed, workflow.WorkflowArchived:
		return recovered()
	case workflow.ScriptSaved:
		if e.Origin != workflow.OriginMaintainer { // another automation
			return recovered()
		}
	}
	return nil
}

func failedOf(tx *readmodel.Tx, of string, e workflow.RunFailed, at time.Time) error {
	host := e.Failure.Host
	if host == "" {
		answered, _, err := readmodel.First(tx.Rows(`SELECT host FROM cause_answer WHERE run = ?`, e.Run),
			func(row readmodel.Row) (string, error) { return row.Text("host"), nil })
		if err != nil {
			return err
		}
		host = answered
	}
	if err := exec(tx, `DELETE FROM cause_answer WHERE run = ?`, e.Run); err != nil {
		return err
	}
	if e.Failure.Loose == "" {
		return nil
	}
	if err := exec(tx, `INSERT INTO cause_run (run, host, loose) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, e.Run, host, e.Failure.Loose); err != nil {
		return err
	}
	return exec(tx, `INSERT INTO cause (host, loose, workflow, class, message, failures, first, last, run, open) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6, ?7, 1)
		ON CONFLICT DO UPDATE SET failures = failures + 1, last = excluded.last, run = excluded.run, open = 1`,
		host, e.Failure.Loose, of, e.Failure.Class, failure.Cut(e.Failure.String(), 400), at, e.Run)
}

// Group is failures of several workflows with one cause.
type Group struct {
	Host        string        `json:"host,omitempty"`
	Fingerprint string        `json:"fingerprint"` // loose
	Class       failure.Class `json:"class"`
	Message     string        `json:"message"` // of the first workflow
	Failures    int           `json:"failures"`
	First       time.Time     `json:"first"`
	Last        time.Time     `json:"last"`
	Open        int           `json:"open"` // workflows that have not recovered from it
	Members     []GroupMember `json:"members"`
}

// GroupMember is a workflow that failed of a cause, with its newest fix for it.
type GroupMember struct {
	Workflow string          `json:"workflow"`
	Title    string          `json:"title"`
	Status   workflow.Status `json:"status"`
	Run      string          `json:"run"` // the newest that failed of it
	Open     bool            `json:"open"`
	Fix      string          `json:"fix,omitempty"`
	FixState FixState        `json:"fix_state,omitempty"`
	Version  string          `json:"version,omitempty"` // that the fix became
	Comment  string          `json:"comment,omitempty"`
}

// groupRow is one member with its group's key.
type groupRow struct {
	Group
	member GroupMember
}

// Groups are the causes that workflows failed of, those that are open first, then the newest
// first. Without all, causes that everybody has recovered from are left out, unless a fix came of
// them.
func (q *Queries) Groups(ctx context.Context, all bool) ([]Group, error) {
	statement := `SELECT cause.*, workflow.title, workflow.status, fix.proposal, fix.state AS fix_state, fix.version AS fix_version, fix.comment
		FROM cause JOIN workflow ON workflow.id = cause.workflow
		LEFT JOIN fix ON fix.number = (
			SELECT max(number) FROM fix JOIN cause_task USING (task) JOIN cause_run ON cause_run.run = cause_task.run
			WHERE fix.workflow = cause.workflow AND cause_run.host = cause.host AND cause_run.loose = cause.loose)`
	if !all {
		statement += ` WHERE cause.open = 1 OR fix.proposal IS NOT NULL`
	}
	rows, err := collect(ctx, q, func(row readmodel.Row) (groupRow, error) {
		return groupRow{
			Group: Group{
				Host: row.Text("host"), Fingerprint: row.Text("loose"), Class: failure.Class(row.Text("class")), Message: row.Text("message"),
				Failures: row.Int("failures"), First: row.Time("first"), Last: row.Time("last"),
			},
			member: GroupMember{
				Workflow: row.Text("workflow"), Title: row.Text("title"), Status: workflow.Status(row.Text("status")), Run: row.Text("run"),
				Open: row.Bool("open"), Fix: row.Text("proposal"), FixState: FixState(row.Text("fix_state")),
				Version: row.Text("fix_version"), Comment: row.Text("comment"),
			},
		}, nil
	}, statement+` ORDER BY cause.host, cause.loose, cause.first, cause.workflow`)
	if err != nil {
		return nil, err
	}
	return grouped(rows), nil
}

// grouped makes groups of members that come ordered by group.
func grouped(rows []groupRow) []Group {
	groups := []Group{}
	for _, row := range rows {
		last := len(groups) - 1
		if last < 0 || groups[last].Host != row.Host || groups[last].Fingerprint != row.Fingerprint {
			first := row.Group
			first.Failures = 0
			groups = append(groups, first)
			last++
		}
		group := &groups[last]
		group.Failures += row.Failures
		if row.First.Before(group.First) {
			group.First = row.First
		}
		if row.Last.After(group.Last) {
			group.Last = row.Last
		}
		if row.member.Open {
			group.Open++
		}
		group.Members = append(group.Members, row.member)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(min(b.Open, 1), min(a.Open, 1)), b.Last.Compare(a.Last))
	})
	return groups
}

// RelatedFix is a fix that was confirmed on another workflow that failed of the same cause.
type RelatedFix struct {
	Proposal string
	Workflow string
	Title    string
	Base     string // the version that it mended
	Version  string // the version that it became
	Comment  string
}

// RelatedFixes are the fixes that were confirmed on other workflows which failed of the same cause
// as a run, the newest first, one of each workflow.
func (q *Queries) RelatedFixes(ctx context.Context, of, run string, most int) ([]RelatedFix, error) {
	return collect(ctx, q, func(row readmodel.Row) (RelatedFix, error) {
		return RelatedFix{
			Proposal: row.Text("proposal"), Workflow: row.Text("workflow"), Title: row.Text("title"),
			Base: row.Text("base"), Version: row.Text("version"), Comment: row.Text("comment"),
		}, nil
	}, `SELECT fix.*, workflow.title FROM fix JOIN workflow ON workflow.id = fix.workflow
		WHERE fix.number IN (
			SELECT max(fix.number) FROM cause_run this JOIN cause_run other ON other.host = this.host AND other.loose = this.loose
			JOIN cause_task ON cause_task.run = other.run JOIN fix ON fix.task = cause_task.task
			WHERE this.run = ? AND fix.state = ? AND fix.workflow <> ? GROUP BY fix.workflow)
		ORDER BY fix.number DESC LIMIT ?`, run, FixConfirmed, of, most)
}
