package installation_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
)

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

// Rule 7: a kill switch stops all repairs, once, until it is taken back.
func TestRepairsAreStoppedOnce(t *testing.T) {
	t.Parallel()
	stopped := given(t).When(StopRepairs{Reason: "the shop moves"}).Then(RepairsStopped{Reason: "the shop moves"})
	require.True(t, stopped.State().Off)
	require.Equal(t, "the shop moves", stopped.State().Reason)
	stopped.When(StopRepairs{Reason: "again"}).Then()
	resumed := stopped.When(ResumeRepairs{}).Then(RepairsResumed{})
	require.False(t, resumed.State().Off)
	resumed.When(ResumeRepairs{}).Then()
	given(t).When(ResumeRepairs{}).Then()
}

func dollars(usd float64) *float64 { return &usd }

// A cap that is not named stays as it is.
func TestCapsAreChangedOneByOne(t *testing.T) {
	t.Parallel()
	both := given(t).When(ChangeSpendCap{PerDayUSD: dollars(5)}).Then(SpendCapChanged{PerDayUSD: 5}).
		When(ChangeSpendCap{PerMonthUSD: dollars(60)}).Then(SpendCapChanged{PerDayUSD: 5, PerMonthUSD: 60})
	require.True(t, both.State().Capped())
	both.When(ChangeSpendCap{PerDayUSD: dollars(5)}).Then()
	both.When(ChangeSpendCap{PerFixUSD: dollars(0.5)}).Then(SpendCapChanged{PerDayUSD: 5, PerMonthUSD: 60, PerFixUSD: 0.5}).
		When(ChangeSpendCap{PerDayUSD: dollars(4)}).Then(SpendCapChanged{PerDayUSD: 4, PerMonthUSD: 60, PerFixUSD: 0.5})
	none := both.When(ChangeSpendCap{PerDayUSD: dollars(0), PerMonthUSD: dollars(0)}).Then(SpendCapChanged{})
	require.False(t, none.State().Capped())
	given(t).When(ChangeSpendCap{}).ThenRefused(fault.Invalid, "name a cap")
	for _, usd := range []float64{-1, math.NaN(), math.Inf(1)} {
		given(t).When(ChangeSpendCap{PerDayUSD: dollars(usd)}).ThenRefused(fault.Invalid, "is none")
	}
}

// Rule 7: the operator hears of a used-up cap once for each period and cap, however many find it so.
func TestACapIsToldOnce(t *testing.T) {
	t.Parallel()
	day := Day.Start(scenario.Start)
	capped := given(t, SpendCapChanged{PerDayUSD: 5, PerMonthUSD: 60})
	capped.When(ReportSpend{Spent{DayUSD: 4.99, MonthUSD: 59}}).Then()
	told := capped.When(ReportSpend{Spent{DayUSD: 5, MonthUSD: 59}}).
		Then(SpendCapReached{Period: Day, From: day, CapUSD: 5, SpentUSD: 5})
	told.When(ReportSpend{Spent{DayUSD: 6, MonthUSD: 59}}).Then()
	told.When(ReportSpend{Spent{DayUSD: 6, MonthUSD: 61}}).
		Then(SpendCapReached{Period: Month, From: Month.Start(scenario.Start), CapUSD: 60, SpentUSD: 61})
	told.After(24 * time.Hour).When(ReportSpend{Spent{DayUSD: 7, MonthUSD: 59}}).
		Then(SpendCapReached{Period: Day, From: day.AddDate(0, 0, 1), CapUSD: 5, SpentUSD: 7})
	told.And(SpendCapChanged{PerDayUSD: 6}).When(ReportSpend{Spent{DayUSD: 6}}).
		Then(SpendCapReached{Period: Day, From: day, CapUSD: 6, SpentUSD: 6})
}

// Periods are those of the calendar in UTC, wherever a node is.
func TestPeriodsAreOfTheCalendar(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.February, 28, 23, 30, 0, 0, time.FixedZone("east", 3600))
	require.Equal(t, time.Date(2026, time.February, 28, 0, 0, 0, 0, time.UTC), Day.Start(at))
	require.Equal(t, time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC), Day.End(at))
	require.Equal(t, time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC), Month.Start(at))
	require.Equal(t, time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC), Month.End(at))
	state := State{PerDayUSD: 1, PerMonthUSD: 2}
	reached := state.Reached(Spent{DayUSD: 3, MonthUSD: 3}, at)
	require.Len(t, reached, 2)
	require.Equal(t, "agents have spent $3.00 this month, and the cap is $2.00: they go on after 2026-03-01 00:00 UTC, or when the cap is raised", reached[0].String())
}

