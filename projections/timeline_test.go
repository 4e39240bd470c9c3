package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Routine between two things that matter is one entry with counts, however much there is; the rest is a sentence each.
func TestTheTimelineFoldsWhatIsRoutine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	for i := range 5 {
		w.succeed("w", manual(fmt.Sprintf("a%d", i)))
	}
	w.did(w.commands.SkipSlot(ctx, "w", workflow.SkipSlot{Reason: "busy"}, executor))
	w.fail("w", manual("broken"), because(failure.Logic, "a"))
	w.propose("w", "task-broken", "p1", "Read latest_charge")
	w.judge("w", "p1", workflow.VerdictIdentical)
	w.succeed("w", continuation("cont", "broken"))
	w.create("other", "Other")
	w.catchUp()
	page := func(filter projections.TimelineFilter) projections.TimelinePage {
		t.Helper()
		filter.Workflow = "w"
		found, err := w.queries.Timeline(ctx, filter)
		require.NoError(t, err)
		return found
	}
	texts := func(of projections.TimelinePage) (told []string) {
		for _, one := range of.Entries {
			told = append(told, one.Text)
		}
		return told
	}
	all := page(projections.TimelineFilter{})
	require.Equal(t, []string{
		"Runs succeed again.",
		"Fixed: Read latest_charge. The run that failed succeeded on version 1.1: the fix is confirmed.",
		"1 run succeeded.",
		"A fix (Read latest_charge) was applied as version 1.1. It is proved: 3 recorded runs give the same as before.",
		"A repair of version 1.0 began, attempt 1 of 3.",
		"A run failed on version 1.0 (logic): it broke at a",
		"5 runs succeeded, 1 slot skipped.",
		"ann activated it: runs start from now on.",
		"ann saved version 1.0: first version",
		"ann created the workflow.",
	}, texts(all))
	require.Equal(t, "p1", all.Entries[3].Fix)
	require.Equal(t, "broken", all.Entries[5].Run)

	var paged []string
	for next := int64(0); ; {
		part := page(projections.TimelineFilter{Limit: 3, Before: next})
		paged = append(paged, texts(part)...)
		if next = part.Next; next == 0 {
			break
		}
	}
	require.Equal(t, texts(all), paged)

	require.Equal(t, texts(all)[7:], texts(page(projections.TimelineFilter{Actor: "person:ann"})))
	require.Len(t, page(projections.TimelineFilter{Kinds: []string{"fix", "repair"}}).Entries, 3)
	require.Len(t, page(projections.TimelineFilter{Significance: []projections.Significance{projections.Routine}}).Entries, 2)
	require.Empty(t, page(projections.TimelineFilter{Significance: []projections.Significance{projections.PersonFacing}}).Entries)
	failed := all.Entries[5].At
	require.Equal(t, texts(all)[4:6], texts(page(projections.TimelineFilter{Since: failed, Until: failed.Add(time.Microsecond)})))
	require.Empty(t, page(projections.TimelineFilter{Since: noon.Add(time.Hour)}).Entries)

	history := w.commands.WorkflowAfter(ctx, "w", all.Entries[6].First-1)
	opened := 0
	for recorded, err := range history {
		require.NoError(t, err)
		if recorded.Revision <= all.Entries[6].Last {
			opened += len(projections.RoutineOf([]event.Recorded{recorded}))
		}
	}
	require.Equal(t, 6, opened, "what was folded is found again in the stream")
}

// A fix is called proved only where recorded runs prove it, in the timeline and in what people are told.
func TestOnlyWhatIsProvedIsCalledSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "W")
	w.fail("w", manual("broken"), because(failure.Logic, "a"))
	w.propose("w", "task-broken", "p1", "Read latest_charge.")
	w.judge("w", "p1", workflow.VerdictUnverifiable)
	w.did(w.commands.AcceptFix(ctx, "w", workflow.AcceptFix{Proposal: "p1", ScriptID: "s-p1"}, ann))
	w.succeed("w", continuation("cont", "broken"))
	w.catchUp()
	page, err := w.queries.Timeline(ctx, projections.TimelineFilter{Workflow: "w", Kinds: []string{"fix"}})
	require.NoError(t, err)
	require.Len(t, page.Entries, 3)
	require.Equal(t, "Fixed: Read latest_charge. The run that failed succeeded on version 1.1: the fix is confirmed.", page.Entries[0].Text)
	require.Equal(t, "ann accepted a fix (Read latest_charge), as version 1.1.", page.Entries[1].Text)
	require.Contains(t, page.Entries[2].Text, "A fix (Read latest_charge) waits for its person: ")
	told, err := w.queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyFixed})
	require.NoError(t, err)
	require.Equal(t, "Version 1.1. The recorded runs do not prove it.", told[0].Text)
}

// Slots that are skipped because it cannot run say so: one entry for each day and reason, whatever there is of them. Slots that a person has
// paused is no more than counted.
func TestTheTimelineSaysOncePerDayThatSlotsAreSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.create("w", "Orders")
	slot := noon
	skip := func(status workflow.Status, minutes int) {
		for range minutes {
			w.did(w.commands.SkipSlot(ctx, "w", workflow.SkipSlot{Slot: &slot, Reason: "it cannot run", Status: status}, executor))
			slot = slot.Add(time.Minute)
		}
		w.catchUp()
	}
	told := func() (texts []string) {
		page, err := w.queries.Timeline(ctx, projections.TimelineFilter{Workflow: "w"})
		require.NoError(t, err)
		for _, one := range page.Entries {
			texts = append(texts, one.Text)
		}
		return texts[:len(texts)-3] // of its creation
	}
	skip(workflow.StatusMaintenance, 1)
	require.Equal(t, []string{"1 slot of the schedule was skipped: it was being repaired."}, told())
	skip(workflow.StatusMaintenance, 2)
	skip(workflow.StatusHeld, 3)
	skip(workflow.StatusMaintenance, 1)
	skip(workflow.StatusPaused, 2)
	require.Equal(t, []string{
		"2 slots skipped.",
		"3 slots of the schedule were skipped, the last at " + slot.Add(-4*time.Minute).Format(time.DateTime) + ": a fix waited for its person.",
		"4 slots of the schedule were skipped, the last at " + slot.Add(-3*time.Minute).Format(time.DateTime) + ": it was being repaired.",
	}, told())
	before := told()
	w.commands = commands.New(commands.Config{
		Log: w.log, Codec: w.codec, CheckScript: func(string) error { return nil }, NewID: uuid.NewString, Now: func() time.Time { return noon.Add(24 * time.Hour) },
	})
	skip(workflow.StatusEscalated, 2)
	skip(workflow.StatusMaintenance, 1)
	require.Equal(t, append([]string{
		"1 slot of the schedule was skipped: it was being repaired.",
		"2 slots of the schedule were skipped, the last at " + slot.Add(-2*time.Minute).Format(time.DateTime) + ": it was handed to its person.",
	}, before...), told())
}
