package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault is how a connection fails.
type Fault string

// The faults.
const (
	CutBefore  Fault = "cut_before"  // the connection ends without an answer
	CutInside  Fault = "cut_inside"  // … in the middle of the body
	Hang       Fault = "hang"        // no answer for as long as the client waits
	HangInside Fault = "hang_inside" // … half of one
	Endless    Fault = "endless"     // a body that goes on for as long as the client reads
)

// Step is one answer of a server.
type Step struct {
	Status int // 0 is 200
	Header http.Header
	Body   string
	Delay  time.Duration // before the answer
	Until  <-chan struct{}
	Fault  Fault
}

// ToolCall is a call that a model makes. Args is a JSON value, or a [Raw] text that need not be one.
type ToolCall struct {
	Tool string `json:"tool"`
	Args any    `json:"args"`
}

// Raw is the text of arguments, as it is sent.
type Raw string

// Usage is what a provider says that an answer used.
type Usage struct{ Input, Cached, Output int64 }

// turn is a completion, in the words of the API.
type turn struct {
	text  string
	calls []ToolCall
	usage *Usage
	cut   bool
}

// Text is a turn without a call.
func Text(text string) Step { return turn{text: text, usage: &Usage{Input: 100, Output: 10}}.step() }

// Call is a turn with one call.
func Call(tool string, args any) Step { return Calls(ToolCall{tool, args}) }

// Calls is a turn with calls.
func Calls(calls ...ToolCall) Step { return TextAndCalls("", calls...) }

// TextAndCalls is a turn with a text and calls.
func TextAndCalls(text string, calls ...ToolCall) Step {
	return turn{text: text, calls: calls, usage: &Usage{Input: 100, Output: 10}}.step()
}

// CutOff is a text that ended at the limit of tokens.
func CutOff(text string) Step {
	return turn{text: text, usage: &Usage{Input: 100, Output: 10}, cut: true}.step()
}

// Fail is an error as providers report it.
func Fail(status int, code, message string) Step {
	return Step{Status: status, Body: mustMarshal(map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}})}
}

// Broken is a connection that fails.
func Broken(fault Fault) Step {
	step := Text("never read")
	step.Fault = fault
	return step
}

// Body is an answer as it stands.
func Body(body string) Step { return Step{Body: body} }

// WithUsage is the step with what it used; nil leaves that out.
func (s Step) WithUsage(usage *Usage) Step {
	var body map[string]any
	if err := json.Unmarshal([]byte(s.Body), &body); err != nil {
		panic(fmt.Sprintf("llmtest: WithUsage of what is no completion: %v", err))
	}
	delete(body, "usage")
	if usage != nil {
		body["usage"] = usage.wire()
	}
	s.Body = mustMarshal(body)
	return s
}

// WithHeader is the step with a header.
func (s Step) WithHeader(name, value string) Step {
	s.Header = maps.Clone(s.Header)
	if s.Header == nil {
		s.Header = http.Header{}
	}
	s.Header.Set(name, value)
	return s
}

// WithDelay is the step, later.
func (s Step) WithDelay(d time.Duration) Step { s.Delay = d; return s }

// After is the step once a channel is closed.
func (s Step) After(until <-chan struct{}) Step { s.Until = until; return s }

func (u Usage) wire() map[string]any {
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached},
	}
}

func (t turn) step() Step {
	message := map[string]any{"role": "assistant", "content": t.text}
	finish := "stop"
	if len(t.calls) > 0 {
		finish = "tool_calls"
		var calls []any
		for i, call := range t.calls {
			arguments, raw := call.Args.(Raw)
			if !raw {
				arguments = Raw(mustMarshal(call.Args))
			}
			// The ids are the same in every turn, as some servers have them.
			calls = append(calls, map[string]any{"id": "call_" + strconv.Itoa(i), "type": "function", "function": map[string]any{"name": call.Tool, "arguments": string(arguments)}})
		}
		message["tool_calls"] = calls
	}
	if t.cut {
		finish = "length"
	}
	body := map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": ModelName,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}
	if t.usage != nil {
		body["usage"] = t.usage.wire()
	}
	return Step{Body: mustMarshal(body)}
}

func mustMarshal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // a test gave what is no JSON value
	}
	return string(text)
}

// write answers a request.
func (s Step) write(w http.ResponseWriter, r *http.Request) {
	if s.Delay > 0 {
		timer := time.NewTimer(s.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if s.Until != nil {
		select {
		case <-s.Until:
		case <-r.Context().Done():
			return
		}
	}
	switch s.Fault {
	case Hang:
		<-r.Context().Done()
		return
	case CutBefore:
		panic(http.ErrAbortHandler) // httptest closes the connection
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	maps.Copy(header, s.Header)
	body := s.Body
	if s.Fault == CutInside || s.Fault == HangInside {
		header.Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2]
	}
	status := s.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // the client may be gone
	if s.Fault != "" {
		_ = http.NewResponseController(w).Flush() // the client may be gone
	}
	switch s.Fault {
	case HangInside:
		<-r.Context().Done()
	case CutInside:
		panic(http.ErrAbortHandler)
	case Endless:
		for err := error(nil); err == nil; {
			_, err = w.Write([]byte(strings.Repeat(" ", 1<<16)))
		}
	}
}
