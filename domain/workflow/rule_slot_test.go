package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

func slotAt(clock string) time.Time {
	at, err := time.Parse(time.RFC3339, "2026-03-02T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return at
}

func hourly(from string, change func(*ScheduleChanged)) ScheduleChanged {
	e := ScheduleChanged{Spec: "0 * * * *", From: slotAt(from)}
	if change != nil {
		change(&e)
	}
	return e
}

func due(t require.TestingT, s State) schedule.Schedule {
	if s.Schedule.Spec == "" {
		return schedule.Schedule{}
	}
	parsed, err := schedule.Parse(s.Schedule.Spec, time.UTC)
	require.NoError(t, err)
	return parsed
}

// told says in a line what is to be done about the schedule next.
func told(t require.TestingT, s State, now time.Time) string {
	step, ok := s.NextSlot(due(t, s), now)
	clock := func(at time.Time) string { return at.Format("15:04:05") }
	switch {
	case !ok:
		return "nothing"
	case step.Skip != nil && step.Skip.Through != nil:
		return "skip " + clock(*step.Skip.Slot) + " through " + clock(*step.Skip.Through)
	case step.Skip != nil:
		return "skip " + clock(*step.Skip.Slot)
	case step.At.After(now):
		return "wait until " + clock(step.At)
	}
	return "run " + clock(*step.Admit.Slot)
}

// Rule 16: each schedule slot has exactly one outcome: a run, or a recorded skip with its reason.
func TestRule16NextSlot(t *testing.T) {
	t.Parallel()
	slot := func(clock string) *time.Time { at := slotAt(clock); return &at }
	ran := func(run, clock string) []event.Event {
		return []event.Event{
			RunAdmitted{Run: run, Version: v10, Trigger: TriggerSchedule, Slot: slot(clock)}, RunSucceeded{Run: run, Version: v10},
		}
	}
	waitsForRetry := []event.Event{
		admitted("r9", v10), RunFailed{Run: "r9", Version: v10, Failure: refused}, RetryScheduled{Run: "r9", Attempt: 1, At: slotAt("08:05:00")},
	}
	all := func(e *ScheduleChanged) { e.CatchUp, e.WindowMS = CatchUpAll, (3 * time.Hour).Milliseconds() }
	for _, c := range []struct {
		rule  string
		given []event.Event
		now   string
		want  string
	}{
		{"without a schedule there is nothing", active, "08:00:00", "nothing"},
		{"the next slot is waited for", active.and(hourly("07:30:00", nil)), "07:40:00", "wait until 08:00:00"},
		{"a slot that is due is run", active.and(hourly("07:30:00", nil)), "08:00:00", "run 08:00:00"},
		{"one that has run is not run again", active.and(hourly("07:30:00", nil)).and(ran("r9", "08:00:00")...), "08:00:30", "wait until 09:00:00"},
		{"one that was skipped is not run", active.and(hourly("07:30:00", nil), SlotSkipped{Slot: slot("08:00:00"), Reason: "x"}), "08:00:30", "wait until 09:00:00"},
		{"slots from before the schedule was made do not count", active.and(hourly("09:30:00", nil)), "09:40:00", "wait until 10:00:00"},
		{"of several missed ones the last is run", active.and(hourly("05:30:00", nil)), "09:40:00", "skip 06:00:00 through 08:00:00"},
		{"after the others are skipped", active.and(hourly("05:30:00", nil), SlotSkipped{Slot: slot("06:00:00"), Through: slot("08:00:00"), Reason: "x"}), "09:40:00", "run 09:00:00"},
		{"none if so wished", active.and(hourly("05:30:00", func(e *ScheduleChanged) { e.CatchUp = CatchUpNone })), "09:40:00", "skip 06:00:00 through 09:00:00"},
		{"but not what is due right now", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.CatchUp = CatchUpNone })), "08:00:59", "run 08:00:00"},
		{"all within the window, the first is", active.and(hourly("04:30:00", all)), "09:40:00", "skip 05:00:00 through 06:00:00"},
		{"and then the next", active.and(hourly("04:30:00", all), SlotSkipped{Slot: slot("05:00:00"), Through: slot("06:00:00"), Reason: "x"}), "09:40:00", "run 07:00:00"},
		{"one after the other", active.and(hourly("06:30:00", all), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerSchedule, Slot: slot("07:00:00")}), "09:40:00", "nothing"},
		{"also what was missed a moment ago", active.and(hourly("06:30:00", all), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerSchedule, Slot: slot("07:00:00")}), "08:00:30", "nothing"},
		{"but not what comes due over it", active.and(hourly("06:30:00", all), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerSchedule, Slot: slot("07:00:00")}), "08:00:05", "skip 08:00:00"},
		{"a slot over a run that goes on is skipped", active.and(hourly("07:30:00", nil), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerManual}), "08:00:00", "skip 08:00:00"},
		{"or waits for its end", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Overlap = OverlapQueue }), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerManual}), "08:00:00", "nothing"},
		{"one waits, the newest", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Overlap = OverlapQueue }), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerManual}), "09:00:00", "skip 08:00:00"},
		{"a slot over a run that waits for its retry is skipped", active.and(hourly("07:30:00", nil)).and(waitsForRetry...), "08:00:00", "skip 08:00:00"},
		{"or waits for that", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Overlap = OverlapQueue })).and(waitsForRetry...), "08:00:00", "nothing"},
		{"also with catch-up none", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Overlap, e.CatchUp = OverlapQueue, CatchUpNone }), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerManual}), "08:30:00", "nothing"},
		{"or runs beside it", active.and(hourly("07:30:00", nil), SettingsChanged{Settings: Settings{MaxActive: 2}}, beside("r9")), "08:00:00", "run 08:00:00"},
		{"a paused workflow skips", active.and(hourly("07:30:00", nil), WorkflowPaused{}), "08:00:00", "skip 08:00:00"},
		{"also if slots would wait", active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Overlap = OverlapQueue }), WorkflowPaused{}), "08:00:00", "skip 08:00:00"},
		{"an archived one does nothing", active.and(hourly("07:30:00", nil), WorkflowArchived{}), "08:00:00", "nothing"},
		{"the last slot of all", active.and(ScheduleChanged{Spec: "at 2026-03-02 08:00", From: slotAt("07:30:00")}).and(ran("r9", "08:00:00")...), "09:00:00", "nothing"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, told(t, given(t, c.given...).State(), slotAt(c.now)))
		})
	}
}

