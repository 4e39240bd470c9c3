package workflow

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Decide says what happens when a command meets a state. It returns the events of one
// append, none if there is nothing to do, or a refusal (see package fault) that
// says why. It is pure: now is the caller's clock.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	return nil, fault.New(fault.Internal, "workflow: no decision for %T", c)
}

// Evolve is the state after an event. It never fails and never validates; an event
// that makes no sense in a state changes what it can. The given state stays as it was.
func Evolve(s State, e event.Event) State {
	return s
}

// NeedsRehearsal says that what [SettleRun] decides about this failure depends on whether
// the failed run works when the same code runs again: rehearse it first.
func NeedsRehearsal(s State, run string, f failure.Failure) bool {
	return false
}
