package thread

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// The kinds of threads.
const (
	KindMaintainer = "maintainer"
	KindPlanner    = "planner"
	KindHealer     = "healer"
)

// One event carries no more, so that its append stays under 1 MiB also when most
// characters are escaped.
const (
	maxText = 384 << 10
	maxLine = 4 << 10
	// maxAnswer is for the text of an answer, and for all arguments of its calls together: they are
	// in one append.
	maxAnswer = 128 << 10
	// maxExtra is for what a provider adds to an answer and its calls, in all.
	maxExtra = 256 << 10
	// maxCalls is how many calls one answer may make.
	maxCalls = 64
)

// Decide says what happens when a command meets a state, or refuses (see package fault).
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	if open, is := c.(Open); is {
		return s.open(open)
	}
	if !s.Opened() {
		return nil, fault.New(fault.NotFound, "the thread has not been opened")
	}
	if err := s.fenced(c); err != nil {
		return nil, err
	}
	if s.Closed {
		return nil, fault.New(fault.Conflict, "thread %s is closed: %s", s.Thread, s.Outcome)
	}
	switch c := c.(type) {
	case Claim:
		return s.claim(c, now)
	case ExtendLease:
		return s.extendLease(c)
	case AppendMessage:
		return s.appendMessage(c)
	case AppendAnswer:
		return s.appendAnswer(c)
	case InvokeTool:
		return s.invokeTool(c)
	case ReturnTool:
		return s.returnTool(c)
	case JudgeCandidate:
		return []event.Event{s.judged(c)}, nil
	case MissModel:
		return s.missModel(c, now)
	case Close:
		return []event.Event{ThreadClosed{
			Outcome: failure.Cut(c.Outcome, maxLine), Tokens: max(c.Tokens, s.Tokens), CostUSD: max(c.CostUSD, s.CostUSD),
		}}, nil
	}
	return nil, fault.New(fault.Internal, "thread: no decision for %T: add it to Decide", c)
}

func (s State) open(c Open) ([]event.Event, error) {
	if s.Opened() {
		return nil, fault.New(fault.Conflict, "thread %s is open already", s.Thread)
	}
	if c.Thread == "" || c.Task == "" {
		return nil, fault.New(fault.Invalid, "a thread needs an id and a task")
	}
	if !slices.Contains([]string{KindMaintainer, KindPlanner, KindHealer}, c.Kind) {
		return nil, fault.New(fault.Invalid, "a thread is a maintainer's, a planner's or a healer's, not a %q's", c.Kind)
	}
	c.Title = failure.Cut(c.Title, maxLine)
	return []event.Event{ThreadOpened(c)}, nil
}

func (s State) appendMessage(c AppendMessage) ([]event.Event, error) {
	switch c.Role {
	case "system", "user", "assistant":
		return []event.Event{MessageAppended{Role: c.Role, Text: failure.Cut(c.Text, maxText)}}, nil
	}
	return nil, fault.New(fault.Invalid, "a message is of role system, user or assistant, not %q", c.Role)
}

func (s State) appendAnswer(c AppendAnswer) ([]event.Event, error) {
	if len(c.Calls) > maxCalls {
		return nil, fault.New(fault.Invalid, "an answer makes %d calls: there may be %d", len(c.Calls), maxCalls)
	}
	c.Usage.Model = failure.Cut(c.Usage.Model, maxLine)
	events := []event.Event{MessageAppended{Role: "assistant", Text: failure.Cut(c.Text, maxAnswer), Usage: &c.Usage, Extra: c.Extra}}
	bytes, extra := 0, len(c.Extra)
	for _, call := range c.Calls {
		extra += len(call.Extra)
		if bytes += len(call.Args); bytes > 2*maxAnswer {
			return nil, fault.New(fault.Invalid, "the calls of an answer have more than %d bytes of arguments", 2*maxAnswer)
		}
		invoked, err := s.invokeTool(call)
		if err != nil {
			return nil, err
		}
		s.Pending = append(slices.Clip(s.Pending), call.Call)
		events = append(events, invoked...)
	}
	if extra > maxExtra {
		return nil, fault.New(fault.Invalid, "an answer has %d bytes that only its provider knows: there may be %d", extra, maxExtra)
	}
	return events, nil
}

func (s State) invokeTool(c InvokeTool) ([]event.Event, error) {
	if c.Call == "" || c.Tool == "" {
		return nil, fault.New(fault.Invalid, "a tool call needs an id and a tool")
	}
	if slices.Contains(s.Pending, c.Call) {
		return nil, fault.New(fault.Conflict, "tool call %s of thread %s waits for its answer already", c.Call, s.Thread)
	}
	c.Args, c.Tool, c.Call = cutValue(c.Args), failure.Cut(c.Tool, maxLine), failure.Cut(c.Call, maxLine)
	return []event.Event{ToolInvoked(c)}, nil
}

func (s State) returnTool(c ReturnTool) ([]event.Event, error) {
	if !slices.Contains(s.Pending, c.Call) {
		return nil, fault.New(fault.Conflict, "tool call %s of thread %s waits for no answer", c.Call, s.Thread)
	}
	return []event.Event{ToolResulted{Call: c.Call, Result: cutValue(c.Result), Error: failure.Cut(c.Error, maxLine), End: c.End}}, nil
}

func (s State) judged(c JudgeCandidate) CandidateJudged {
	judged := CandidateJudged{
		Candidate: s.Candidates + 1, Fixer: failure.Cut(c.Fixer, maxLine), Comment: failure.Cut(c.Comment, maxLine),
		Diff: failure.Cut(c.Diff, maxText), Verdict: c.Verdict, Divergence: failure.Cut(c.Divergence, maxLine), Diverges: c.Diverges,
	}
	for _, reason := range c.Reasons[:min(len(c.Reasons), 32)] {
		judged.Reasons = append(judged.Reasons, failure.Cut(reason, maxLine))
	}
	return judged
}

func (s State) missModel(c MissModel, now time.Time) ([]event.Event, error) {
	missing := ModelUnavailable{
		Model: failure.Cut(c.Model, maxLine), Kind: c.Kind, Status: c.Status, Code: failure.Cut(c.Code, maxLine),
		Detail: failure.Cut(c.Detail, maxLine), Try: s.tries() + 1, Since: now.UTC(), RetryAt: c.RetryAt.UTC(), Usage: c.Usage,
	}
	if s.Missing != nil {
		missing.Since = s.Missing.Since
	}
	return []event.Event{missing}, nil
}

// cutValue leaves a large value out, and says so in its place.
func cutValue(value json.RawMessage) json.RawMessage {
	if len(value) <= maxText {
		return value
	}
	return json.RawMessage(fmt.Sprintf(`"(%d bytes, left out)"`, len(value)))
}
