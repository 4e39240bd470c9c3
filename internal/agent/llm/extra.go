package llm

import (
	"encoding/json"
	"maps"

	"github.com/openai/openai-go/v3"
)

// The members of an answer that Chat Completions itself defines. All others are the provider's own.
var (
	messageMembers  = []string{"role", "content", "refusal", "tool_calls", "function_call", "audio", "annotations"}
	callMembers     = []string{"id", "type", "index", "function", "custom"}
	functionMembers = []string{"name", "arguments"}
)

// extras are the members of an object that are not known, as they came; nil if there are none. Some
// providers refuse a conversation that does not have them: a signature of what was thought, or the thoughts.
func extras(object string, known []string) json.RawMessage {
	own := members(json.RawMessage(object))
	for _, name := range known {
		delete(own, name)
	}
	maps.DeleteFunc(own, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return joined(own)
}

// callExtras are those of a call; members of its function stand there again.
func callExtras(call openai.ChatCompletionMessageToolCallUnion) json.RawMessage {
	own := members(extras(call.RawJSON(), callMembers))
	if inner := extras(call.Function.RawJSON(), functionMembers); inner != nil {
		if own == nil {
			own = map[string]json.RawMessage{}
		}
		own["function"] = inner
	}
	return joined(own)
}

func members(object json.RawMessage) map[string]json.RawMessage {
	var own map[string]json.RawMessage
	_ = json.Unmarshal(object, &own) // what is no object has no members
	return own
}

func joined(own map[string]json.RawMessage) json.RawMessage {
	if len(own) == 0 {
		return nil
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil // they were JSON
	}
	return text
}

// sendableExtras are extras without those that the provider refused.
func (s capabilities) sendableExtras(object json.RawMessage) map[string]any {
	extra := map[string]any{}
	for name, value := range members(object) {
		if !s.dropped[name] {
			extra[name] = value
		}
	}
	return extra
}

// extraNames are the names of all extras in a request.
func extraNames(request Request) []string {
	names := map[string]bool{}
	add := func(object json.RawMessage) {
		for name := range members(object) {
			names[name] = true
		}
	}
	for _, message := range request.Messages {
		add(message.Extra)
		for _, call := range message.Calls {
			add(call.Extra)
			add(members(call.Extra)["function"])
		}
	}
	delete(names, "function")
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	return all
}
