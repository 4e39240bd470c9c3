package workflow

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Outcomes of a fix that nobody decided about in time: see [Settings.OnDeadline].
const (
	DeadlineDecline = "decline"
	// DeadlineAcceptIfProven accepts where nothing but a person's word is missing, and declines else.
	DeadlineAcceptIfProven = "accept_if_proven"
)

// DeadlineWords says what is done with a fix at its deadline: it is …
func DeadlineWords(onDeadline string) string {
	if onDeadline == DeadlineAcceptIfProven {
		return "accepted if it is proven, and declined else"
	}
	return "declined"
}

// shortestDeadline keeps a slip (seconds for hours) from declining everything.
const shortestDeadline = time.Minute

// DecisionDue is when the fix that waits is decided without its person: see [DecideOverdue].
func (s State) DecisionDue() (at time.Time, due bool) {
	m := s.Maintenance
	if s.Settings.DecideWithinMS == 0 || m == nil || m.Held == nil || m.Held.Since.IsZero() {
		return time.Time{}, false
	}
	return m.Held.Since.Add(s.decideWithin()), true
}

// ReminderDue is when the person who has to decide about the fix is reminded: with half of the time left.
func (s State) ReminderDue() (at time.Time, due bool) {
	end, due := s.DecisionDue()
	if !due || s.Maintenance.Held.Reminded {
		return time.Time{}, false
	}
	return end.Add(-s.decideWithin() / 2), true
}

func (s State) decideWithin() time.Duration {
	return time.Duration(s.Settings.DecideWithinMS) * time.Millisecond
}

// remindOfDecision reminds once of each fix that waits, and not when it is too late to decide.
func (s State) remindOfDecision(now time.Time) ([]event.Event, error) {
	at, due := s.ReminderDue()
	end, _ := s.DecisionDue()
	if !due || now.Before(at) || !now.Before(end) {
		return nil, nil
	}
	held := s.Maintenance.Held
	return []event.Event{DecisionReminded{Proposal: held.Proposal, Due: end, OnDeadline: s.Settings.WithDefaults().OnDeadline, To: held.For}}, nil
}

// decideOverdue carries out the setting for the deadline. It does nothing before the deadline, or if another node was
// first.
func (s State) decideOverdue(c DecideOverdue, now time.Time) ([]event.Event, error) {
	at, due := s.DecisionDue()
	if !due || now.Before(at) {
		return nil, nil
	}
	held := s.Maintenance.Held
	why := fmt.Sprintf("nobody decided within %s", s.decideWithin())
	if s.Settings.OnDeadline == DeadlineAcceptIfProven {
		if s.onlyAWordIsMissing(held) {
			return s.acceptFix(AcceptFix{Proposal: held.Proposal, ScriptID: c.ScriptID, Reason: why + ", and it is proven"})
		}
		why += ", and more than a person's word is missing"
	}
	return s.declineFix(DeclineFix{Proposal: held.Proposal, Reason: why})
}

// onlyAWordIsMissing says that the fix would have been applied, had this workflow let proven ones be: recorded runs come to the
// same, it reaches nowhere new, nobody doubts it, and there is no other one to choose.
func (s State) onlyAWordIsMissing(held *Held) bool {
	p, _ := s.proposals.Get(held.Proposal)
	v := p.Verification
	return v != nil && v.Verdict == VerdictIdentical && v.Replayed > 0 && v.Widens == nil && held.Unheard == "" && len(ModeProven.holds(*v, held.Alternatives)) == 0
}
