package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	// Flow is a stream that the test writes down: its events, one after the other, sent as they come.
	Flow []string
	// Every is how long each event of it takes.
	Every time.Duration
	// whole says that the body is a completion that can be sent in pieces, if that is what was asked for.
	whole bool
}

// ToolCall is a call that a model makes. Args is a JSON value, or a [Raw] text that need not be one.
type ToolCall struct {
	Tool string `json:"tool"`
	Args any    `json:"args"`
}

// Raw is the text of arguments, as it is sent.
type Raw string

// Usage is what a provider says that an answer used.
type Usage struct {
	Input, Cached, Output int64
	Total                 int64 // 0 for Input and Output
}

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

// Body is an answer as it stands, also for who asked for a stream.
func Body(body string) Step { return Step{Body: body} }

// Flow is a stream of events as they stand, each the text after "data: ".
func Flow(events ...string) Step { return Step{Flow: events} }

// WithExtra is the step with what only this provider says: in the message, and in its first call.
func (s Step) WithExtra(message, call map[string]any) Step {
	return s.edited(func(body map[string]any) {
		said := body["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
		maps.Copy(said, message)
		if call != nil {
			maps.Copy(said["tool_calls"].([]any)[0].(map[string]any), call)
		}
	})
}

// edited is the step with another body.
func (s Step) edited(edit func(body map[string]any)) Step {
	var body map[string]any
	if err := json.Unmarshal([]byte(s.Body), &body); err != nil {
		panic(fmt.Sprintf("llmtest: what is no completion cannot be edited: %v", err))
	}
	edit(body)
	s.Body = mustMarshal(body)
	return s
}

// WithUsage is the step with what it used; nil leaves that out.
func (s Step) WithUsage(usage *Usage) Step {
	return s.edited(func(body map[string]any) {
		delete(body, "usage")
		if usage != nil {
			body["usage"] = usage.wire()
		}
	})
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
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": cmp.Or(u.Total, u.Input+u.Output),
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
	return Step{Body: mustMarshal(body), whole: true}
}

func mustMarshal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("llmtest: %v", err)) // a test gave what is no JSON value
	}
	return string(text)
}

// write answers a request, in pieces if that was asked for.
func (s Step) write(w http.ResponseWriter, r *http.Request, stream, withUsage bool) {
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
	body := s.Body
	if stream && s.whole && s.Header.Get("Content-Type")+s.Header.Get("Content-Encoding") == "" {
		s.Flow = pieces(body, withUsage)
	}
	if s.Flow != nil {
		header.Set("Content-Type", "text/event-stream")
		body = ": a sign of life\n\ndata: " + strings.Join(s.Flow, "\n\ndata: ") + "\n\n"
	}
	maps.Copy(header, s.Header)
	if s.Fault == CutInside || s.Fault == HangInside {
		header.Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2]
	}
	status := s.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	s.send(w, r, body)
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

// send sends the body, at once or event by event.
func (s Step) send(w http.ResponseWriter, r *http.Request, body string) {
	if s.Every == 0 {
		_, _ = w.Write([]byte(body)) // the client may be gone
		return
	}
	beat := time.NewTicker(s.Every)
	defer beat.Stop()
	for event := range strings.SplitAfterSeq(body, "\n\n") {
		_, _ = w.Write([]byte(event))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-beat.C:
		case <-r.Context().Done():
			return
		}
	}
}

// A text comes in pieces of some bytes, and a long one in not too many.
const (
	pieceBytes = 7
	mostPieces = 500
)

// pieces are the events of a stream that come to a completion.
func pieces(body string, withUsage bool) []string {
	var whole struct {
		Model   string `json:"model"`
		Choices []struct {
			Message map[string]any `json:"message"`
			Finish  string         `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal([]byte(body), &whole); err != nil || len(whole.Choices) != 1 {
		panic(fmt.Sprintf("llmtest: %s cannot be sent in pieces: %v", body, err))
	}
	var events []string
	send := func(delta map[string]any, finish any) {
		events = append(events, mustMarshal(map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": whole.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}))
	}
	said := whole.Choices[0].Message
	text, _ := said["content"].(string)
	calls, _ := said["tool_calls"].([]any)
	delete(said, "content")
	delete(said, "tool_calls")
	send(said, nil)
	inPieces(text, func(piece string) { send(map[string]any{"content": piece}, nil) })
	for i, one := range calls {
		call := one.(map[string]any)
		function := call["function"].(map[string]any)
		arguments, _ := function["arguments"].(string)
		function["arguments"], call["index"] = "", i
		send(map[string]any{"tool_calls": []any{call}}, nil)
		inPieces(arguments, func(piece string) {
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		})
	}
	send(map[string]any{}, whole.Choices[0].Finish)
	if withUsage && whole.Usage != nil {
		events = append(events, mustMarshal(map[string]any{"id": "chatcmpl-1", "model": whole.Model, "choices": []any{}, "usage": whole.Usage}))
	}
	return append(events, "[DONE]")
}

// inPieces cuts between characters.
func inPieces(text string, send func(string)) {
	for size := max(pieceBytes, len(text)/mostPieces); text != ""; {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		send(text[:n])
		text = text[n:]
	}
}
