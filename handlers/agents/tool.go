package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/agent"
)

// Acting decodes arguments that the schema has allowed.
func Acting[A any](act func(ctx context.Context, call string, args A) (agent.Result, error)) func(context.Context, string, json.RawMessage) (agent.Result, error) {
	return func(ctx context.Context, call string, raw json.RawMessage) (agent.Result, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return agent.Result{}, fmt.Errorf("the arguments cannot be used: %w", err)
		}
		return act(ctx, call, args)
	}
}

// Says is a result that is a text.
func Says(text string) agent.Result {
	value, err := json.Marshal(text)
	if err != nil {
		value = json.RawMessage(`""`) // no string is refused
	}
	return agent.Result{Value: value}
}
