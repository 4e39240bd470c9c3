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
type (
	// causeAnswer is the host that a run under way was last in touch with.
	causeAnswer struct {
		Run  string `col:"run,key"`
		Host string `col:"host"`
	}
	// causeRun is the cause of a failed run.
	causeRun struct {
		Run   string `col:"run,key"`
		Host  string `col:"host"`
		Loose string `col:"loose"`
	}
	// causeTask is the failed run that a maintainer task is about.
	causeTask struct {
		Task string `col:"task,key"`
		Run  string `col:"run"`
	}
	// cause is what a workflow has failed of.
	cause struct {
		Host     string        `col:"host,key"`
		Loose    string        `col:"loose,key"`
		Workflow string        `col:"workflow,key"`
		Class    failure.Class `col:"class"`
		Message  string        `col:"message"`
		Failures int           `col:"failures"`
		First    time.Time     `col:"first"`
		Last     time.Time     `col:"last"`
		Run      string        `col:"run"`
		Task     string        `col:"task"`    // the newest
		OpenOf   string        `col:"open_of"` // the workflow, until it has recovered
	}
)

var (
	causeAnswers = readmodel.NewTable[causeAnswer]("cause_answer")
	causeRuns    = readmodel.NewTable[causeRun]("cause_run", readmodel.Index("host", "loose"))
	causeTasks   = readmodel.NewTable[causeTask]("cause_task", readmodel.Index("run"))
	causes       = readmodel.NewTable[cause]("cause", readmodel.Lookup("open", "open_of"))
)

func applyGroup(tx *readmodel.Tx, recorded event.Recorded) error {
	of := workflowOf(recorded)
	recovered := func() {
		for _, one := range causes.EditWhere(tx, "open", of) {
			one.OpenOf = ""
		}
	}
	switch e := recorded.Event.(type) {
	case run.ToolCalled:
		if host := hostOf(tx); host != "" {
			if before := causeAnswers.Get(tx, runOf(recorded)); before == nil || before.Host != host {
				causeAnswers.Insert(tx, causeAnswer{Run: runOf(recorded), Host: host})
			}
		}
	case run.RunEnded:
		if e.Failure == nil {
			causeAnswers.Delete(tx, runOf(recorded))
		}
	case workflow.RunFailed:
		failedOf(tx, of, e, recorded.Metadata.RecordedAt)
	case workflow.MaintenanceEntered:
		if causeTasks.Get(tx, e.Task) == nil {
			causeTasks.Insert(tx, causeTask{Task: e.Task, Run: e.Run})
		}
		if why := causeRuns.Get(tx, e.Run); why != nil {
			if one := causes.Edit(tx, why.Host, why.Loose, of); one != nil && one.Run == e.Run {
				one.Task = e.Task
			}
		}
	case workflow.Recovered, workflow.FixConfirmed, workflow.WorkflowArchived:
		recovered()
	case workflow.ScriptSaved:
		if e.Origin != workflow.OriginMaintainer { // another automation
			recovered()
		}
	}
	return nil
}

func failedOf(tx *readmodel.Tx, of string, e workflow.RunFailed, at time.Time) {
	host := e.Failure.Host
	if answered := causeAnswers.Get(tx, e.Run); answered != nil {
		host = cmp.Or(host, answered.Host)
		causeAnswers.Delete(tx, e.Run)
	}
	if e.Failure.Loose == "" {
		return
	}
	if causeRuns.Get(tx, e.Run) == nil {
		causeRuns.Insert(tx, causeRun{Run: e.Run, Host: host, Loose: e.Failure.Loose})
	}
	one := causes.Edit(tx, host, e.Failure.Loose, of)
	if one == nil {
		causes.Insert(tx, cause{
			Host: host, Loose: e.Failure.Loose, Workflow: of, Class: e.Failure.Class, Message: failure.Cut(e.Failure.String(), 400), First: at,
		})
		one = causes.Edit(tx, host, e.Failure.Loose, of)
	}
	one.Failures++
	one.Last, one.Run, one.OpenOf = at, e.Run, of
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
	statement := "SELECT " + causes.Columns() + `, workflow.title, workflow.status, fix.proposal, fix.state AS fix_state, fix.version AS fix_version, fix.comment
		FROM cause JOIN workflow ON workflow.id = cause.workflow
		LEFT JOIN fix ON fix.proposal = (
			SELECT fix.proposal FROM fix JOIN cause_task ON cause_task.task = fix.task JOIN cause_run ON cause_run.run = cause_task.run
			WHERE fix.workflow = cause.workflow AND cause_run.host = cause.host AND cause_run.loose = cause.loose
			ORDER BY fix.number DESC LIMIT 1)`
	if !all {
		statement += ` WHERE cause.open_of <> '' OR fix.proposal IS NOT NULL`
	}
	rows, err := collect(ctx, q, func(row readmodel.Row) (groupRow, error) {
		of, err := causes.Scan(row)
		return groupRow{
			Group: Group{Host: of.Host, Fingerprint: of.Loose, Class: of.Class, Message: of.Message, Failures: of.Failures, First: of.First, Last: of.Last},
			member: GroupMember{
				Workflow: of.Workflow, Title: row.Text("title"), Status: workflow.Status(row.Text("status")), Run: of.Run,
				Open: of.OpenOf != "", Fix: row.Text("proposal"), FixState: FixState(row.Text("fix_state")),
				Version: row.Text("fix_version"), Comment: row.Text("comment"),
			},
		}, err
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
	}, `SELECT fix.proposal, fix.workflow, workflow.title, fix.base, fix.version, fix.comment FROM fix JOIN workflow ON workflow.id = fix.workflow
		WHERE fix.number IN (
			SELECT max(fix.number) FROM cause_run this JOIN cause_run other ON other.host = this.host AND other.loose = this.loose
			JOIN cause_task ON cause_task.run = other.run JOIN fix ON fix.task = cause_task.task
			WHERE this.run = ? AND fix.state = ? AND fix.workflow <> ? GROUP BY fix.workflow)
		ORDER BY fix.number DESC LIMIT ?`, run, FixConfirmed, of, most)
}