// Rule 16: a skip says what was in the way.
func TestRule16SkipsTellTheTruth(t *testing.T) {
	t.Parallel()
	queue := func(e *ScheduleChanged) { e.Overlap = OverlapQueue }
	busy := RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerManual}
	for _, c := range []struct {
		given []event.Event
		now   string
		want  string
	}{
		{active.and(hourly("07:30:00", nil), busy), "08:00:00", "has 1 active run and its setting max_active is 1"},
		{active.and(hourly("07:30:00", queue), busy), "09:00:00", "the overlap policy queue keeps the newest"},
		{active.and(hourly("07:30:00", queue)), "09:00:00", "missed: a later slot takes its place"},
		{active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.CatchUp = CatchUpNone })), "08:30:00", "the catch-up policy none runs no such slot"},
	} {
		s := given(t, c.given...).State()
		step, ok := s.NextSlot(due(t, s), slotAt(c.now))
		require.True(t, ok)
		require.Contains(t, step.Skip.Reason, c.want)
	}
}

// The run of a slot gets the schedule's input with the slot and its zone added. Members of the input with these names
// stay, and all members keep their order.
func TestARunOfASlotKnowsItsSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, own, want string }{
		{"", ``, `{"slot":"2026-03-02T08:00:00Z","zone":"Europe/Berlin"}`},
		{"", `null`, `{"slot":"2026-03-02T08:00:00Z","zone":"Europe/Berlin"}`},
		{"", ` {} `, `{"slot":"2026-03-02T08:00:00Z","zone":"Europe/Berlin"}`},
		{"Asia/Tokyo", ``, `{"slot":"2026-03-02T08:00:00Z","zone":"Asia/Tokyo"}`},
		{"", `{"z":1,"a":{"slot":2}}`, `{"z":1,"a":{"slot":2},"slot":"2026-03-02T08:00:00Z","zone":"Europe/Berlin"}`},
		{"", `{"zone":"north"}`, `{"zone":"north","slot":"2026-03-02T08:00:00Z"}`},
		{"", `{"slot":null,"zone":"north"}`, `{"slot":null,"zone":"north"}`},
		{"", `[1]`, `[1]`},
		{"", `"text"`, `"text"`},
	} {
		s := given(t, active.and(hourly("07:30:00", func(e *ScheduleChanged) { e.Zone, e.Input = c.zone, json.RawMessage(c.own) }))...).State()
		s.Zone = "Europe/Berlin"
		step, ok := s.NextSlot(due(t, s), slotAt("08:00:00"))
		require.True(t, ok)
		require.Equal(t, c.want, string(step.Admit.Input))
	}
}

