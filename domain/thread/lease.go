package thread

import (
	"errors"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// ErrLost is what the refusal wraps that a node gets whose claim is not the newest any more.
var ErrLost = errors.New("another node works on the thread")

// HeldBy says that a node other than this one may be at work on the thread: its lease has not lapsed.
func (s State) HeldBy(other string, now time.Time) bool {
	return s.Opened() && !s.Closed && s.Claim > 0 && s.Node != other && now.Before(s.LeaseUntil)
}

func (s State) claim(c Claim, now time.Time) ([]event.Event, error) {
	switch {
	case c.Node == "":
		return nil, fault.New(fault.Invalid, "thread %s is claimed by a node, and none is named", s.Thread)
	case !c.Alone && s.HeldBy(c.Node, now):
		return nil, fault.New(fault.Conflict, "thread %s is held by node %q until %s", s.Thread, s.Node, s.LeaseUntil.Format(time.RFC3339))
	}
	return []event.Event{ThreadClaimed{Claim: s.Claim + 1, Node: c.Node, LeaseUntil: c.LeaseUntil.UTC()}}, nil
}

// fenced refuses who was overtaken: a node that was silent for longer than its lease may wake up
// at any time, and believes that the thread is its own.
func (s State) fenced(c Command) error {
	if claim := claimed(c); claim != 0 && claim != s.Claim {
		return fault.New(fault.Conflict, "claim %d of thread %s was followed by claim %d of node %q: %w", claim, s.Thread, s.Claim, s.Node, ErrLost)
	}
	return nil
}

func (s State) extendLease(c ExtendLease) ([]event.Event, error) {
	if c.Claim == 0 {
		return nil, fault.New(fault.Invalid, "the lease of thread %s is extended by who claimed it", s.Thread)
	}
	return []event.Event{ThreadLeaseExtended{Until: c.Until.UTC()}}, nil
}
