package projections

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Deleted is a workflow that was deleted for good. Its other rows go when the views are built anew, after it was erased.
type Deleted struct {
	Workflow string    `col:"workflow,key"`
	Owner    string    `col:"owner"`
	At       time.Time `col:"at"`
	By       string    `col:"by_whom"`
	Payloads int64     `col:"payloads"`
}

var deletions = readmodel.NewTable[Deleted]("deletion")

func applyDeletion(tx *readmodel.Tx, recorded event.Recorded) error {
	e, is := recorded.Event.(workflow.WorkflowDeleted)
	if !is {
		return nil
	}
	_, by, _ := strings.Cut(recorded.Metadata.Actor, ":")
	deletions.Insert(tx, Deleted{Workflow: e.ID, Owner: e.Owner, At: recorded.Metadata.RecordedAt, By: strings.Clone(by), Payloads: e.Payloads})
	return nil
}

// Deleted is what is known of a workflow that was deleted for good.
func (q *Queries) Deleted(ctx context.Context, id string) (Deleted, error) {
	return selectedOne(ctx, q, fault.New(fault.NotFound, "there is no workflow %q: see the list of workflows", id), deletions, "WHERE workflow = ?", id)
}

// missing says why there is no workflow.
func (q *Queries) missing(ctx context.Context, id string) error {
	gone, err := q.Deleted(ctx, id)
	if err != nil {
		return err
	}
	return fault.New(fault.NotFound, "workflow %s was %s: nothing of it is left but when that was, see 'kintsugi history %s'", id, gone, id)
}

// String says when and by whom.
func (d Deleted) String() string {
	return fmt.Sprintf("deleted for good on %s by %s", d.At.UTC().Format(time.DateOnly), d.By)
}
