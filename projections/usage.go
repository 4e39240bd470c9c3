package projections

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Usage is what a workflow used on a day. It is of the same fold as what agents spent: there is one meter.
type Usage struct {
	Workflow string `json:"workflow" col:"workflow,key"`
	Day      string `json:"day" col:"day,key"`   // 2026-03-01, in the workflow's time zone
	Owner    string `json:"owner" col:"owner"`   // then
	Runs     int    `json:"runs" col:"runs"`     // that ended, on the day that they did
	Failed   int    `json:"failed" col:"failed"` // of them
	RunMS    int64  `json:"run_ms" col:"run_ms"` // how long they took
	Calls    int    `json:"calls" col:"calls"`   // that they made themselves
	Tokens   int64  `json:"tokens" col:"tokens"` // of models, in and out
	// Micros is what agents cost, in millionths of a US dollar. A model whose price is unknown costs nothing here.
	Micros int64 `json:"micros" col:"micros"`

	WorkflowTitle string `json:"workflow_title"`
}

// UsageOfDay is what the workflows of an owner used on a day, or those of everybody: of no owner. So a sum takes as long
// as there are days, and not workflows.
type UsageOfDay struct {
	Owner  string `json:"-" col:"owner,key"`
	Day    string `json:"day" col:"day,key"`
	Runs   int    `json:"runs" col:"runs"`
	Failed int    `json:"failed" col:"failed"`
	RunMS  int64  `json:"run_ms" col:"run_ms"`
	Calls  int    `json:"calls" col:"calls"`
	Tokens int64  `json:"tokens" col:"tokens"`
	Micros int64  `json:"micros" col:"micros"`
}

// Add counts what was used besides.
func (u *UsageOfDay) Add(used UsageOfDay) {
	u.Runs += used.Runs
	u.Failed += used.Failed
	u.RunMS += used.RunMS
	u.Calls += used.Calls
	u.Tokens += used.Tokens
	u.Micros += used.Micros
}

var (
	usageDays   = readmodel.NewTable[Usage]("usage_day", readmodel.Index("day", "workflow"), readmodel.Index("owner", "day", "workflow"))
	usageTotals = readmodel.NewTable[UsageOfDay]("usage_total")
)

// ownerOf is whose a workflow is; empty for one that there is not.
func ownerOf(tx *readmodel.Tx, id string) string {
	if of := workflows.Get(tx, id); of != nil {
		return of.Owner
	}
	return ""
}

// use counts what was used by a workflow at a time.
func use(tx *readmodel.Tx, id string, at time.Time, used UsageOfDay) {
	zone, owner := time.UTC, ""
	if of := workflows.Get(tx, id); of != nil {
		zone, owner = zoneOf(of.Zone), of.Owner
	}
	day := at.In(zone).Format(time.DateOnly)
	one := usageDays.Edit(tx, id, day)
	if one == nil {
		usageDays.Insert(tx, Usage{Workflow: strings.Clone(id), Day: day, Owner: owner})
		one = usageDays.Edit(tx, id, day)
	}
	one.Runs += used.Runs
	one.Failed += used.Failed
	one.RunMS += used.RunMS
	one.Calls += used.Calls
	one.Tokens += used.Tokens
	one.Micros += used.Micros
	useTotals(tx, owner, day, used)
}

// useTotals counts for an owner, and for all of them.
func useTotals(tx *readmodel.Tx, owner, day string, used UsageOfDay) {
	useTotal(tx, "", day, used)
	if owner != "" {
		useTotal(tx, owner, day, used)
	}
}

func useTotal(tx *readmodel.Tx, owner, day string, used UsageOfDay) {
	all := usageTotals.Edit(tx, owner, day)
	if all == nil {
		usageTotals.Insert(tx, UsageOfDay{Owner: owner, Day: day})
		all = usageTotals.Edit(tx, owner, day)
	}
	all.Add(used)
}

// zones are those that were looked up: a zone is a file.
var zones sync.Map

