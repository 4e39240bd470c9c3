package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Chat Completions as it is sent and read, and no more of it than is used.

// object is a JSON object that is sent.
type object = map[string]any

// endpoint is where completions are made, with the version that a deployment of Azure wants.
func endpoint(base string) string {
	address, version := azure(base)
	address = strings.TrimSuffix(address, "/") + "/chat/completions"
	if version != "" {
		address += "?" + azureVersion + "=" + url.QueryEscape(version)
	}
	return address
}

// signIn puts the key where the provider looks for it: a local server wants none, and is sent none.
func (c Config) signIn(header http.Header) {
	if _, version := azure(c.BaseURL); version != "" {
		header.Set("Api-Key", string(c.Key))
	} else if c.Key != "" {
		header.Set("Authorization", "Bearer "+string(c.Key))
	}
}

// post makes the HTTP request.
func (c *Client) post(ctx context.Context, body object) (*http.Request, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // nobody reads it as HTML
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(c.config.BaseURL), &text)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if body[streaming] != nil {
		request.Header.Set("Accept", "text/event-stream, application/json")
	}
	request.Header.Set("User-Agent", "kintsugi")
	c.config.signIn(request.Header)
	return request, nil
}

// body translates a request.
func (c *Client) body(request Request, sent shape) (object, error) {
	messages := []object{}
	for _, message := range request.Messages {
		translated, err := sent.message(message)
		if err != nil {
			return nil, err
		}
		messages = append(messages, translated)
	}
	body := object{"model": c.config.Model, "messages": messages, sent.limitName(): sent.limit(request.MaxTokens)}
	var tools []object
	for _, tool := range request.Tools {
		function := object{"name": tool.Name, "description": tool.Description}
		if len(tool.Schema) > 0 {
			var schema object
			if err := json.Unmarshal(tool.Schema, &schema); err != nil {
				return nil, fmt.Errorf("the schema of tool %s is no JSON object: %w", tool.Name, err)
			}
			function["parameters"] = tool.Schema
		}
		tools = append(tools, object{"type": "function", "function": function})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if !sent.dropped[temperature] {
		body[temperature] = request.Temperature
	}
	if !sent.dropped[streaming] {
		body[streaming] = true
		if !sent.dropped[streamOptions] {
			body[streamOptions] = object{"include_usage": true}
		}
	}
	return body, nil
}

func (s shape) message(message Message) (object, error) {
	switch message.Role {
	case System, User:
		return object{"role": message.Role, "content": message.Text}, nil
	case ToolRole:
		return object{"role": message.Role, "content": message.Text, "tool_call_id": message.Call}, nil
	case Assistant:
		return s.said(message), nil
	}
	return nil, fmt.Errorf("a message is of role system, user, assistant or tool, not %q", message.Role)
}

// emptyTurn stands for a turn without anything in it, which some providers refuse.
const emptyTurn = "(nothing)"

// said is a turn of the assistant, with what the provider added to it.
func (s shape) said(message Message) object {
	said := s.sendableExtras(message.Extra)
	said["role"] = message.Role
	switch {
	case message.Text != "":
		said["content"] = message.Text
	case len(message.Calls) == 0:
		said["content"] = emptyTurn
	}
	var calls []object
	for _, call := range message.Calls {
		function := object{"name": call.Tool, "arguments": sendable(call.Arguments)}
		sent := s.sendableExtras(call.Extra)
		if inner, is := sent["function"].(json.RawMessage); is {
			maps.Copy(function, s.sendableExtras(inner))
		}
		sent["id"], sent["type"], sent["function"] = call.ID, "function", function
		calls = append(calls, sent)
	}
	if calls != nil {
		said["tool_calls"] = calls
	}
	return said
}

// sendable is the arguments as a JSON object: some servers parse those of earlier turns, and answer
// 500 to what is none.
func sendable(arguments string) string {
	var parsed map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &parsed) == nil && parsed != nil {
		return arguments
	}
	wrapped, err := json.Marshal(map[string]string{"malformed": arguments})
	if err != nil {
		return "{}" // no text is refused by Marshal
	}
	return string(wrapped)
}

// completion is an answer. A member of another type than it should have counts as if it was not there.
type completion struct {
	Model             words     `json:"model"`
	SystemFingerprint words     `json:"system_fingerprint"`
	Choices           []choice  `json:"choices"`
	Usage             toldUsage `json:"usage"`
}

type choice struct {
	FinishReason words           `json:"finish_reason"`
	Message      json.RawMessage `json:"message"`
	Error        json.RawMessage `json:"error"` // of a provider behind a router
}

type turn struct {
	Content json.RawMessage   `json:"content"` // text, or parts
	Refusal words             `json:"refusal"`
	Calls   []json.RawMessage `json:"tool_calls"`
}

type toldCall struct {
	ID       words           `json:"id"`
	Function json.RawMessage `json:"function"`
	Custom   struct {
		Name  words `json:"name"`
		Input words `json:"input"`
	} `json:"custom"`
}

type toldFunction struct {
	Name      words `json:"name"`
	Arguments words `json:"arguments"`
}

type toldUsage struct {
	Prompt     number64 `json:"prompt_tokens"`
	Completion number64 `json:"completion_tokens"`
	Total      number64 `json:"total_tokens"`
	Details    struct {
		Cached number64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// words is a text; some servers send the object that should be in it.
type words string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *words) UnmarshalJSON(raw []byte) error {
	*w = words(plain(raw))
	return nil
}

// number64 is a count; some servers write it as text, or with a fraction.
type number64 int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number64) UnmarshalJSON(raw []byte) error {
	if value, err := strconv.ParseFloat(plain(raw), 64); err == nil && value > -1e15 && value < 1e15 {
		*n = number64(value)
	}
	return nil
}

// unmarshal reads what is JSON, and of that what is of the right type.
func unmarshal(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if _, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return nil
	}
	return err
}

// readAs is [unmarshal] of what may be missing.
func readAs[T any](raw json.RawMessage) (value T) {
	_ = unmarshal(raw, &value) // a part of what was read already, or nothing
	return value
}