func TestNoticesAreSeenOnce(t *testing.T) {
	t.Parallel()
	given(t).When(AcknowledgeNotice{Notification: "n"}).Then(NoticeAcknowledged{Notification: "n"}).When(AcknowledgeNotice{Notification: "n"}).Then()
	given(t).When(AcknowledgeNotice{}).ThenRefused(fault.Invalid, "no id")
	given(t).When(ReportStoreMended{Found: []string{"trigger a"}}).Then(StoreMended{Found: []string{"trigger a"}}).When(ReportStoreMended{}).Then()
}

// A history that nobody can have come to is refused at the event that does not follow.
func TestImpossibleHistories(t *testing.T) {
	t.Parallel()
	capped := Evolve(State{}, SpendCapChanged{PerDayUSD: 5})
	for _, tt := range []struct {
		state State
		event event.Event
		says  string
	}{
		{State{Off: true}, RepairsStopped{}, "stopped already"},
		{State{}, RepairsResumed{}, "were not stopped"},
		{State{}, SpendCapChanged{PerDayUSD: -1}, "not below 0"},
		{capped, SpendCapReached{Period: Day, CapUSD: 5, SpentUSD: 4}, "less was spent"},
		{capped, SpendCapReached{Period: Day, CapUSD: 6, SpentUSD: 7}, "the cap of a day is $5.00"},
		{capped, SpendCapReached{Period: Month, SpentUSD: 7}, "the cap of a month is $0.00"},
		{capped, SpendCapReached{Period: "year"}, `"year" is no period`},
	} {
		_, err := Follow(tt.state, tt.event)
		require.ErrorContains(t, err, tt.says)
	}
	state := State{}
	for _, e := range []event.Event{
		RepairsStopped{}, RepairsResumed{}, SpendCapChanged{PerDayUSD: 5},
		SpendCapReached{Period: Day, CapUSD: 5, SpentUSD: 5}, NoticeAcknowledged{Notification: "n"},
	} {
		var err error
		state, err = Follow(state, e)
		require.NoError(t, err)
	}
}

// Drafts go to the archive by themselves only where their owner said so.
func TestRule20DraftsAreArchivedWhereTheOwnerSaidSo(t *testing.T) {
	t.Parallel()
	given(t).When(ChangeDraftArchiving{Owner: "ann"}).Then()
	on := given(t).When(ChangeDraftArchiving{Owner: "ann", On: true}).Then(DraftArchivingChanged{Owner: "ann", On: true})
	require.True(t, on.State().ArchivesDrafts("ann"))
	require.False(t, on.State().ArchivesDrafts("bob"))
	off := on.When(ChangeDraftArchiving{Owner: "ann", On: true}).Then().When(ChangeDraftArchiving{Owner: "ann"}).Then(DraftArchivingChanged{Owner: "ann"})
	require.False(t, off.State().ArchivesDrafts("ann"))
	_, err := Follow(State{}, DraftArchivingChanged{Owner: "ann"})
	require.ErrorContains(t, err, "was so already")
}

// The choice of what a person sees of timelines is theirs, and kept until they choose again.
func TestTheChoiceOfATimelineIsRemembered(t *testing.T) {
	t.Parallel()
	chosen := given(t).When(ChooseTimeline{Viewer: "person:ann", Significance: []string{"notable"}}).
		Then(TimelineChosen{Viewer: "person:ann", Significance: []string{"notable"}})
	chosen.When(ChooseTimeline{Viewer: "person:ann", Significance: []string{"notable"}}).Then()
	require.Equal(t, []string{"notable"}, chosen.State().TimelineOf("person:ann").Significance)
	require.Empty(t, chosen.State().TimelineOf("person:bob"))
	chosen.When(ChooseTimeline{Viewer: "person:ann"}).Then(TimelineChosen{Viewer: "person:ann"})
	given(t).When(ChooseTimeline{}).ThenRefused(fault.Invalid, "whose choice")
}

// Work that fails again and again is said once, until it goes on.
func TestStalledWorkIsSaidOnce(t *testing.T) {
	t.Parallel()
	stall := Stall{Kind: "workflow", ID: "w1", Work: "maintainer t1"}
	told := WorkStalled{Kind: "workflow", ID: "w1", Work: "maintainer t1", Problem: "panic: nil map", Tries: 1}
	given(t).When(ReportResumed{Stall: stall}).Then()
	stalled := given(t).When(ReportStalled{Stall: stall, Problem: "panic: nil map", Tries: 1}).Then(told)
	stalled.When(ReportStalled{Stall: stall, Problem: "another", Tries: 2}).Then()
	resumed := stalled.When(ReportResumed{Stall: stall}).Then(WorkResumed(stall))
	require.Empty(t, resumed.State().Stalled)
	require.Len(t, stalled.State().Stalled, 1)
}