// zoneOf is UTC for a zone that this machine does not know.
func zoneOf(name string) *time.Location {
	if known, is := zones.Load(name); is {
		return known.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	zones.Store(name, zone)
	return zone
}

// ranOn counts a run that was carried out here. An imported run used nothing here.
func ranOn(tx *readmodel.Tx, recorded event.Recorded, e run.RunEnded) {
	if of := runs.Get(tx, runOf(recorded)); of != nil && of.Trigger == workflow.TriggerImport {
		return
	}
	used := UsageOfDay{Runs: 1, RunMS: e.Usage.WallMS, Calls: e.Usage.Calls - e.Usage.Reused}
	if e.Failure != nil {
		used.Failed = 1
	}
	use(tx, workflowOf(recorded), recorded.Metadata.RecordedAt, used)
}

// usedBefore counts what a workflow used that was erased: what is paid for, and what limits are about, stays. The times of
// a day are not known any more.
func usedBefore(tx *readmodel.Tx, recorded event.Recorded, e workflow.WorkflowErased) {
	id := workflowOf(recorded)
	for i, used := range e.Used {
		of := UsageOfDay{Day: used.Day, Runs: used.Runs, Failed: used.Failed, RunMS: used.RunMS, Calls: used.Calls, Tokens: used.Tokens, Micros: used.Micros}
		usageDays.Insert(tx, Usage{
			Workflow: strings.Clone(id), Day: used.Day, Owner: e.Owner, Runs: of.Runs, Failed: of.Failed, RunMS: of.RunMS, Calls: of.Calls, Tokens: of.Tokens, Micros: of.Micros,
		})
		useTotals(tx, e.Owner, used.Day, of)
		at, err := time.Parse(time.DateOnly, used.Day)
		if err == nil && used.Micros > 0 {
			spending.Insert(tx, spent{
				Thread: workflow.Stream(id), Revision: int64(i), At: at, CostUSD: float64(used.Micros) / 1e6, Tokens: used.Tokens, Owner: e.Owner, Micros: used.Micros,
			})
		}
	}
}

// UsageFilter chooses what was used; empty fields choose all. Days are of each workflow's own zone, both ends included.
type UsageFilter struct {
	Owner, Workflow, From, To string
	// Limit is the most rows to return, 0 for all.
	Limit int
	// After leaves out that row and those before it: it is the [Usage.ID] of the last one of the page before.
	After string
}

// where chooses rows of a table that has days.
func (f UsageFilter) where(table string) (chosen conditions) {
	chosen.add(table+".day >= ?", f.From)
	if f.To != "" {
		chosen.add(table+".day <= ?", f.To)
	}
	return chosen
}

// ID names the row among all.
func (u Usage) ID() string { return u.Day + " " + u.Workflow }

// Usage is what was used, by day and workflow.
func (q *Queries) Usage(ctx context.Context, filter UsageFilter) ([]Usage, error) {
	chosen := filter.where("usage_day")
	chosen.equal("usage_day.workflow", filter.Workflow)
	chosen.equal("usage_day.owner", filter.Owner)
	if filter.After != "" {
		day, workflow, _ := strings.Cut(filter.After, " ")
		chosen.add("(usage_day.day, usage_day.workflow) > (?, ?)", day, workflow)
	}
	return collect(ctx, q, func(row readmodel.Row) (Usage, error) {
		used, err := usageDays.Scan(row)
		used.WorkflowTitle = row.Text("title")
		return used, err
	}, chosen.limit("SELECT "+usageDays.Columns()+", coalesce(workflow.title, '') AS title FROM usage_day LEFT JOIN workflow ON workflow.id = usage_day.workflow"+
		chosen.where()+" ORDER BY usage_day.day, usage_day.workflow", filter.Limit), chosen.args...)
}

// UsageByDay is what was used by day, of all that a filter chooses, whatever its limit.
func (q *Queries) UsageByDay(ctx context.Context, filter UsageFilter) ([]UsageOfDay, error) {
	if filter.Workflow == "" {
		chosen := filter.where("usage_total")
		chosen.add("usage_total.owner = ?", filter.Owner)
		return selected(ctx, q, usageTotals, chosen.where()+" ORDER BY usage_total.day", chosen.args...)
	}
	filter.Limit, filter.After = 0, ""
	days, err := q.Usage(ctx, filter)
	all := make([]UsageOfDay, len(days))
	for i, one := range days {
		all[i] = UsageOfDay{Day: one.Day, Runs: one.Runs, Failed: one.Failed, RunMS: one.RunMS, Calls: one.Calls, Tokens: one.Tokens, Micros: one.Micros}
	}
	return all, err
}

// SpentFor is what agents have cost on the workflows of an owner since a moment, in millionths of a US dollar.
func (q *Queries) SpentFor(ctx context.Context, owner string, since time.Time) (int64, error) {
	return one(ctx, q, nil, func(row readmodel.Row) (int64, error) { return row.Int64("micros"), nil },
		`SELECT CAST(coalesce(sum(micros), 0) AS BIGINT) AS micros FROM spend WHERE owner = ? AND at >= ?`, owner, since)
}
