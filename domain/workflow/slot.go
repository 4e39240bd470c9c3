package workflow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"reflect"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
)

// Limits and defaults of schedules.
const (
	DefaultWindow = 24 * time.Hour
	maxWindow     = 31 * 24 * time.Hour
	maxJitter     = time.Hour
	// late is how old a slot is that nobody was there to run.
	late = time.Minute
	// backlog is how old a slot is that was due before the run that is in its way began: one that
	// comes due beside a run is looked at within seconds.
	backlog = 10 * time.Second
)

func (s State) changeSchedule(c ChangeSchedule, now time.Time) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if err := isInput(c.Input); err != nil {
		return nil, err
	}
	if err := isInput(slotInput(c.Input, now, cmp.Or(c.Zone, s.Zone))); err != nil {
		return nil, err
	}
	if c.Spec == "" {
		c = ChangeSchedule{Due: c.Due}
	} else if _, err := schedule.Parse(c.Spec, time.UTC); err != nil {
		return nil, invalid("%s", err)
	}
	switch {
	case c.Overlap != "" && c.Overlap != OverlapSkip && c.Overlap != OverlapQueue:
		return nil, invalid("%q is not an overlap policy: use skip or queue, and the setting max_active to allow several runs", c.Overlap)
	case c.CatchUp != "" && c.CatchUp != CatchUpNone && c.CatchUp != CatchUpLast && c.CatchUp != CatchUpAll:
		return nil, invalid("%q is not a catch-up policy: use none, last or all", c.CatchUp)
	case c.Window != 0 && c.CatchUp != CatchUpAll:
		return nil, invalid("a window is for the catch-up policy all")
	case c.Window < 0 || c.Window > maxWindow:
		return nil, invalid("the catch-up window %s is not between 0 and %s", c.Window, maxWindow)
	case c.Jitter < 0 || c.Jitter > maxJitter:
		return nil, invalid("the jitter %s is not between 0 and %s", c.Jitter, maxJitter)
	}
	changed := ScheduleChanged{
		Spec: c.Spec, Zone: c.Zone, Input: c.Input, From: s.Schedule.From, Overlap: c.Overlap, CatchUp: c.CatchUp,
		WindowMS: c.Window.Milliseconds(), JitterMS: c.Jitter.Milliseconds(),
	}
	if reflect.DeepEqual(s.Schedule, scheduleOf(changed)) {
		return nil, nil
	}
	changed.From = now
	why := "the schedule was changed while it waited"
	if c.Spec == "" {
		why = "the schedule was removed while it waited"
	}
	return append(s.dropSlots(c.Due, now, why), changed), nil
}

// dropSlots gives the slots that were due and have not had their outcome one, rule 16: nobody asks about them any more.
func (s State) dropSlots(due schedule.Schedule, now time.Time, why string) []event.Event {
	from, counts := s.slotsFrom()
	if !counts || from.IsZero() {
		return nil
	}
	first, ok := due.Next(from)
	if !ok || first.After(now) {
		return nil
	}
	step := s.skipSlots(first, newest(due, first, now), why)
	return []event.Event{SlotSkipped{Slot: step.Skip.Slot, Through: step.Skip.Through, Reason: step.Skip.Reason}}
}

// slotsFrom says after when slots have no outcome yet, and whether they count at all.
func (s State) slotsFrom() (from time.Time, counts bool) {
	from = s.Schedule.From
	if s.SlotsUntil.After(from) {
		from = s.SlotsUntil
	}
	return from, s.Schedule.Spec != "" && s.Status != StatusDraft && s.Status != StatusArchived && !s.Active.IsZero()
}

// scheduleFrom lets slots count from now on: before, the workflow took none.
func (s State) scheduleFrom(now time.Time) []event.Event {
	if s.Schedule.Spec == "" {
		return nil
	}
	own := s.Schedule
	return []event.Event{ScheduleChanged{
		Spec: own.Spec, Zone: own.Zone, Input: own.Input, From: now, Overlap: own.Overlap, CatchUp: own.CatchUp,
		WindowMS: own.Window.Milliseconds(), JitterMS: own.Jitter.Milliseconds(),
	}}
}