// A draft takes no slots: they count from the activation, and after an archive from the return.
func TestRule16SlotsCountFromActivation(t *testing.T) {
	t.Parallel()
	daily := ChangeSchedule{Spec: "@daily", Overlap: OverlapQueue, Jitter: time.Minute}
	draft := given(t, created).When(daily).Given(TypeScheduleChanged)
	_, ok := draft.State().NextSlot(due(t, draft.State()), draft.Now().Add(48*time.Hour))
	require.False(t, ok)
	later := draft.When(SaveScript{ScriptID: "s1", Code: "x", Origin: OriginPerson}).Given(TypeScriptSaved).After(72 * time.Hour)
	activated := later.When(Activate{}).Then(WorkflowActivated{}, ScheduleChanged{Spec: "@daily", From: later.Now(), Overlap: OverlapQueue, JitterMS: 60_000})
	back := activated.When(Archive{}).Given(TypeWorkflowArchived).After(time.Hour)
	back.When(Restore{}).Then(WorkflowRestored{}, ScheduleChanged{Spec: "@daily", From: back.Now(), Overlap: OverlapQueue, JitterMS: 60_000})
}

// Rule 16, against two nodes that act on the same slot.
func TestRule16ASlotIsTakenOnce(t *testing.T) {
	t.Parallel()
	first, second := slotAt("08:00:00"), slotAt("09:00:00")
	g := given(t, active.and(hourly("07:30:00", nil))...)
	taken := g.When(AdmitRun{Run: "a", Trigger: TriggerSchedule, Slot: &first}).ThenTypes(TypeRunAdmitted)
	taken.When(AdmitRun{Run: "b", Trigger: TriggerSchedule, Slot: &first}).ThenRefused(fault.Conflict, "has its outcome already")
	taken.When(SkipSlot{Slot: &first, Reason: "x"}).ThenRefused(fault.Conflict, "has its outcome already")
	skipped := g.When(SkipSlot{Slot: &first, Through: &second, Reason: "x"}).ThenTypes(TypeSlotSkipped)
	skipped.When(AdmitRun{Run: "b", Trigger: TriggerSchedule, Slot: &second}).ThenRefused(fault.Conflict, "has its outcome already")
	g.When(SkipSlot{Slot: &second, Through: &first, Reason: "x"}).ThenRefused(fault.Invalid, "from the first through the last")
	g.When(SkipSlot{Through: &first, Reason: "x"}).ThenRefused(fault.Invalid, "from the first through the last")
}

// Rule 16: a slot is of one schedule. A node that found it before a person changed the schedule, and
// acts on it after, is refused.
func TestRule16ASlotIsOfOneSchedule(t *testing.T) {
	t.Parallel()
	first, by := slotAt("08:00:00"), slotAt("07:30:00")
	g := given(t, active.and(hourly("07:30:00", nil))...)
	g.When(AdmitRun{Run: "a", Trigger: TriggerSchedule, Slot: &first, FoundBy: by}).ThenTypes(TypeRunAdmitted)
	g.When(SkipSlot{Slot: &first, FoundBy: by, Reason: "x"}).ThenTypes(TypeSlotSkipped)
	changed := given(t, active.and(hourly("07:30:00", nil), hourly("07:59:00", nil))...)
	changed.When(AdmitRun{Run: "a", Trigger: TriggerSchedule, Slot: &first, FoundBy: by}).ThenRefused(fault.Conflict, "is of a schedule that was changed at 2026-03-02T07:59:00Z")
	changed.When(SkipSlot{Slot: &first, FoundBy: by, Reason: "x"}).ThenRefused(fault.Conflict, "is of a schedule that was changed")
}

func TestSchedulesAreChecked(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]ChangeSchedule{
		`the hour "25"`:                       {Spec: "0 25 * * *"},
		`"allow" is not an overlap policy`:    {Spec: "@daily", Overlap: "allow"},
		`"some" is not a catch-up policy`:     {Spec: "@daily", CatchUp: "some"},
		"a window is for":                     {Spec: "@daily", Window: time.Hour},
		"the catch-up window -1h0m0s":         {Spec: "@daily", CatchUp: CatchUpAll, Window: -time.Hour},
		"the jitter 2h0m0s is not between":    {Spec: "@daily", Jitter: 2 * time.Hour},
		"the catch-up window 745h0m0s is not": {Spec: "@daily", CatchUp: CatchUpAll, Window: 745 * time.Hour},
	} {
		given(t, active...).When(c).ThenRefused(fault.Invalid, says)
	}
}

