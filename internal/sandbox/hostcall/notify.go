package hostcall

import (
	"context"
	"encoding/json"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// notify(title, text): a message to the workflow's person. The journaled call is
// the message, so making the call sends nothing and repeating it says nothing twice.
var _ = Declare(Tool{
	Name: "notify",
	Doc:  `null. A message to the workflow's person.`,
	Schema: `{"type": "array", "minItems": 1, "items": false, "prefixItems": [
		{"title": "title", "type": "string", "minLength": 1, "maxLength": 200},
		{"title": "text", "type": ["string", "null"], "maxLength": 16384}
	]}`,
	Types:      "(title: string, text?: string | null): Promise<null>",
	Message:    message,
	Silent:     true,
	Told:       "a message to you",
	Effect:     always(sandbox.Write),
	Idempotent: true,
	Do: func(context.Context, *Env, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{}, nil
	},
})

func message(args json.RawMessage) (title, text string, err error) {
	var said []*string
	if err := json.Unmarshal(args, &said); err != nil {
		return "", "", err
	}
	for i, into := range []*string{&title, &text} {
		if i < len(said) && said[i] != nil {
			*into = *said[i]
		}
	}
	return title, text, nil
}