func scheduleOf(e ScheduleChanged) Schedule {
	return Schedule{
		Spec: e.Spec, Zone: e.Zone, Input: e.Input, From: e.From, Overlap: e.Overlap, CatchUp: e.CatchUp,
		Window: time.Duration(e.WindowMS) * time.Millisecond, Jitter: time.Duration(e.JitterMS) * time.Millisecond,
	}
}

// unchanged lifts a payload whose new fields may be missing.
func unchanged(payload json.RawMessage) (json.RawMessage, error) { return payload, nil }

func (s State) slotsUntil(slot *time.Time) State {
	if slot != nil && slot.After(s.SlotsUntil) {
		s.SlotsUntil = *slot
	}
	return s
}

// slotOpen refuses a slot that has its outcome, for each has exactly one, rule 16; and one that was
// found by a schedule that is not the workflow's any more.
func (s State) slotOpen(slot *time.Time, foundBy time.Time) error {
	switch {
	case slot == nil:
	case !slot.After(s.SlotsUntil):
		return conflict("the slot %s has its outcome already", slot.Format(time.RFC3339))
	case !foundBy.IsZero() && !foundBy.Equal(s.Schedule.From):
		return conflict("the slot %s is of a schedule that was changed at %s", slot.Format(time.RFC3339), s.Schedule.From.Format(time.RFC3339))
	}
	return nil
}

func (s State) skipSlot(c SkipSlot) ([]event.Event, error) {
	switch {
	case c.Reason == "":
		return nil, invalid("a skipped slot needs a reason")
	case c.Through != nil && (c.Slot == nil || c.Through.Before(*c.Slot)):
		return nil, invalid("slots are skipped from the first through the last")
	}
	if err := s.slotOpen(c.Slot, c.FoundBy); err != nil {
		return nil, err
	}
	return []event.Event{SlotSkipped{Slot: c.Slot, Through: c.Through, Reason: failure.Cut(c.Reason, maxText), Status: c.Status}}, nil
}

// SlotStep is what is to be done about a schedule next: one of Admit and Skip, at a time.
type SlotStep struct {
	At    time.Time // when it is due; not after now if it is due already
	Admit *AdmitRun // without its run id
	Skip  *SkipSlot
	Busy  bool // it is skipped because of runs that are under way
}

// NextSlot derives from the state what is to be done about the workflow's schedule next. It
// returns false if there is nothing to do: no schedule, or a slot that waits for a run to end.
func (s State) NextSlot(due schedule.Schedule, now time.Time) (SlotStep, bool) {
	from, counts := s.slotsFrom()
	if !counts {
		return SlotStep{}, false
	}
	if from.IsZero() {
		from = now
	}
	first, ok := due.Next(from)
	if !ok {
		return SlotStep{}, false
	}
	if step := s.admitSlot(first); step.At.After(now) {
		return step, true
	}
	// Slots that are too old to run are skipped first, in one step.
	slot := first
	passed := now.Add(-s.Schedule.Jitter)
	queued := s.Schedule.Overlap == OverlapQueue && s.busy()
	if s.Schedule.CatchUp == CatchUpAll {
		oldest := now.Add(-cmp.Or(s.Schedule.Window, DefaultWindow))
		if first.Before(oldest) {
			return s.skipSlots(first, newest(due, first, oldest.Add(-time.Nanosecond)), "missed: nobody was there to run it, and it is older than the catch-up window"), true
		}
	} else if slot = newest(due, first, passed); s.Schedule.CatchUp == CatchUpNone && now.Sub(slot) > late+s.Schedule.Jitter && !queued {
		return s.skipSlots(first, slot, "missed: it is older than a minute, and the catch-up policy none runs no such slot"), true
	} else if slot.After(first) {
		why := "missed: a later slot takes its place"
		if queued {
			why = "a run is in its way, and a later slot takes its place: the overlap policy queue keeps the newest, and all of them with the catch-up policy all"
		}
		return s.skipSlots(first, newest(due, first, slot.Add(-time.Nanosecond)), why), true
	}
	step := s.admitSlot(slot)
	if err := s.admits(*step.Admit, now); err != nil {
		waits := s.Schedule.Overlap == OverlapQueue || s.Schedule.CatchUp == CatchUpAll && now.Sub(slot) > backlog+s.Schedule.Jitter
		busy := s.statusAdmits(*step.Admit) && s.busy()
		if waits && busy {
			return SlotStep{}, false
		}
		skip := s.skipSlots(slot, slot, err.Error())
		if skip.Busy = busy; !s.statusAdmits(*step.Admit) {
			skip.Skip.Status = s.Status
		}
		return skip, true
	}
	return step, true
}

