package app

import (
	"context"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Draft is a workflow that was never activated, and what was done about it.
type Draft struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Owner    string            `json:"owner"`
	Age      workflow.DraftAge `json:"age"`
	Touched  time.Time         `json:"touched"`
	Prompted time.Time         `json:"prompted,omitzero"`
	Archives time.Time         `json:"archives,omitzero"` // by itself
	Done     string            `json:"done,omitempty"`    // archived or kept
	Problem  string            `json:"problem,omitempty"` // why it is neither
}

// The outcomes for a draft.
const (
	DraftArchived = "archived"
	DraftKept     = "kept"
)

// DraftsAsked chooses drafts, and says what is done about them.
type DraftsAsked struct {
	Age    workflow.DraftAge // at least; empty for all
	Owner  string            // empty for all
	Named  []string          // ids; none for all
	Do     string            // [DraftArchived], [DraftKept], or nothing
	Reason string            // why they are archived
}

// Drafts are those that are asked for, the ones that nobody touched for longest first. Each is archived or kept by
// itself: that somebody was faster with one is said with it, and the others go on.
func (w *Workflows) Drafts(ctx context.Context, meta func() commands.Meta, asked DraftsAsked) ([]Draft, error) {
	now := w.Now()
	filter := projections.DraftFilter{Owner: asked.Owner}
	switch asked.Age {
	case workflow.DraftAbandoned:
		filter.Untouched = now.Add(-workflow.DraftAbandonedAfter)
	case workflow.DraftStale:
		filter.Untouched = now.Add(-workflow.DraftStaleAfter)
	}
	found, err := w.Queries.Drafts(ctx, filter)
	if err != nil {
		return nil, err
	}
	if found, err = draftsNamed(found, asked.Named); err != nil {
		return nil, err
	}
	list := make([]Draft, len(found))
	for i, one := range found {
		list[i] = Draft{
			ID: one.ID, Title: one.Title, Owner: one.Owner, Age: workflow.DraftAgeOf(one.Touched, now),
			Touched: one.Touched, Prompted: one.Prompted, Archives: one.Archives, Done: asked.Do,
		}
		var err error
		switch asked.Do {
		case DraftArchived:
			_, err = w.Commands.ArchiveWorkflow(ctx, one.ID, workflow.Archive{Reason: asked.Reason, Untouched: one.Touched}, meta())
		case DraftKept:
			_, err = w.Commands.KeepDraft(ctx, one.ID, workflow.KeepDraft{}, meta())
		}
		if fault.KindOf(err) == fault.Conflict { // somebody was faster: the others go on
			list[i].Done, list[i].Problem = "", err.Error()
		} else if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// draftsNamed are those of the drafts that a person names; all if they name none.
func draftsNamed(drafts []projections.Workflow, ids []string) ([]projections.Workflow, error) {
	if len(ids) == 0 {
		return drafts, nil
	}
	chosen := make([]projections.Workflow, 0, len(ids))
	for _, id := range ids {
		i := slices.IndexFunc(drafts, func(one projections.Workflow) bool { return one.ID == id })
		if i < 0 {
			return nil, fault.New(fault.Conflict, "workflow %q is no such draft: see 'kintsugi workflow drafts'", id)
		}
		chosen = append(chosen, drafts[i])
	}
	return chosen, nil
}
