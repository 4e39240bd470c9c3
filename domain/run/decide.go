package run

import (
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

const (
	// maxPart is how much of a payload's text one event of many carries, as stored.
	maxPart = 512 << 10
	// longestReason bounds what a person says about it.
	longestReason = 2000
	// maxTogether is how much arguments and answer are together that stand in one event: however they are escaped, they
	// fit in an append with what is around them.
	maxTogether = 128 << 10
	// maxEnd is how large the last event may be with the workflow's own keys and files in
	// it: one append is 1 MiB, and metadata needs room as well.
	maxEnd = 1<<20 - 32<<10
)

// Decide says what happens when a command meets a state, or refuses (see package fault). A large answer and a long
// log become several events, each of which fits in one append: append them in order, in as many appends as it takes.
// Other payloads are not cut: the caller has to refuse one that does not fit in one append.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	if start, is := c.(Start); is {
		return s.start(start)
	}
	if cancel, is := c.(Cancel); is {
		return s.cancel(cancel)
	}
	if !s.Started() {
		return nil, fault.New(fault.NotFound, "the run has not been started")
	}
	if answer, is := c.(RecordReturn); is && s.Cancelled != nil { // it went out before
		return s.recordReturn(answer)
	}
	if s.Ended {
		return nil, fault.New(fault.Conflict, "run %s has ended", s.Run)
	}
	switch c := c.(type) {
	case RecordCall:
		return s.recordCall(c)
	case RecordReturn:
		return s.recordReturn(c)
	case RecordAnswered:
		return s.recordAnswered(c)
	case BeginAgain:
		return s.beginAgain(c)
	case WriteLog:
		return logs(c.Lines), nil
	case End:
		return s.end(c)
	case ExtendLease:
		return []event.Event{RunLeaseExtended{Until: c.Until.UTC()}}, nil
	case Resume:
		return s.resume(c, now)
	case DelayRun:
		return s.delay(c, now), nil
	case AwaitAnswer:
		return s.await(c, now)
	case GiveAnswer:
		return s.answer(c, now)
	case TimeOutAnswer:
		return s.timeOut(now)
	case DoubtEffect:
		return s.doubt(c)
	case LookUpEffect:
		return s.lookUp(c, now)
	case ResolveEffect:
		return s.resolveEffect(c, now)
	}
	return nil, fault.New(fault.Internal, "run: no decision for %T: add it to Decide", c)
}

func (s State) start(c Start) ([]event.Event, error) {
	if s.Started() {
		return nil, fault.New(fault.Conflict, "run %s was started already, on node %q", s.Run, s.Node)
	}
	if c.Run == "" || c.Workflow == "" || c.Version == "" {
		return nil, fault.New(fault.Invalid, "a run needs an id, a workflow and a version")
	}
	return []event.Event{RunStarted(c)}, nil
}

func (s State) cancel(c Cancel) ([]event.Event, error) {
	switch {
	case s.Cancelled != nil:
		return nil, fault.New(fault.Conflict, "run %s was cancelled already", s.Run)
	case s.Ended:
		return nil, fault.New(fault.Conflict, "run %s has ended: there is nothing to cancel", s.Run)
	case c.Run == "" || c.Workflow == "":
		return nil, fault.New(fault.Invalid, "a run that is cancelled needs an id and a workflow")
	}
	cancelled := ExecutionCancelled{Run: c.Run, Workflow: c.Workflow, Reason: failure.Cut(c.Reason, longestReason)}
	for _, call := range s.Calls {
		if call.From == "" {
			cancelled.Calls++
		}
	}
	return []event.Event{cancelled}, nil
}

func (s State) recordCall(c RecordCall) ([]event.Event, error) {
	if next := len(s.Calls) + 1; c.Seq != next {
		return nil, fault.New(fault.Conflict, "call %d of run %s is out of order: the next is %d", c.Seq, s.Run, next)
	}
	if c.Effect != EffectRead && c.Effect != EffectWrite {
		return nil, fault.New(fault.Invalid, "call %d of run %s has effect %q: only reads and writes are journaled", c.Seq, s.Run, c.Effect)
	}
	return []event.Event{ToolCalled(c)}, nil
}

