package projections

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
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
		Host     string    `col:"host,key"`
		Loose    string    `col:"loose,key"`
		Workflow string    `col:"workflow,key"`
		Failures int       `col:"failures"`
		First    time.Time `col:"first"`
		Run      string    `col:"run"`
		Task     string    `col:"task"`    // the newest
		Fix      string    `col:"fix"`     // the newest proposal for it
		OpenOf   string    `col:"open_of"` // the workflow, until it has recovered

		Group string `col:"cause_group"` // [causeGroup.ID]
		Owner string `col:"owner"`       // of the workflow
		// Place is the how manieth workflow of its group it was, and OwnerPlace of those of its owner.
		Place      int `col:"place"`
		OwnerPlace int `col:"owner_place"`
	}
	// causeGroup is a cause over all workflows of an owner, or over those of everybody: of no owner. So a page of them
	// is read without counting their members.
	causeGroup struct {
		Owner     string        `col:"owner,key"`
		ID        string        `col:"id,key"`
		Host      string        `col:"host"`
		Loose     string        `col:"loose"`
		Class     failure.Class `col:"class"`
		Message   string        `col:"message"` // of the first workflow
		Failures  int           `col:"failures"`
		First     time.Time     `col:"first"`
		Last      time.Time     `col:"last"`
		Workflows int           `col:"workflows"`
		Open      int           `col:"open_ones"` // of them, those that have not recovered
		Fixed     int           `col:"fixed"`     // of them, those that a fix was made for

		IsOpen bool `col:"is_open"`
		Shown  bool `col:"shown"` // open, or a fix came of it
	}
)

var (
	causeAnswers = readmodel.NewTable[causeAnswer]("cause_answer")
	causeRuns    = readmodel.NewTable[causeRun]("cause_run", readmodel.Index("host", "loose"))
	causeTasks   = readmodel.NewTable[causeTask]("cause_task", readmodel.Index("run"))
	causes       = readmodel.NewTable[cause]("cause", readmodel.Lookup("open", "open_of"),
		readmodel.Index("cause_group", "place"), readmodel.Index("owner", "cause_group", "owner_place"))
	causeGroups = readmodel.NewTable[causeGroup]("cause_group", readmodel.Index("owner", "shown", "is_open", "last", "id"))
)

