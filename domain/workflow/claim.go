package workflow

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// The work that is claimed: it has neither a run nor a thread to be claimed instead.
const (
	WorkReview    = "review"    // of marked successes
	WorkRehearsal = "rehearsal" // of what waits for a person
	WorkRecheck   = "recheck"   // of a fix that waits for a person
)

// Claim says that somebody is at some work.
type Claim struct {
	Work  string
	By    string
	Until time.Time
}

// ClaimedBy gives who is at some work, unless they have given no sign of life for too long.
func (s State) ClaimedBy(work string, now time.Time) (Claim, bool) {
	for _, one := range s.Claims {
		if one.Work == work && now.Before(one.Until) {
			return one, true
		}
	}
	return Claim{}, false
}

func (s State) claimWork(c ClaimWork, now time.Time) ([]event.Event, error) {
	held, is := s.ClaimedBy(c.Work, now)
	switch {
	case c.Work == "" || c.By == "":
		return nil, invalid("work is claimed by somebody, and both are named")
	case is && held.By != c.By:
		if c.Until.IsZero() {
			return nil, nil // it was taken over
		}
		return nil, conflict("the %s of workflow %q is under way until %s", c.Work, s.Title, held.Until.Format(time.RFC3339))
	case !is && c.Until.IsZero():
		return nil, nil
	}
	return []event.Event{WorkClaimed{Work: c.Work, By: c.By, Until: c.Until.UTC()}}, nil
}

func (s State) workClaimed(e WorkClaimed) State {
	s.Claims = without(s.Claims, func(one Claim) bool { return one.Work == e.Work })
	if !e.Until.IsZero() {
		s.Claims = added(s.Claims, Claim(e))
	}
	return s
}
