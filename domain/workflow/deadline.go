package workflow

import (
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// What is done about a fix that nobody decided about in time: see [Settings.OnDeadline].
const (
	DeadlineDecline = "decline"
	// DeadlineAcceptIfProven accepts where nothing but a person's word is missing, and declines else.
	DeadlineAcceptIfProven = "accept_if_proven"
)

// shortestDeadline keeps a slip (seconds for hours) from declining everything.
const shortestDeadline = time.Minute

// DecisionDue is when the fix that waits is decided without its person: see [DecideOverdue].
func (s State) DecisionDue() (at time.Time, due bool) {
	m := s.Maintenance
	if s.Settings.DecideWithinMS == 0 || m == nil || m.Held == nil || m.Held.Since.IsZero() {
		return time.Time{}, false
	}
	return m.Held.Since.Add(time.Duration(s.Settings.DecideWithinMS) * time.Millisecond), true
}

// decideOverdue carries out the default. Who comes too early, or after another node, finds nothing to do.
func (s State) decideOverdue(c DecideOverdue, now time.Time) ([]event.Event, error) {
	at, due := s.DecisionDue()
	if !due || now.Before(at) {
		return nil, nil
	}
	held := s.Maintenance.Held
	within := time.Duration(s.Settings.DecideWithinMS) * time.Millisecond
	why := fmt.Sprintf("nobody decided within %s", within)
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