func applyGroup(tx *readmodel.Tx, recorded event.Recorded) error {
	of := workflowOf(recorded)
	recovered := func() {
		for _, one := range causes.EditWhere(tx, "open", of) {
			one.OpenOf = ""
			one.inGroups(tx, func(group *causeGroup) { group.Open-- })
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
	case run.ExecutionCancelled:
		causeAnswers.Delete(tx, e.Run)
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
	case workflow.FixProposed:
		task := causeTasks.Get(tx, e.Task)
		if task == nil {
			return nil
		}
		if why := causeRuns.Get(tx, task.Run); why != nil {
			if one := causes.Edit(tx, why.Host, why.Loose, of); one != nil {
				if one.Fix == "" {
					one.inGroups(tx, func(group *causeGroup) { group.Fixed++ })
				}
				one.Fix = e.Proposal
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
	first := one == nil
	if first {
		causes.Insert(tx, cause{Host: host, Loose: e.Failure.Loose, Workflow: of, First: at, Group: groupID(host, e.Failure.Loose), Owner: ownerOf(tx, of)})
		one = causes.Edit(tx, host, e.Failure.Loose, of)
	}
	opened := one.OpenOf == ""
	one.inGroups(tx, func(group *causeGroup) {
		if group.Failures == 0 {
			group.Class, group.Message, group.First = e.Failure.Class, failure.Cut(e.Failure.String(), 400), at
		}
		if first {
			group.Workflows++
			if group.Owner == "" {
				one.Place = group.Workflows
			} else {
				one.OwnerPlace = group.Workflows
			}
		}
		if opened {
			group.Open++
		}
		group.Failures++
		group.Last = at
	})
	one.Failures++
	one.Run, one.OpenOf = e.Run, of
}

// groupID names what failed of one cause.
func groupID(host, loose string) string {
	sum := sha256.Sum256([]byte(host + "\n" + loose))
	return hex.EncodeToString(sum[:8])
}

// inGroups changes what is kept of the cause for everybody, and for the owner.
func (c *cause) inGroups(tx *readmodel.Tx, change func(*causeGroup)) {
	owners := []string{"", c.Owner}
	if c.Owner == "" {
		owners = owners[:1]
	}
	for _, owner := range owners {
		one := causeGroups.Edit(tx, owner, c.Group)
		if one == nil {
			causeGroups.Insert(tx, causeGroup{Owner: owner, ID: c.Group, Host: c.Host, Loose: c.Loose})
			one = causeGroups.Edit(tx, owner, c.Group)
		}
		change(one)
		one.IsOpen = one.Open > 0
		one.Shown = one.IsOpen || one.Fixed > 0
	}
}

// Group is failures of several workflows with one cause.
type Group struct {
	ID          string        `json:"id"`
	Host        string        `json:"host,omitempty"`
	Fingerprint string        `json:"fingerprint"` // loose
	Class       failure.Class `json:"class"`
	Message     string        `json:"message"` // of the first workflow
	Failures    int           `json:"failures"`
	First       time.Time     `json:"first"`
	Last        time.Time     `json:"last"`
	Workflows   int           `json:"workflows"` // that failed of it
	Open        int           `json:"open"`      // of them, those that have not recovered from it
	Members     []GroupMember `json:"members"`   // of them, those that failed of it first, [MostMembers] at most
}

// MostMembers is how many of the workflows of a group are shown.
const MostMembers = 10

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

// GroupFilter chooses groups; empty fields choose all.
type GroupFilter struct {
	Owner string // of the workflows
	// Limit is the most groups to return, 0 for all.
	Limit int
	// After leaves out that group and those before it: it is the last one of the page before.
	After string
}

// Groups are the causes that workflows failed of and have not recovered from, or that a fix came of: those that are open
// first, then the newest first.
func (q *Queries) Groups(ctx context.Context, filter GroupFilter) (groups []Group, err error) {
	chosen := conditions{}
	chosen.add("owner = ? AND shown = ?", filter.Owner, true)
	if filter.After != "" {
		chosen.add("(is_open, last, id) < (SELECT is_open, last, id FROM cause_group WHERE owner = ? AND id = ?)", filter.Owner, filter.After)
	}
	rest := chosen.limit(chosen.where()+" ORDER BY is_open DESC, last DESC, id DESC", filter.Limit)
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		found, err := readmodel.Select(query, causeGroups, rest, chosen.args...)
		if err != nil {
			return err
		}
		groups = make([]Group, len(found))
		at := make(map[string]*Group, len(found))
		ids := make([]any, len(found))
		for i, of := range found {
			groups[i] = Group{
				ID: of.ID, Host: of.Host, Fingerprint: of.Loose, Class: of.Class, Message: of.Message,
				Failures: of.Failures, First: of.First, Last: of.Last, Workflows: of.Workflows, Open: of.Open, Members: []GroupMember{},
			}
			at[of.ID], ids[i] = &groups[i], of.ID
		}
		for some := range slices.Chunk(ids, mostArguments) {
			if err := addMembers(query, at, filter.Owner, some); err != nil {
				return err
			}
		}
		return nil
	})
	return groups, err
}

// addMembers adds the first members of each group.
func addMembers(query *readmodel.Query, at map[string]*Group, owner string, ids []any) error {
	its, place, args := "", "place", slices.Clone(ids)
	if owner != "" {
		its, place, args = "cause.owner = ? AND ", "owner_place", append([]any{owner}, ids...)
	}
	rows := query.Rows("SELECT "+causes.Columns()+`, workflow.title, workflow.status, fix.proposal, fix.state AS fix_state, fix.version AS fix_version, fix.comment
		FROM cause JOIN workflow ON workflow.id = cause.workflow LEFT JOIN fix ON fix.proposal = cause.fix
		WHERE `+its+`cause.cause_group IN (?`+strings.Repeat(", ?", len(ids)-1)+`) AND cause.`+place+` <= `+strconv.Itoa(MostMembers)+`
		ORDER BY cause.`+place, args...)
	for row, err := range rows {
		if err != nil {
			return err
		}
		of, err := causes.Scan(row)
		if err != nil {
			return err
		}
		group := at[of.Group]
		group.Members = append(group.Members, GroupMember{
			Workflow: of.Workflow, Title: row.Text("title"), Status: workflow.Status(row.Text("status")), Run: of.Run,
			Open: of.OpenOf != "", Fix: row.Text("proposal"), FixState: FixState(row.Text("fix_state")),
			Version: row.Text("fix_version"), Comment: row.Text("comment"),
		})
	}
	return nil
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
