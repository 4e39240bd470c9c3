package run

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Decide says what happens when a command meets a state. The events may be more than
// one append holds, each of them alone is not: append them in order.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	return nil, fault.New(fault.Internal, "run: no decision for %T", c)
}

// Evolve is the state after an event. It never fails; the given state stays as it was.
func Evolve(s State, e event.Event) State { return s }
