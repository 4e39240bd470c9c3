package projections

import (
	"context"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// silent is a workflow that is tried again by itself because the other side does not answer.
type silent struct {
	Workflow string    `col:"workflow,key"`
	Title    string    `col:"title"`
	Owner    string    `col:"owner"`
	Host     string    `col:"host"`
	Next     time.Time `col:"next"`
	Runs     int       `col:"runs"`
}

var silents = readmodel.NewTable[silent]("silent", readmodel.Index("next", "workflow"), readmodel.Index("owner", "next", "workflow"))

// Outage is a service that does not answer, with what is tried again because of it: one cause, whichever workflows ask it.
type Outage struct {
	Host      string             `json:"host,omitempty"` // empty if the failure names none
	Next      time.Time          `json:"next"`           // when the first of them is tried
	Runs      int                `json:"runs"`           // that wait for it
	Workflows []WorkflowOfOutage `json:"workflows"`
}

// WorkflowOfOutage is one that is tried again.
type WorkflowOfOutage struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// outage keeps what is tried again of a workflow: there is little of it at any time.
func (w *Workflow) outage(tx *readmodel.Tx) {
	retrying := len(w.Retrying) > 0 && (w.Status == workflow.StatusActive || w.Status == workflow.StatusDraft)
	if there := silents.Get(tx, w.ID); there != nil {
		silents.Delete(tx, w.ID)
	}
	if !retrying {
		return
	}
	next := slices.MinFunc(w.Retrying, func(a, b RetryingRun) int { return a.At.Compare(b.At) })
	silents.Insert(tx, silent{Workflow: w.ID, Title: w.Title, Owner: w.Owner, Host: w.Silent, Next: next.At, Runs: len(w.Retrying)})
}

// mostSilent bounds what is told of: a thousand workflows of one host are one row all the same.
const mostSilent = 1000

// Outages are the services that do not answer now, of an owner's workflows if one is named, the one that is asked first before the others.
func (q *Queries) Outages(ctx context.Context, owner string) ([]Outage, error) {
	var chosen conditions
	chosen.equal("owner", owner)
	all, err := selected(ctx, q, silents, chosen.limit(chosen.where()+" ORDER BY next, workflow", mostSilent), chosen.args...)
	outages := []Outage{}
	for _, one := range all {
		i := slices.IndexFunc(outages, func(o Outage) bool { return o.Host == one.Host })
		if i < 0 {
			i = len(outages)
			outages = append(outages, Outage{Host: one.Host, Next: one.Next})
		}
		of := &outages[i]
		of.Runs += one.Runs
		of.Workflows = append(of.Workflows, WorkflowOfOutage{one.Workflow, one.Title})
	}
	return outages, err
}
