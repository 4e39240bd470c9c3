package run

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an
// event that no run can have come to in this state.
func Follow(s State, e event.Event) (State, error) {
	if why := s.refuses(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

// refuses says why an event cannot have happened, nothing if it can.
func (s State) refuses(e event.Event) string {
	if started, is := e.(RunStarted); is {
		switch {
		case s.Started():
			return fmt.Sprintf("run %s was started already", s.Run)
		case started.Run == "" || started.Workflow == "":
			return "it names no run or no workflow"
		}
		return ""
	}
	if cancelled, is := e.(ExecutionCancelled); is && !s.Started() {
		if cancelled.Run == "" || cancelled.Workflow == "" {
			return "it names no run or no workflow"
		}
		return ""
	}
	if !s.Started() {
		return "the run was never started"
	}
	if answer, is := e.(ToolReturned); is && s.Cancelled != nil {
		return s.answerable(answer.Seq)
	}
	if s.Ended {
		return fmt.Sprintf("run %s has ended", s.Run)
	}
	switch e := e.(type) {
	case ToolCalled:
		if next := len(s.Calls) + 1; e.Seq != next {
			return fmt.Sprintf("it is call %d, and the next is %d", e.Seq, next)
		}
	case ToolAnswered:
		return s.refuses(e.ToolCalled)
	case ToolReturned:
		return s.answerable(e.Seq)
	case EffectInDoubt:
		if call := s.call(e.Seq); call != nil && e.Status != 0 {
			return "" // also of an answer that the script could not read
		}
		return s.answerable(e.Seq)
	case AnswerAwaited:
		if call := s.call(e.Seq); call != nil && call.Question != nil {
			return fmt.Sprintf("call %d has asked already", e.Seq)
		}
		return s.answerable(e.Seq)
	case AnswerGiven:
		if call := s.Awaiting(); call == nil || call.Seq != e.Seq {
			return fmt.Sprintf("call %d waits for no answer of a person", e.Seq)
		}
	case EffectLookedUp:
		if call := s.call(e.Seq); call == nil || !call.Doubt {
			return fmt.Sprintf("call %d is not in doubt", e.Seq)
		}
	case EffectResolved:
		if call := s.call(e.Seq); call == nil || !call.Doubt {
			return fmt.Sprintf("call %d is not in doubt", e.Seq)
		}
	case RunBegunAgain:
		for _, seq := range e.Keep {
			if call := s.call(seq); call == nil || !call.Returned {
				return fmt.Sprintf("it keeps call %d, which has not returned", seq)
			}
		}
	case LogWritten, RunEnded, ExecutionCancelled, RunLeaseExtended, RunResumed, RunDelayed:
	default:
		return "it does not belong in the stream of a run"
	}
	return ""
}

// answerable says why a call cannot be answered. An answer in several parts that broke off
// comes again, so that of parts only the last one counts.
func (s State) answerable(seq int) string {
	switch call := s.call(seq); {
	case call == nil:
		return fmt.Sprintf("call %d was never made", seq)
	case call.Returned:
		return fmt.Sprintf("call %d has returned already", seq)
	}
	return ""
}
