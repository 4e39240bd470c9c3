package run

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// HeldBy says that a node other than this one may be executing the run: its lease has not lapsed.
func (s State) HeldBy(other string, now time.Time) bool {
	return s.Started() && !s.Ended && s.Node != other && now.Before(s.LeaseUntil)
}

// InDoubt are the writes that nobody knows the fate of. While there is one, the run stands still.
func (s State) InDoubt() []*Call {
	var doubtful []*Call
	if s.Cancelled != nil {
		return nil
	}
	for _, call := range s.Calls {
		if call.Doubt {
			doubtful = append(doubtful, call)
		}
	}
	return doubtful
}

func (s State) resume(c Resume, now time.Time) ([]event.Event, error) {
	switch {
	case c.Node == "":
		return nil, fault.New(fault.Invalid, "run %s is resumed by a node, and none is named", s.Run)
	case !c.Alone && s.HeldBy(c.Node, now):
		return nil, fault.New(fault.Conflict, "run %s is held by node %q until %s", s.Run, s.Node, s.LeaseUntil.Format(time.RFC3339))
	}
	return []event.Event{RunResumed{Node: c.Node, LeaseUntil: c.LeaseUntil.UTC()}}, nil
}

// How long a run waits that the machine could not execute.
const (
	firstDelay   = 2 * time.Second
	longestDelay = 5 * time.Minute
)

func (s State) delay(c DelayRun, now time.Time) []event.Event {
	delayed := RunDelayed{Problem: failure.Cut(c.Problem, longestTarget), Since: now.UTC(), Tries: 1}
	if s.Delay != nil {
		delayed.Since, delayed.Tries = s.Delay.Since, s.Delay.Tries+1
	}
	delayed.Until = now.UTC().Add(min(firstDelay<<min(delayed.Tries-1, 10), longestDelay))
	return []event.Event{delayed}
}

func (s State) doubt(c DoubtEffect) ([]event.Event, error) {
	call := s.call(c.Seq)
	switch {
	case call == nil || call.Effect != EffectWrite:
		return nil, fault.New(fault.Invalid, "run %s has made no write %d that could be in doubt", s.Run, c.Seq)
	case call.Resolved != "" || call.Returned && c.Status == 0:
		return nil, fault.New(fault.Conflict, "what became of write %d of run %s is known", c.Seq, s.Run)
	case call.Doubt:
		return nil, nil
	}
	return []event.Event{EffectInDoubt{Seq: c.Seq, Tool: call.Tool, Target: call.target(), NotBefore: c.NotBefore.UTC(), LookUpAt: c.LookUpAt.UTC(), Status: c.Status}}, nil
}

// longestTarget is as much of a call's first argument as people need to tell what it was.
const longestTarget = 500

// target is what a call is about: its first argument, if that is text.
func (c *Call) target() string {
	var args []json.RawMessage
	var text string
	if json.Unmarshal(c.Args, &args) != nil || len(args) == 0 || json.Unmarshal(args[0], &text) != nil {
		return ""
	}
	return failure.Cut(text, longestTarget)
}

func (s State) resolveEffect(c ResolveEffect, now time.Time) ([]event.Event, error) {
	call := s.call(c.Seq)
	switch {
	case call == nil:
		return nil, fault.New(fault.NotFound, "run %s has made no call %d", s.Run, c.Seq)
	case !call.Doubt:
		return nil, fault.New(fault.Conflict, "call %d of run %s is not in doubt", c.Seq, s.Run)
	case c.How != ResolvedHappened && c.How != ResolvedDidNot && c.How != ResolvedSkip:
		return nil, fault.New(fault.Invalid, "%q is no end of a doubt: use happened, did_not or skip", c.How)
	case len(c.Result) > 0 && c.How != ResolvedHappened:
		return nil, fault.New(fault.Invalid, "only a write that happened has a result")
	case len(c.Result) > 0 && !json.Valid(c.Result):
		return nil, fault.New(fault.Invalid, "the result is not JSON")
	case now.Before(call.NotBefore):
		return nil, fault.New(fault.Conflict, "write %d of run %s may still be under way: look again, and say what became of it, at %s or later", c.Seq, s.Run, call.NotBefore.Format(time.RFC3339))
	}
	resolved := EffectResolved(c)
	if c.How == ResolvedHappened && len(resolved.Result) == 0 {
		resolved.Result = json.RawMessage("null")
	}
	return []event.Event{resolved}, nil
}
