package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
)

// read is the model's turn in a completion. finish_reason is not believed about calls: servers say "stop" and call.
func read(request Request, completion *openai.ChatCompletion) (Answer, *failure) {
	if len(completion.Choices) == 0 {
		return Answer{}, fail(Malformed, "the answer has no choices")
	}
	choice := completion.Choices[0]
	answer := Answer{Text: textOf(choice.Message), Model: completion.Model, Cut: choice.FinishReason == "length", Extra: extras(choice.Message.RawJSON(), messageMembers)}
	for i, call := range choice.Message.ToolCalls {
		answer.Calls = append(answer.Calls, Call{ID: call.ID, Tool: call.Function.Name, Arguments: call.Function.Arguments, Extra: callExtras(call)})
		if call.Function.Name == "" && call.Custom.Name != "" {
			answer.Calls[i].Tool, answer.Calls[i].Arguments = call.Custom.Name, call.Custom.Input
		}
	}
	if choice.FinishReason == "error" && len(answer.Calls) == 0 {
		told := readOne(json.RawMessage(choice.JSON.ExtraFields["error"].Raw()))
		f := fail(kindOf(told.status(), told), "the provider broke off: %s", told.Message)
		f.Code = told.code()
		return Answer{}, f
	}
	nameCalls(request, answer.Calls)
	return answer, nil
}

// textOf is what the model said: its content, as text or in parts, or why it declines.
func textOf(message openai.ChatCompletionMessage) string {
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	text := message.Content
	if raw := message.JSON.Content.Raw(); strings.HasPrefix(raw, "[") && json.Unmarshal([]byte(raw), &parts) == nil {
		var joined strings.Builder
		for _, part := range parts {
			joined.WriteString(part.Text + part.Refusal)
		}
		text = joined.String()
	}
	if text == "" {
		text = message.Refusal
	}
	return text
}

// nameCalls gives calls that have no id, or another one's, an id of their own. It is the same
// whenever the same answer is read, and no other in the conversation.
func nameCalls(request Request, calls []Call) {
	taken := map[string]bool{}
	for _, message := range request.Messages {
		for _, call := range message.Calls {
			taken[call.ID] = true
		}
	}
	for i := range calls {
		if calls[i].ID == "" || taken[calls[i].ID] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", len(request.Messages), i)
		}
		taken[calls[i].ID] = true
	}
}
