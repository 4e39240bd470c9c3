package app

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Routine is a page of what a folded entry of a timeline holds, the newest first: what comes before a revision of
// the workflow's stream, 0 for the newest. Next is where the next page begins, 0 if there is none.
func (h *History) Routine(ctx context.Context, of string, number, before int64, limit int) (page projections.TimelinePage, err error) {
	folded, err := h.Queries.TimelineEntry(ctx, of, number)
	if err != nil {
		return page, err
	}
	if folded.Significance != projections.Routine {
		return page, fault.New(fault.Invalid, "entry %d of the timeline is not folded: there is nothing to open", number)
	}
	last := folded.Last
	if before > 0 {
		last = min(last, before-1)
	}
	// Most revisions of a quiet stretch are an admission and a success: what is not told is read over.
	for last >= folded.First && len(page.Entries) < limit {
		first := max(folded.First, last-int64(4*limit))
		var part []event.Recorded
		for one, err := range h.Commands.WorkflowAfter(ctx, of, first-1) {
			if err != nil {
				return page, err
			}
			if one.Revision > last {
				break
			}
			part = append(part, one)
		}
		page.Entries = append(page.Entries, projections.RoutineOf(part)...)
		last = first - 1
	}
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
	}
	if found := len(page.Entries); found == limit && page.Entries[found-1].First > folded.First {
		page.Next = page.Entries[found-1].First
	}
	return page, nil
}
