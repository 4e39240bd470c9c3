package gate

import (
	"encoding/json"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// observed is a run as seen from outside: its input, calls and output.
type observed struct {
	id     string
	input  any
	calls  []observedCall
	output any
}

type observedCall struct {
	tool     string
	template string
	effect   sandbox.Effect
	args     []any
	result   any
	failed   bool
}

func (t *templates) observe(id string, input json.RawMessage, outcome *replayed) observed {
	o := observed{id: id, input: decode(input), output: decode(outcome.Output)}
	for _, call := range outcome.Calls {
		args, _ := decode(call.Args).([]any)
		seen := observedCall{
			tool: call.Tool, template: t.of(call.Tool, call.Args), effect: call.Effect, args: args,
			failed: call.Error != nil,
		}
		if call.Error == nil && !call.Opaque {
			seen.result = decode(call.Result)
		}
		o.calls = append(o.calls, seen)
	}
	return o
}

func (t *templates) observeRecorded(run *Run) observed {
	outcome := replayed{}
	outcome.Output = run.Outcome.Output
	for _, call := range run.Calls {
		outcome.Calls = append(outcome.Calls, sandbox.TracedCall{
			Call:  sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect)},
			Reply: reply(call),
		})
	}
	return t.observe(run.ID, run.Input, &outcome)
}

// answered are the values that a run was given: its input and the answers of its calls.
func (o *observed) answered() []answer {
	list := []answer{{source: "input", value: o.input}}
	for _, call := range o.calls {
		if !call.failed && call.result != nil {
			list = append(list, answer{source: call.template, value: call.result})
			if document, ok := documentIn(call.result); ok {
				list = append(list, answer{source: call.template + inTextOf, value: document})
			}
		}
	}
	return list
}

// inTextOf marks the source of values that an answer holds as the text of a document.
const inTextOf = " text"

// documentIn is the JSON document that an answer holds as text: a file's, a fetched body.
func documentIn(result any) (any, bool) {
	if members, ok := result.(map[string]any); ok {
		result = members["body"]
	}
	text, _ := result.(string)
	return document(text)
}

// answer is a value that a run was given and where from.
type answer struct {
	source string
	value  any
}

// document parses text that holds a JSON object or array.
func document(text string) (any, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	var value any
	if json.Unmarshal([]byte(trimmed), &value) != nil {
		return nil, false
	}
	return value, true
}
