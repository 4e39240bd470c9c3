package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Evolve is the state after an event. It never fails and never validates; the given state
// stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case RunStarted:
		s.Run, s.Workflow, s.Version, s.Trigger, s.Input = e.Run, e.Workflow, e.Version, e.Trigger, e.Input
		s.Seed, s.Clock, s.Zone, s.Continues = e.Seed, e.Clock, e.Zone, e.Continues
		s.Node, s.LeaseUntil = e.Node, e.LeaseUntil
		s.Forks, s.ForkedAt, s.Keys = e.Forks, e.ForkedAt, cmp.Or(e.Keys, e.Seed)
		s.Overlap, s.HoldsBack = e.Overlap, e.HoldsBack
	case ToolCalled:
		s.Calls = append(slices.Clip(s.Calls), &Call{Seq: e.Seq, Tool: e.Tool, Args: e.Args, Effect: e.Effect, Key: e.Key, From: e.From})
		s.Delay, s.Before = nil, withoutRepeated(s.Before, e)
	case RunBegunAgain:
		before := make([]*Call, 0, len(e.Keep)+len(s.Before))
		for _, seq := range e.Keep {
			if call := s.call(seq); call != nil {
				before = append(before, call)
			}
		}
		s.Before, s.Calls = append(before, s.Before...), nil
	case ToolReturned:
		s = s.changeCall(e.Seq, func(c *Call) { c.answer(e) })
	case ToolAnswered:
		for _, part := range e.Parts() {
			s = Evolve(s, part)
		}
	case EffectInDoubt:
		s = s.changeCall(e.Seq, func(c *Call) {
			c.Doubt, c.Status, c.NotBefore, c.LookUpAt = true, e.Status, e.NotBefore, e.LookUpAt
			c.Returned, c.Result = false, nil // what was answered says nothing
		})
	case EffectLookedUp:
		s = s.changeCall(e.Seq, func(c *Call) { c.LookUps, c.LookUpAt = e.Attempt, e.Next })
	case EffectResolved:
		s = s.changeCall(e.Seq, func(c *Call) { c.resolve(e) })
	case AnswerAwaited:
		asked := Question{Text: e.Question, Options: e.Options, AskedAt: e.AskedAt, Until: e.Until, Default: e.Default}
		s = s.changeCall(e.Seq, func(c *Call) { c.Question = &asked })
	case AnswerGiven:
		s = s.changeCall(e.Seq, func(c *Call) { c.answered(e) })
	case LogWritten:
		s.Log = append(slices.Clip(s.Log), e.Lines...)
	case RunEnded:
		s.Ended, s.Delay = true, nil
		s.Output, s.Failure, s.Usage, s.Local, s.Suspicion = e.Output, e.Failure, e.Usage, e.Local, e.Suspicion
	case ExecutionCancelled:
		s.Run, s.Workflow = e.Run, e.Workflow
		s.Ended, s.Delay, s.Cancelled = true, nil, &Cancelled{Reason: e.Reason}
	case RunLeaseExtended:
		s.LeaseUntil = e.Until
	case RunDelayed:
		s.Delay, s.LeaseUntil = &Delay{Problem: e.Problem, Since: e.Since, Tries: e.Tries, Until: e.Until}, e.Until
	case RunResumed:
		s.Node, s.LeaseUntil = e.Node, e.LeaseUntil
	}
	return s
}

// withoutRepeated are the calls without the one that has come again.
func withoutRepeated(before []*Call, again ToolCalled) []*Call {
	at := slices.IndexFunc(before, func(c *Call) bool {
		return c.Tool == again.Tool && c.Effect == again.Effect && c.Key == again.Key && (c.Key != "" || bytes.Equal(c.Args, again.Args))
	})
	if again.From == "" || at < 0 {
		return before
	}
	return slices.Concat(before[:at], before[at+1:])
}

// changeCall changes a copy of a call: an earlier State keeps its own.
func (s State) changeCall(seq int, change func(*Call)) State {
	call := s.call(seq)
	if call == nil {
		return s
	}
	changed := *call
	change(&changed)
	s.Calls = slices.Clone(s.Calls)
	s.Calls[seq-1] = &changed
	return s
}

// answer takes a whole answer, or the next part of one. Parts that do not follow on one
// another are of an append that broke off: the answer is not there until it comes again.
func (c *Call) answer(e ToolReturned) {
	if e.Part == 0 && !e.More {
		c.Returned, c.Result, c.Error, c.MS = true, e.Result, e.Error, e.MS
		return
	}
	if e.Part == 0 {
		c.partial, c.parts = "", 0
	}
	if e.Part != c.parts {
		return
	}
	c.partial, c.parts = c.partial+e.Text, c.parts+1
	if !e.More {
		c.Returned, c.Result, c.Error, c.MS = true, json.RawMessage(c.partial), e.Error, e.MS
		c.partial, c.parts = "", 0
	}
}

// resolve ends a doubt. A write that did not happen is to be made when it comes again.
func (c *Call) resolve(e EffectResolved) {
	c.Doubt, c.Resolved = false, e.How
	if e.How != ResolvedDidNot {
		c.Returned, c.Result = true, e.Result
		if len(c.Result) == 0 {
			c.Result = json.RawMessage("null")
		}
	}
}
