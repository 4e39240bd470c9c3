package run

import (
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// How often the other side is asked about a write in doubt, and the pause after the first time,
// which grows fourfold. After that a person has to tell.
const (
	MaxLookUps      = 3
	firstLookUpWait = 30 * time.Second
	longestDetail   = 2000
)

func (s State) lookUp(c LookUpEffect, now time.Time) ([]event.Event, error) {
	call := s.call(c.Seq)
	switch {
	case call == nil:
		return nil, fault.New(fault.NotFound, "run %s has made no call %d", s.Run, c.Seq)
	case !call.Doubt || call.LookUpAt.IsZero():
		return nil, fault.New(fault.Conflict, "nobody asks what became of call %d of run %s", c.Seq, s.Run)
	case now.Before(call.LookUpAt):
		return nil, fault.New(fault.Conflict, "write %d of run %s may still be under way: it is asked about at %s", c.Seq, s.Run, call.LookUpAt.Format(time.RFC3339))
	}
	asked := EffectLookedUp{Seq: c.Seq, Tool: call.Tool, Target: call.target(), Attempt: call.LookUps + 1, Found: c.Found, Detail: failure.Cut(c.Detail, longestDetail)}
	switch c.Found {
	case LookedUpHappened, LookedUpDidNot:
		resolved, err := s.resolveEffect(ResolveEffect{Seq: c.Seq, How: c.Found, Result: c.Result}, now)
		if err != nil {
			return nil, err
		}
		return append([]event.Event{asked}, resolved...), nil
	case LookedUpNothing:
		if asked.Attempt < MaxLookUps {
			asked.Next = now.Add(firstLookUpWait << (2 * (asked.Attempt - 1)))
		}
		return []event.Event{asked}, nil
	}
	return nil, fault.New(fault.Invalid, "%q is nothing that can be found: use happened, did_not or unknown", c.Found)
}