// Rule 16: under every schedule and policy, and at every time of looking, the steps give each slot one outcome, in
// order, and run none before its time.
func TestRule16EverySlotHasOneOutcome(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := State{}
		for _, e := range active.and(ScheduleChanged{
			Spec:     rapid.SampledFrom([]string{"*/10 * * * *", "every 7m", "0,1,30 * * * *", "at 2026-03-02 08:40"}).Draw(t, "spec"),
			From:     slotAt("08:00:00"),
			Overlap:  rapid.SampledFrom([]Overlap{"", OverlapQueue}).Draw(t, "overlap"),
			CatchUp:  rapid.SampledFrom([]CatchUp{"", CatchUpNone, CatchUpAll}).Draw(t, "catch-up"),
			WindowMS: 0,
			JitterMS: rapid.SampledFrom([]int64{0, 90_000}).Draw(t, "jitter"),
		}) {
			s = Evolve(s, e)
		}
		outcomes := map[time.Time]int{}
		var running string
		now := slotAt("08:00:00")
		apply := func(c Command) {
			events, err := Decide(s, c, now)
			require.NoError(t, err)
			for _, e := range events {
				s = Evolve(s, e)
			}
		}
		for range 60 {
			now = now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "pass")) * time.Second)
			if running != "" && rapid.Bool().Draw(t, "ends") {
				apply(SettleRun{Run: running})
				running = ""
			}
			for step, ok := s.NextSlot(due(t, s), now); ok && !step.At.After(now); step, ok = s.NextSlot(due(t, s), now) {
				if step.Skip != nil {
					through := *step.Skip.Slot
					if step.Skip.Through != nil {
						through = *step.Skip.Through
					}
					for slot := *step.Skip.Slot; !slot.After(through); slot, _ = due(t, s).Next(slot) {
						outcomes[slot]++
						if slot.Equal(through) {
							break
						}
					}
					apply(*step.Skip)
					continue
				}
				require.False(t, step.Admit.Slot.After(now))
				outcomes[*step.Admit.Slot]++
				running = now.String() + step.Admit.Slot.String()
				step.Admit.Run = running
				apply(*step.Admit)
			}
		}
		waiting := 0
		for slot, ok := due(t, s).Next(s.Schedule.From); ok && !slot.After(now); slot, ok = due(t, s).Next(slot) {
			require.LessOrEqual(t, outcomes[slot], 1, "the slot %v has two outcomes", slot)
			if outcomes[slot] == 0 {
				waiting++
			} else {
				require.Zero(t, waiting, "the slot %v was taken before an earlier one", slot)
			}
			delete(outcomes, slot)
		}
		require.Empty(t, outcomes, "outcomes of no slot")
		if running == "" && s.Schedule.Jitter == 0 {
			require.Zero(t, waiting, "nothing runs, and yet slots wait")
		}
	})
}

// Rule 16: an event that ends a schedule gives its waiting slots their outcome in the same append.
func TestRule16SlotsThatWaitAreSkippedWithWhatEndsThem(t *testing.T) {
	t.Parallel()
	queue := func(e *ScheduleChanged) { e.Overlap, e.CatchUp = OverlapQueue, CatchUpAll }
	slot := func(clock string) *time.Time { at := slotAt(clock); return &at }
	waits := active.and(hourly("04:30:00", queue), RunAdmitted{Run: "r9", Version: v10, Trigger: TriggerSchedule, Slot: slot("05:00:00")})
	s := fold(waits...)
	now := slotAt("08:10:00")
	for name, c := range map[string]struct {
		when Command
		why  string
		last string
	}{
		"another schedule": {ChangeSchedule{Spec: "30 * * * *", Due: due(t, s)}, "the schedule was changed while it waited", TypeScheduleChanged},
		"none any more":    {ChangeSchedule{Due: due(t, s)}, "the schedule was removed while it waited", TypeScheduleChanged},
		"the archive":      {Archive{Due: due(t, s)}, "the workflow was archived while it waited", TypeWorkflowArchived},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := Decide(s, c.when, now)
			require.NoError(t, err)
			require.Len(t, events, 2)
			require.Equal(t, SlotSkipped{Slot: slot("06:00:00"), Through: slot("08:00:00"), Reason: c.why}, events[0])
			require.Equal(t, c.last, events[1].EventType())
		})
	}
	// A slot that is not due is nobody's loss, and a draft has no slots.
	events, err := Decide(s, ChangeSchedule{Due: due(t, s)}, slotAt("05:59:59"))
	require.NoError(t, err)
	require.Len(t, events, 1)
	sketch := fold(draft.and(hourly("04:30:00", queue))...)
	events, err = Decide(sketch, ChangeSchedule{Due: due(t, sketch)}, now)
	require.NoError(t, err)
	require.Len(t, events, 1)
	// Once it has its outcome, nothing waits.
	done := fold(waits.and(SlotSkipped{Slot: slot("06:00:00"), Through: slot("08:00:00"), Reason: "x"})...)
	events, err = Decide(done, Archive{Due: due(t, done)}, now)
	require.NoError(t, err)
	require.Len(t, events, 1)
}
