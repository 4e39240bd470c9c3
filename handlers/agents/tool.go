package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Tool is a tool as every agent has it: its name, what the model reads of it, the JSON schema of its
// arguments, and what it does. Before it is called the agent's loop checks the arguments against the schema;
// before the agent goes on, its journal, a [Thread], keeps call and result.
func Tool[A any](name, description, schema string, do func(ctx context.Context, call string, args A) (agent.Result, error)) agent.Tool {
	return agent.Tool{
		Tool: llm.Tool{Name: name, Description: description, Schema: json.RawMessage(schema)},
		Run: func(ctx context.Context, call string, raw json.RawMessage) (agent.Result, error) {
			var args A
			if err := json.Unmarshal(raw, &args); err != nil {
				return agent.Result{}, fmt.Errorf("the arguments cannot be used: %w", err)
			}
			return do(ctx, call, args)
		},
	}
}

// Text is a result that is a text.
func Text(text string) agent.Result {
	value, err := json.Marshal(text)
	if err != nil {
		value = json.RawMessage(`""`) // no string is refused
	}
	return agent.Result{Value: value}
}
