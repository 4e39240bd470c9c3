package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// ModelName is the model that a server is, and Key the key that it wants.
const (
	ModelName = "test-model"
	Key       = "sk-llmtest-0123456789abcdef"
)

// Responder decides what a server says. It is called for one request at a time.
type Responder interface{ Respond(Request) Step }

// Server is a provider. It ends with the test.
type Server struct {
	// URL is the base URL that clients are given.
	URL string
	// Context is with how much context the model is loaded, in tokens, for a server that is an Ollama.
	// Set it before the first request.
	Context int64

	t        testing.TB
	mu       sync.Mutex
	says     Responder
	requests []Request
}

// Serve starts a server that takes one step after the other. A request beyond the last one is
// answered with an error, and fails the test.
func Serve(t testing.TB, steps ...Step) *Server {
	t.Helper()
	return ServeWith(t, &script{t: t, steps: steps})
}

// ServeWith starts a server that says what a responder decides.
func ServeWith(t testing.TB, says Responder) *Server {
	t.Helper()
	s := &Server{t: t, says: says}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		server.CloseClientConnections() // of steps that hang
		server.Close()
	})
	s.URL = server.URL + "/v1"
	return s
}

// script takes steps one after the other.
type script struct {
	t     testing.TB
	steps []Step
	taken int
}

// Respond implements [Responder].
func (s *script) Respond(Request) Step {
	if s.taken == len(s.steps) {
		s.t.Errorf("llmtest: request %d, and the script has %d steps", s.taken+1, len(s.steps))
		return Fail(http.StatusTeapot, "script_over", "the script has no more steps")
	}
	s.taken++
	return s.steps[s.taken-1]
}

// Config is the configuration of a client of the server, which does not wait between attempts.
func (s *Server) Config() llm.Config {
	return llm.Config{
		Model: ModelName, BaseURL: s.URL, Key: Key, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// Model is a client of the server.
func (s *Server) Model() *llm.Client {
	s.t.Helper()
	client, err := llm.New(s.Config())
	require.NoError(s.t, err)
	return client
}

// Requests is what the server was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Request is the nth of the requests, from 0.
func (s *Server) Request(n int) Request {
	s.t.Helper()
	requests := s.Requests()
	require.Greater(s.t, len(requests), n, "so many requests were never made")
	return requests[n]
}

// Sees says whether a text stands in any part of any request: headers but the one with the key,
// messages, tools. A JSON text is looked for as it stands and escaped.
func (s *Server) Sees(text string) bool {
	return slices.ContainsFunc(s.Requests(), func(r Request) bool { return r.Has(text) })
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	if r.URL.Path == "/api/ps" && s.Context > 0 {
		fmt.Fprintf(w, `{"models":[{"name":"%s:latest","context_length":%d}]}`, ModelName, s.Context)
		return
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		Fail(http.StatusNotFound, "not_found", "there is only POST /v1/chat/completions").write(w, r, false, false)
		return
	}
	request, err := readRequest(r, body)
	if err != nil {
		s.t.Errorf("llmtest: %v", err)
		Fail(http.StatusBadRequest, "invalid_request_error", err.Error()).write(w, r, false, false)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	step := s.says.Respond(request)
	s.mu.Unlock()
	step.write(w, r, request.Stream, request.StreamUsage)
}

// Request is what a server was asked, decoded.
type Request struct {
	Header      http.Header
	Address     string // path and query
	Body        []byte
	Model       string
	Messages    []llm.Message
	Tools       []llm.Tool
	Temperature *float64
	MaxTokens   int64 // by either name
	Stream      bool  // the answer is wanted in pieces, StreamUsage with what it used
	StreamUsage bool
}

// Text is all messages, one after the other.
func (r Request) Text() string {
	var text strings.Builder
	for _, message := range r.Messages {
		text.WriteString(message.Text + "\n")
		for _, call := range message.Calls {
			text.WriteString(call.Tool + " " + call.Arguments + "\n")
		}
	}
	return text.String()
}

// Has says whether a text stands anywhere in the request but in the header with the key.
func (r Request) Has(text string) bool {
	for name, values := range r.Header {
		if name != "Authorization" && name != "Api-Key" && strings.Contains(strings.Join(values, "\n"), text) {
			return true
		}
	}
	return has(string(r.Body), text) || has(r.Text(), text)
}

// has looks for a text as it stands, and as it stands in JSON.
func has(in, text string) bool {
	escaped, err := json.Marshal(text)
	if err != nil {
		return false // no text is refused by Marshal
	}
	return strings.Contains(in, text) || strings.Contains(in, string(escaped[1:len(escaped)-1]))
}

// ToolNames are the names of the tools that were offered.
func (r Request) ToolNames() []string {
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// readRequest checks what servers check: each call of a turn is answered right after it, once.
func readRequest(r *http.Request, body []byte) (Request, error) {
	var sent struct {
		Model    string `json:"model"`
		Messages []struct {
			Role      string `json:"role"`
			Content   string `json:"content"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Temperature         *float64 `json:"temperature"`
		MaxTokens           int64    `json:"max_tokens"`
		MaxCompletionTokens int64    `json:"max_completion_tokens"`
		Stream              bool     `json:"stream"`
		StreamOptions       struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return Request{}, fmt.Errorf("the request is no chat completion: %w", err)
	}
	if sent.Model == "" || len(sent.Messages) == 0 {
		return Request{}, fmt.Errorf("a request that names no model, or has no messages: %s", body)
	}
	request := Request{
		Header: r.Header.Clone(), Address: r.URL.RequestURI(), Body: body, Model: sent.Model, Temperature: sent.Temperature,
		MaxTokens: sent.MaxTokens + sent.MaxCompletionTokens, Stream: sent.Stream, StreamUsage: sent.StreamOptions.IncludeUsage,
	}
	waiting := map[string]bool{}
	for _, message := range sent.Messages {
		if message.Role == llm.ToolRole {
			if !waiting[message.ToolCallID] {
				return Request{}, fmt.Errorf("an answer to call %q, which does not wait for one", message.ToolCallID)
			}
			delete(waiting, message.ToolCallID)
		} else if len(waiting) > 0 {
			return Request{}, fmt.Errorf("calls without an answer: %v", waiting)
		}
		kept := llm.Message{Role: message.Role, Text: message.Content, Call: message.ToolCallID}
		for _, call := range message.ToolCalls {
			if !json.Valid([]byte(call.Function.Arguments)) {
				return Request{}, fmt.Errorf("the arguments of call %q are no JSON", call.ID)
			}
			waiting[call.ID] = true
			kept.Calls = append(kept.Calls, llm.Call{ID: call.ID, Tool: call.Function.Name, Arguments: call.Function.Arguments})
		}
		request.Messages = append(request.Messages, kept)
	}
	if len(waiting) > 0 {
		return Request{}, fmt.Errorf("calls without an answer: %v", waiting)
	}
	for _, tool := range sent.Tools {
		request.Tools = append(request.Tools, llm.Tool{Name: tool.Function.Name, Description: tool.Function.Description, Schema: tool.Function.Parameters})
	}
	return request, nil
}

// Nobody is the base URL of an address at which nobody listens.
func Nobody(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return "http://" + listener.Addr().String() + "/v1"
}
