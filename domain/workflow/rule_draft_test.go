package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

const day = 24 * time.Hour

// draftStory is a scenario whose events are recorded when they happen: the age of a draft is by that.
type draftStory struct {
	t     *testing.T
	now   time.Time
	state State
}

func ofDraft(t *testing.T) *draftStory {
	t.Helper()
	return (&draftStory{t: t, now: scenario.Start}).happened(draft...)
}

func (d *draftStory) happened(events ...event.Event) *draftStory {
	for _, e := range events {
		d.state = EvolveAt(d.state, e, d.now)
	}
	return d
}

func (d *draftStory) after(passed time.Duration) *draftStory {
	d.now = d.now.Add(passed)
	return d
}

// tended is what comes of looking after the draft now, and that it is due just then.
func (d *draftStory) tended(optedIn bool, want ...event.Event) *draftStory {
	d.t.Helper()
	at, due := d.state.DraftDue()
	require.Equal(d.t, len(want) > 0, due && !d.now.Before(at), "whoever is due finds something to do, and nobody else")
	events, err := Decide(d.state, TendDraft{Archive: optedIn}, d.now)
	require.NoError(d.t, err)
	require.Equal(d.t, want, events)
	return d.happened(events...)
}

// prompted is a prompt now about a draft that was touched so long ago; archives is from now, 0 for never.
func (d *draftStory) prompted(idle, archives time.Duration) DraftPrompted {
	prompt := DraftPrompted{Owner: "ada", At: d.now, Since: d.now.Add(-idle)}
	if archives > 0 {
		prompt.Archives = d.now.Add(archives)
	}
	return prompt
}

func TestRule20ADraftGrowsOldByTheClockAlone(t *testing.T) {
	t.Parallel()
	at := scenario.Start
	require.Equal(t, DraftFresh, DraftAgeOf(at, at.Add(3*day-1)))
	require.Equal(t, DraftStale, DraftAgeOf(at, at.Add(3*day)))
	require.Equal(t, DraftStale, DraftAgeOf(at, at.Add(7*day-1)))
	require.Equal(t, DraftAbandoned, DraftAgeOf(at, at.Add(7*day)))
	require.Equal(t, DraftFresh, DraftAgeOf(at, at.Add(-30*day)), "the clock was set back")
}

// The owner is asked when the draft is stale, at most weekly, and more seldom when they never answer.
func TestRule20TheOwnerOfADraftIsAskedAtMostWeekly(t *testing.T) {
	t.Parallel()
	d := ofDraft(t).after(3*day - time.Millisecond).tended(false)
	d = d.after(time.Millisecond)
	d.tended(false, d.prompted(3*day, 0)).tended(false)
	idle := 3 * day
	for range 3 {
		d = d.after(7*day - time.Millisecond).tended(false).after(time.Millisecond)
		idle += 7 * day
		d.tended(false, d.prompted(idle, 0))
	}
	d = d.after(28*day - time.Millisecond).tended(false).after(time.Millisecond)
	d.tended(false, d.prompted(idle+28*day, 0))
	require.Equal(t, StatusDraft, d.state.Status, "nobody opted in")
}

// Continue, a save or a run begins the wait anew; a glance at the notice, or what comes from outside, does not.
func TestRule20ActivityMakesADraftFresh(t *testing.T) {
	t.Parallel()
	for _, touch := range []Command{
		KeepDraft{}, SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginPerson}, AdmitRun{Run: "n", Trigger: TriggerManual}, ChangeIntent{Intent: "i"},
	} {
		d := ofDraft(t).after(8 * day)
		d.tended(true, d.prompted(8*day, 0)).after(6 * day)
		events, err := Decide(d.state, touch, d.now)
		require.NoError(t, err)
		d.happened(events...).after(3*day - time.Millisecond).tended(true).after(time.Millisecond)
		d.tended(true, d.prompted(3*day, 0))
	}
	d := ofDraft(t).after(2*day).happened(NotificationAcknowledged{Notification: "n"}, InputSkipped{Run: "n", Trigger: TriggerWebhook}).after(day)
	d.tended(false, d.prompted(3*day, 0))
}

