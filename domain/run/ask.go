package run

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Question is what a run waits for a person to answer.
type Question struct {
	Text    string
	Options []string // one of them is the answer; any text is if there are none
	AskedAt time.Time
	// Until is when the run goes on without an answer; zero for never.
	Until   time.Time
	Default json.RawMessage // the answer then; empty for none
}

// Awaiting is the call that asked a person and has no answer yet, nil for none: a run asks one
// question at a time.
func (s State) Awaiting() *Call {
	if len(s.Calls) == 0 || s.Cancelled != nil {
		return nil
	}
	if last := s.Calls[len(s.Calls)-1]; last.Question != nil && !last.Returned {
		return last
	}
	return nil
}

// StandsStill says that the run waits for a person, and no process is at it.
func (s State) StandsStill() bool { return s.Awaiting() != nil || len(s.InDoubt()) > 0 }

func (s State) await(c AwaitAnswer, now time.Time) ([]event.Event, error) {
	call := s.call(c.Seq)
	if call == nil || call.Returned || call.Question != nil {
		return nil, fault.New(fault.Conflict, "call %d of run %s asks nothing now", c.Seq, s.Run)
	}
	awaited := AnswerAwaited{Seq: c.Seq, Question: failure.Cut(c.Question, longestQuestion), Options: c.Options, AskedAt: now, Default: c.Default}
	if c.Timeout > 0 {
		awaited.Until = now.Add(c.Timeout)
	}
	return []event.Event{awaited}, nil
}

// longestQuestion bounds what a person is asked, as ask itself does.
const longestQuestion = 2000

func (s State) answer(c GiveAnswer, now time.Time) ([]event.Event, error) {
	call := s.Awaiting()
	if call == nil {
		return nil, fault.New(fault.Conflict, "run %s waits for no answer", s.Run)
	}
	if c.Seq != 0 && c.Seq != call.Seq {
		return nil, fault.New(fault.Conflict, "run %s waits for no answer to that any more: it asks something else now", s.Run)
	}
	if len(call.Question.Options) > 0 && !slices.Contains(call.Question.Options, c.Answer) {
		return nil, fault.New(fault.Invalid, "%q is none of the answers to choose from: %q", c.Answer, call.Question.Options)
	}
	answer, err := event.Marshal(c.Answer)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the answer is no text: %w", err)
	}
	return []event.Event{AnswerGiven{Seq: call.Seq, Answer: answer, MS: now.Sub(call.Question.AskedAt).Milliseconds()}}, nil
}

func (s State) timeOut(now time.Time) ([]event.Event, error) {
	call := s.Awaiting()
	switch {
	case call == nil:
		return nil, fault.New(fault.Conflict, "run %s waits for no answer", s.Run)
	case call.Question.Until.IsZero() || now.Before(call.Question.Until):
		return nil, fault.New(fault.Conflict, "the question of run %s can still be answered", s.Run)
	}
	return []event.Event{AnswerGiven{
		Seq: call.Seq, Answer: call.Question.Default, TimedOut: true, MS: call.Question.Until.Sub(call.Question.AskedAt).Milliseconds(),
	}}, nil
}

// answered is a call with its answer. Without a default a question that nobody answered is the
// script's to deal with.
func (c *Call) answered(e AnswerGiven) {
	c.Returned, c.Result, c.MS = true, e.Answer, e.MS
	if len(e.Answer) > 0 {
		return
	}
	c.Error = &CallError{Class: failure.Logic, Name: "LogicError", Code: CodeUnanswered, Message: "ask: nobody answered in time"}
	if c.Question != nil { // a history may say anything
		c.Error.Message += ": " + c.Question.Text
	}
}

// CodeUnanswered is the code of a question that timed out without a default.
const CodeUnanswered = "ask.unanswered"
