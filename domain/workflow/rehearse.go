package workflow

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// firstRehearsal is how long after a person was asked the old code is rehearsed for the first time: then later and later.
const (
	firstRehearsal = 10 * time.Minute
	mostRehearsal  = 24 * time.Hour
)

// Rehearsable gives the failed run that shows, rehearsed on the active version, whether a workflow that waits for a person works
// again, and since when it waits. It is false for what a rehearsal says nothing about.
func (s State) Rehearsable() (run string, since time.Time, ok bool) {
	var f failure.Failure
	switch m, handedOver := s.Maintenance, s.Escalation; {
	case s.Status == StatusEscalated && handedOver.Reason != EscalatedDiverged && handedOver.Reason != EscalatedSuspected:
		run, since, f = handedOver.Run, handedOver.Since, handedOver.Failure
	case s.Status == StatusHeld:
		run, since, f = m.Run, m.Held.Since, m.Failure
	}
	return run, since, run != "" && f.Class.Repairable() && f.Code != failure.CodeSuspected && f.Code != failure.CodeGarbage
}

// RehearsalDue is when such a workflow is rehearsed by the clock, also by another life of the server.
func (s State) RehearsalDue() (run string, at time.Time, due bool) {
	run, since, ok := s.Rehearsable()
	if !ok || since.IsZero() {
		return "", time.Time{}, false
	}
	last := since
	if over := s.Escalation; over != nil {
		last = over.Rehearsed
	} else if held := s.Maintenance.Held; held != nil {
		last = held.Rehearsed
	}
	return run, nextRehearsal(since, last), true
}

// nextRehearsal is when such a workflow is rehearsed after it was at some time: the pauses double up to a day.
func nextRehearsal(since, last time.Time) time.Time {
	at, pause := since.Add(firstRehearsal), firstRehearsal
	for !at.After(last) {
		at, pause = at.Add(pause), min(2*pause, mostRehearsal)
	}
	return at
}

// noteRehearsal moves the clock on. Rehearsals before a skipped slot are not noted: a schedule of minutes would fill
// the history.
func (s State) noteRehearsal(c NoteRehearsal, now time.Time) []event.Event {
	run, at, due := s.RehearsalDue()
	if !due || run != c.Run || now.Before(at) {
		return nil
	}
	return []event.Event{StillFails{Run: run, At: now}}
}

func (s State) stillFails(e StillFails) State {
	if over := s.Escalation; over != nil && over.Run == e.Run {
		rehearsed := *over
		rehearsed.Rehearsed = e.At
		s.Escalation = &rehearsed
	}
	if m := s.Maintenance; m != nil && m.Run == e.Run && m.Held != nil {
		s = s.onHeld(m.Held.Proposal, func(held *Held) { held.Rehearsed = e.At })
	}
	return s
}

func (s State) findWorking(c FindWorking, now time.Time) ([]event.Event, error) {
	run, _, ok := s.Rehearsable()
	if !ok || run != c.Run {
		return nil, nil // it was answered meanwhile
	}
	events := []event.Event{NotReproduced(c)}
	if s.Maintenance == nil {
		return append(events, s.goOnUnchanged(now)...), nil
	}
	events = append(events, s.leave(ExitWorks, s.Active)...)
	if over, _ := s.runs.Get(run); over.Trigger.isolated() || over.Cancelled { // nothing here waits for what it would do
		return events, nil
	}
	// The trouble was in its reads, so they are made again.
	return append(events, RetryScheduled{Run: run, Attempt: 1, At: now, Fresh: true}), nil
}