func (s State) recordReturn(c RecordReturn) ([]event.Event, error) {
	call := s.call(c.Seq)
	if call == nil {
		return nil, fault.New(fault.Conflict, "run %s has made no call %d that could return", s.Run, c.Seq)
	}
	if call.Returned {
		return nil, fault.New(fault.Conflict, "call %d of run %s has returned already", c.Seq, s.Run)
	}
	returned := ToolReturned{Seq: c.Seq, Result: c.Result, MS: c.MS, Hosts: c.Hosts}
	if c.Error != nil {
		returned.Error = c.Error.bounded()
	}
	texts := parts(string(c.Result))
	if len(texts) < 2 {
		return []event.Event{returned}, nil
	}
	events := make([]event.Event, len(texts))
	for i, text := range texts {
		part := ToolReturned{Seq: c.Seq, Part: i, Text: text, More: i < len(texts)-1}
		if !part.More {
			part.Error, part.MS, part.Hosts = returned.Error, c.MS, c.Hosts
		}
		events[i] = part
	}
	return events, nil
}

// recordAnswered is one event where the answer is small, else those of [RecordCall] and [RecordReturn].
func (s State) recordAnswered(c RecordAnswered) ([]event.Event, error) {
	called, err := s.recordCall(c.Call)
	if err != nil {
		return nil, err
	}
	c.Return.Seq = c.Call.Seq
	returned, err := Evolve(s, called[0]).recordReturn(c.Return)
	if err != nil {
		return nil, err
	}
	if answer := returned[0].(ToolReturned); len(c.Call.Args)+len(answer.Result) <= maxTogether && len(returned) == 1 {
		return []event.Event{ToolAnswered{ToolCalled: ToolCalled(c.Call), Result: answer.Result, Error: answer.Error, MS: answer.MS, Hosts: answer.Hosts}}, nil
	}
	return append(called, returned...), nil
}

func (s State) beginAgain(c BeginAgain) ([]event.Event, error) {
	if !s.HoldsBack {
		return nil, fault.New(fault.Invalid, "run %s does not hold its writes back, so it cannot begin again", s.Run)
	}
	begun := RunBegunAgain(c)
	if why := s.refuses(begun); why != "" {
		return nil, fault.New(fault.Invalid, "run %s cannot begin again: %s", s.Run, why)
	}
	return []event.Event{begun}, nil
}

func (s State) end(c End) ([]event.Event, error) {
	ended := RunEnded(c)
	if c.Failure == nil {
		ended.Local = nil // of a failed run only
		return []event.Event{ended}, nil
	}
	if !c.Failure.Class.Valid() {
		return nil, fault.New(fault.Invalid, "run %s ended with class %q, which is none", s.Run, c.Failure.Class)
	}
	bounded := c.Failure.Bounded()
	ended.Failure = &bounded
	if ended.Local != nil {
		if payload, err := event.Marshal(ended); err != nil || len(payload) > maxEnd {
			ended.Local = nil
		}
	}
	return []event.Event{ended}, nil
}

// bounded is the error as an event can carry it.
func (e CallError) bounded() *CallError {
	f := failure.Failure{Name: e.Name, Code: e.Code, Message: e.Message, Body: e.Body, Host: e.Host}.Bounded()
	e.Name, e.Code, e.Message, e.Body, e.Host = f.Name, f.Code, f.Message, f.Body, f.Host
	return &e
}

// logs packs lines into events. A line longer than an event is cut.
func logs(lines []LogLine) []event.Event {
	var events []event.Event
	var batch []LogLine
	room := maxPart
	for _, line := range lines {
		if whole := parts(line.Text); len(whole) > 1 {
			line.Text = whole[0]
		}
		size := stored(line.Text) + 64 // the line's own JSON around it
		if size > room && len(batch) > 0 {
			events = append(events, LogWritten{Lines: batch})
			batch, room = nil, maxPart
		}
		batch = append(batch, line)
		room -= size
	}
	if len(batch) > 0 {
		events = append(events, LogWritten{Lines: batch})
	}
	return events
}

// parts cuts text, between characters, into pieces of at most maxPart bytes as stored.
func parts(text string) []string {
	var pieces []string
	start, size := 0, 0
	for i, r := range text {
		cost := storedRune(r)
		if size+cost > maxPart {
			pieces = append(pieces, text[start:i])
			start, size = i, 0
		}
		size += cost
	}
	return append(pieces, text[start:])
}

// stored is the length of text in a JSON string, quotes left out.
func stored(text string) int {
	size := 0
	for _, r := range text {
		size += storedRune(r)
	}
	return size
}

func storedRune(r rune) int {
	switch {
	case r == '"' || r == '\\':
		return 2
	case r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == utf8.RuneError:
		return 6
	}
	return utf8.RuneLen(r)
}

// call gives a call by its number, nil if it was not made.
func (s State) call(seq int) *Call {
	if seq < 1 || seq > len(s.Calls) {
		return nil
	}
	return s.Calls[seq-1]
}