// Only where the owner opted in, only 30 days after the last activity, and only a week after they were told when.
func TestRule20ADraftIsArchivedOnlyAfterANotice(t *testing.T) {
	t.Parallel()
	d := ofDraft(t).after(3 * day)
	d.tended(true, d.prompted(3*day, 0)).after(20 * day)
	d.tended(true, d.prompted(23*day, 7*day)).after(7 * day)
	d.tended(true, WorkflowArchived{Reason: "a draft that nobody touched since 2026-03-02; its owner was told on 2026-03-25"})
	require.Equal(t, StatusArchived, d.state.Status)
	d.after(99 * day).tended(true)

	restored := d.happened(WorkflowRestored{})
	require.Equal(t, StatusDraft, restored.state.Status, "what was a draft is one again")
	restored.after(3*day - time.Millisecond).tended(true) // somebody wants it: the wait begins anew
}

// A clock that jumps, or a server that was off for months, does not leave out the notice.
func TestRule20AClockThatJumpsDoesNotArchiveUnasked(t *testing.T) {
	t.Parallel()
	d := ofDraft(t).after(400 * day)
	d.tended(true, d.prompted(400*day, 7*day))
	d.after(-400 * day).tended(true)
	d.after(406 * day).tended(true).after(day)
	require.Equal(t, TypeWorkflowArchived, scenarioOne(t, d, true).EventType())
}

// An owner who opts out after the notice is asked again instead.
func TestRule20AnOwnerWhoOptsOutKeepsTheDraft(t *testing.T) {
	t.Parallel()
	d := ofDraft(t)
	for _, wait := range []time.Duration{3 * day, 7 * day, 7 * day, 7 * day} {
		d.after(wait).happened(d.prompted(0, 0))
	}
	d = d.after(28 * day)
	d.tended(true, d.prompted(52*day, 7*day)).after(7 * day)
	d.tended(false, d.prompted(59*day, 0)).tended(false)
}

// A workflow that was activated, archived by a person or is being mended meanwhile is no draft, so nobody is asked
// about it.
func TestRule20NobodyIsAskedAboutWhatIsNoDraft(t *testing.T) {
	t.Parallel()
	for _, meanwhile := range []event.Event{WorkflowActivated{}, WorkflowArchived{}, WorkflowPaused{}} {
		ofDraft(t).happened(meanwhile).after(99 * day).tended(true)
	}
	given(t, active...).When(KeepDraft{}).ThenRefused(fault.Conflict, "is no draft: its status is active")
	for _, said := range []event.Event{DraftKept{}, DraftPrompted{}} {
		_, err := Follow(fold(active...), said)
		require.ErrorContains(t, err, "it is no draft")
	}
}

// A draft that was stale when a person looked, and was touched before they archive many, stays.
func TestRule20ADraftIsArchivedAsItWasSeen(t *testing.T) {
	t.Parallel()
	d := ofDraft(t)
	seen := Archive{Untouched: d.now}
	events, err := Decide(d.state, seen, d.now)
	require.NoError(t, err)
	require.Equal(t, []event.Event{WorkflowArchived{}}, events)
	for _, meanwhile := range []event.Event{DraftKept{}, WorkflowActivated{}} {
		_, err := Decide(EvolveAt(d.state, meanwhile, d.now.Add(time.Second)), seen, d.now)
		require.Equal(t, fault.Conflict, fault.KindOf(err))
	}
}

func scenarioOne(t *testing.T, d *draftStory, optedIn bool) event.Event {
	t.Helper()
	events, err := Decide(d.state, TendDraft{Archive: optedIn}, d.now)
	require.NoError(t, err)
	require.Len(t, events, 1)
	return events[0]
}
