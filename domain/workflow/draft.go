package workflow

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// The ages at which an untouched draft is called stale, called abandoned and archived. Ageing is no event; only a
// message to the owner is one.
const (
	DraftStaleAfter     = 3 * 24 * time.Hour
	DraftAbandonedAfter = 7 * 24 * time.Hour
	DraftArchivedAfter  = 30 * 24 * time.Hour // where its owner opted in
	DraftNotice         = 7 * 24 * time.Hour  // between two prompts, and at least between notice and archive
	// draftPrompts are made a notice apart; an owner who did not answer them is asked every draftSeldom.
	draftPrompts = 4
	draftSeldom  = 4 * DraftNotice
)

// DraftAge is what a draft is called by the time since it was touched.
type DraftAge string

// The ages of a draft.
const (
	DraftFresh     DraftAge = "fresh"
	DraftStale     DraftAge = "stale"
	DraftAbandoned DraftAge = "abandoned"
)

// DraftAgeOf is the age of a draft that was touched last then. A clock that was set back makes none older.
func DraftAgeOf(touched, now time.Time) DraftAge {
	switch idle := now.Sub(touched); {
	case idle >= DraftAbandonedAfter:
		return DraftAbandoned
	case idle >= DraftStaleAfter:
		return DraftStale
	}
	return DraftFresh
}

// Draft is what is known of a workflow that was never activated.
type Draft struct {
	Touched  time.Time `json:",omitzero"` // the newest event that is activity; see [EvolveAt]
	Prompts  int       `json:",omitzero"` // since then
	Prompted time.Time `json:",omitzero"` // the newest
	Archives time.Time `json:",omitzero"` // as the newest prompt said
}

// EvolveAt is [Evolve] for who knows when an event was recorded. Only drafts, outages and what waits for a person depend on it: what is not
// folded with times is never too old.
func EvolveAt(s State, e event.Event, recorded time.Time) State {
	s = Evolve(s, e)
	if s.Status == StatusDraft && TouchesDraft(e) {
		s.Draft = Draft{Touched: recorded.UTC().Truncate(time.Millisecond)} // as exact as a decision's clock
	}
	if _, is := e.(Escalated); is && s.Escalation != nil {
		handedOver := *s.Escalation
		handedOver.Since = recorded.UTC().Truncate(time.Millisecond)
		s.Escalation = &handedOver
	}
	if _, is := e.(NetworkErrorClassified); is && s.Outage != nil && s.Outage.Since.IsZero() {
		began := *s.Outage
		began.Since = recorded.UTC().Truncate(time.Millisecond)
		s.Outage = &began
	}
	if held, is := e.(FixHeld); is {
		s = s.onHeld(held.Proposal, func(h *Held) { h.Since = recorded.UTC().Truncate(time.Millisecond) })
	}
	return s
}

// TouchesDraft says that an event is activity of somebody who works on the workflow.
func TouchesDraft(e event.Event) bool {
	switch e.(type) {
	case DraftPrompted, DecisionReminded, OutageReported, OutageEnded, WorkClaimed, NotificationAcknowledged, SlotSkipped, InputQueued, InputSkipped:
		return false // the machinery's, a glance, and what comes from outside whether or not anybody cares
	}
	return true
}

// DraftDue is when there is something to do about a draft that nobody touches: see [TendDraft].
func (s State) DraftDue() (at time.Time, due bool) {
	d := s.Draft
	if s.Status != StatusDraft || d.Touched.IsZero() {
		return time.Time{}, false
	}
	switch {
	case d.Prompts == 0:
		at = d.Touched.Add(DraftStaleAfter)
	case d.Prompts < draftPrompts:
		at = d.Prompted.Add(DraftNotice)
	default:
		at = d.Prompted.Add(draftSeldom)
	}
	if !d.Archives.IsZero() && d.Archives.Before(at) {
		at = d.Archives
	}
	return at, true
}

// tendDraft asks the owner, or archives a draft whose owner was told before. It does nothing before it is due, or if
// another node was first.
func (s State) tendDraft(c TendDraft, now time.Time) ([]event.Event, error) {
	at, due := s.DraftDue()
	if !due || now.Before(at) {
		return nil, nil
	}
	d := s.Draft
	if told := !d.Archives.IsZero() && !now.Before(d.Archives); told && c.Archive {
		return s.archive(Archive{Reason: fmt.Sprintf("a draft that nobody touched since %s; its owner was told on %s",
			d.Touched.Format(time.DateOnly), d.Prompted.Format(time.DateOnly))}, now)
	}
	prompt := DraftPrompted{Owner: s.Owner, At: now, Since: d.Touched}
	if archives := d.Touched.Add(DraftArchivedAfter); c.Archive && !now.Before(archives.Add(-DraftNotice)) {
		prompt.Archives = archives
		if notice := now.Add(DraftNotice); archives.Before(notice) {
			prompt.Archives = notice
		}
	}
	return []event.Event{prompt}, nil
}

func (s State) keepDraft() ([]event.Event, error) {
	if s.Status != StatusDraft {
		return nil, s.refused(fmt.Sprintf("is no draft: its status is %s", s.Status))
	}
	return []event.Event{DraftKept{}}, nil
}

// draftFollows refuses what is said of a draft that is none.
func (s State) draftFollows(e event.Event) (handled bool, err error) {
	switch e.(type) {
	case DraftPrompted, DraftKept:
		return true, unless(s.Status == StatusDraft, "it is no draft")
	}
	return false, nil
}