// busy says that a run or a continuation is in the way. The event of its end wakes the scheduler.
func (s State) busy() bool {
	return s.Continuation != nil || s.hasRoom(AdmitRun{Trigger: TriggerSchedule}) != nil
}

func (s State) admitSlot(slot time.Time) SlotStep {
	slot = slot.UTC()
	return SlotStep{
		At: slot.Add(s.jitter(slot)),
		Admit: &AdmitRun{
			Trigger: TriggerSchedule, Slot: &slot, FoundBy: s.Schedule.From, Input: s.SlotInput(slot),
		},
	}
}

// SlotInput is what the run of a slot gets as its input.
func (s State) SlotInput(slot time.Time) json.RawMessage {
	own := s.Schedule.Input
	if len(own) == 0 {
		own = s.Settings.Input
	}
	return slotInput(own, slot, cmp.Or(s.Schedule.Zone, s.Zone))
}

// slotInput adds slot, an ISO time, and zone to a schedule's input. Members of these names that it
// has stay as they are, and what is no object has no room for more.
func slotInput(own json.RawMessage, slot time.Time, zone string) json.RawMessage {
	own = bytes.TrimSpace(own)
	var members map[string]json.RawMessage
	if len(own) > 0 && json.Unmarshal(own, &members) != nil {
		return own
	}
	added := map[string]string{"slot": slot.UTC().Format(time.RFC3339), "zone": cmp.Or(zone, "UTC")}
	for name := range members {
		delete(added, name)
	}
	more, err := json.Marshal(added)
	switch {
	case err != nil || len(added) == 0:
		return own
	case len(members) == 0:
		return more
	}
	return slices.Concat(own[:len(own)-1], json.RawMessage(","), more[1:])
}

func (s State) skipSlots(first, last time.Time, reason string) SlotStep {
	first, last = first.UTC(), last.UTC()
	skip := SkipSlot{Slot: &first, Reason: reason, FoundBy: s.Schedule.From}
	if last.After(first) {
		skip.Through = &last
	}
	return SlotStep{Skip: &skip}
}

// jitter spreads the runs of workflows that share a slot, each always by the same.
func (s State) jitter(slot time.Time) time.Duration {
	if s.Schedule.Jitter <= 0 {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(s.ID))
	_, _ = hash.Write([]byte(slot.Format(time.RFC3339)))
	return time.Duration(hash.Sum64() % uint64(s.Schedule.Jitter))
}

// newest is the last slot not after a moment, or a known one if there is none later.
func newest(due schedule.Schedule, known, moment time.Time) time.Time {
	// Looks back further and further, so that a year of seconds is not walked through.
	for back := time.Minute; ; back *= 2 {
		from := moment.Add(-back)
		if from.Before(known) {
			from = known
		}
		slot, ok := due.Next(from)
		if !ok || slot.After(moment) {
			if from.Equal(known) {
				return known
			}
			continue
		}
		for {
			next, ok := due.Next(slot)
			if !ok || next.After(moment) {
				return slot
			}
			slot = next
		}
	}
}
