package thread

import (
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Evolve is the state after an event. It never fails and never validates; the given state
// stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case ThreadOpened:
		s.Thread, s.Workflow, s.Kind, s.Task, s.Title = e.Thread, e.Workflow, e.Kind, e.Task, e.Title
	case ThreadClaimed:
		s.Claim, s.Node, s.LeaseUntil = e.Claim, e.Node, e.LeaseUntil
	case ThreadLeaseExtended:
		s.LeaseUntil = e.Until
	case MessageAppended:
		s.Messages++
		if e.Usage != nil {
			s.Tokens += e.Usage.Input + e.Usage.Output
			s.CostUSD += e.Usage.CostUSD
			s.Missing = nil
		}
	case ToolInvoked:
		s.Pending = append(slices.Clip(s.Pending), e.Call)
	case ToolResulted:
		s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(call string) bool { return call == e.Call })
	case CandidateJudged:
		s.Candidates = max(s.Candidates, e.Candidate)
	case ModelUnavailable:
		if e.Usage != nil {
			s.Tokens += e.Usage.Input + e.Usage.Output
			s.CostUSD += e.Usage.CostUSD
		}
		s.Missing = &Missing{Model: e.Model, Kind: e.Kind, Detail: e.Detail, Tries: e.Try, Since: e.Since, RetryAt: e.RetryAt}
	case ThreadClosed:
		s.Closed, s.Outcome, s.Tokens, s.CostUSD = true, e.Outcome, e.Tokens, e.CostUSD
	}
	return s
}
