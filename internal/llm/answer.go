package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// read is the model's turn in a completion. What finish_reason says of calls is not believed:
// servers say "stop" and call.
func read(request Request, completed completion) (Answer, *failure) {
	if len(completed.Choices) == 0 {
		return Answer{}, fail(Malformed, "the answer has no choices")
	}
	choice := completed.Choices[0]
	said := readAs[turn](choice.Message)
	answer := Answer{Text: said.text(), Model: string(completed.Model), Cut: choice.FinishReason == "length", Extra: extras(choice.Message, messageMembers)}
	for _, raw := range said.Calls {
		told := readAs[toldCall](raw)
		function := readAs[toldFunction](told.Function)
		if function.Name == "" && told.Custom.Name != "" {
			function = toldFunction{Name: told.Custom.Name, Arguments: told.Custom.Input}
		}
		answer.Calls = append(answer.Calls, Call{ID: string(told.ID), Tool: string(function.Name), Arguments: string(function.Arguments), Extra: callExtras(raw)})
	}
	if choice.FinishReason == "error" && len(answer.Calls) == 0 {
		told := readOne(choice.Error)
		f := fail(kindOf(told.status(), told), "the provider broke off: %s", told.Message)
		f.Code = told.code()
		return Answer{}, f
	}
	nameCalls(request, answer.Calls)
	return answer, nil
}

// text is what the model said: its content, as text or in parts, or why it declines.
func (t turn) text() string {
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	text := plain(t.Content)
	if strings.HasPrefix(string(t.Content), "[") && json.Unmarshal(t.Content, &parts) == nil {
		var joined strings.Builder
		for _, part := range parts {
			joined.WriteString(part.Text + part.Refusal)
		}
		text = joined.String()
	}
	if text == "" {
		text = string(t.Refusal)
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
