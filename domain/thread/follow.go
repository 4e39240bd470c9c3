package thread

import (
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an
// event that no agent can have come to in this state.
func Follow(s State, e event.Event) (State, error) {
	if why := s.refuses(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

// refuses says why an event cannot have happened, nothing if it can.
func (s State) refuses(e event.Event) string {
	if opened, is := e.(ThreadOpened); is {
		switch {
		case s.Opened():
			return fmt.Sprintf("thread %s is open already", s.Thread)
		case opened.Thread == "":
			return "it names no thread"
		}
		return ""
	}
	if !s.Opened() {
		return "the thread was never opened"
	}
	if s.Closed {
		return fmt.Sprintf("thread %s is closed", s.Thread)
	}
	switch e := e.(type) {
	case ThreadClaimed:
		if next := s.Claim + 1; e.Claim != next {
			return fmt.Sprintf("it is claim %d, and the next is %d", e.Claim, next)
		}
	case ThreadLeaseExtended:
		if s.Claim == 0 {
			return "nobody has claimed the thread"
		}
	case ModelUnavailable:
		if next := s.tries() + 1; e.Try != next {
			return fmt.Sprintf("it is try %d, and the next is %d", e.Try, next)
		}
	case ToolInvoked:
		if slices.Contains(s.Pending, e.Call) {
			return fmt.Sprintf("tool call %s waits for its answer already", e.Call)
		}
	case ToolResulted:
		if !slices.Contains(s.Pending, e.Call) {
			return fmt.Sprintf("tool call %s waits for no answer", e.Call)
		}
	case CandidateJudged:
		if next := s.Candidates + 1; e.Candidate != next {
			return fmt.Sprintf("it is candidate %d, and the next is %d", e.Candidate, next)
		}
	case MessageAppended, ThreadClosed:
	default:
		return "it does not belong in the stream of a thread"
	}
	return ""
}

func (s State) tries() int {
	if s.Missing == nil {
		return 0
	}
	return s.Missing.Tries
}
